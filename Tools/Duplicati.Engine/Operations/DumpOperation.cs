// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>Writes the content of databases, of any schema version, as canonical JSON, or compares it. Changes nothing.</summary>
public static class DumpOperation
{
    private const string FileName = "dump.json";

    /// <summary>
    /// Writes the dump of a database. Needs space for it among the temporary files: nothing is given out before it is known to be of one
    /// moment.
    /// </summary>
    /// <param name="path">The database file.</param>
    /// <param name="output">Gets the JSON text, ASCII.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>,
    /// <c>DatabaseIsDamaged</c>.</exception>
    public static async Task WriteAsync(string path, Stream output, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        var name = Path.Combine(temporary.Path, FileName);
        await ReadAsync(path, file => Write(file, name), token).ConfigureAwait(false);
        var dump = new FileStream(name, FileMode.Open, FileAccess.Read);
        await using var scope = dump.ConfigureAwait(false);
        await dump.CopyToAsync(output, token).ConfigureAwait(false);
    }

    /// <summary>Compares two databases by content. Memory: both.</summary>
    /// <param name="expected">Path of the first.</param>
    /// <param name="actual">Path of the second.</param>
    /// <param name="options">What does not count.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The differences; none if equal.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>,
    /// <c>DatabaseIsDamaged</c>.</exception>
    public static async Task<IReadOnlyList<DumpDifference>> CompareAsync(
        string expected,
        string actual,
        DumpComparisonOptions options,
        CancellationToken token
    )
    {
        var first = await ReadAsync(expected, DatabaseDump.Load, token).ConfigureAwait(false);
        var second = await ReadAsync(actual, DatabaseDump.Load, token).ConfigureAwait(false);
        return await Task.Run(() => DatabaseComparison.Compare(first, second, options), token).ConfigureAwait(false);
    }

    private static bool Write(string file, string name)
    {
        using var dump = new FileStream(name, FileMode.Create, FileAccess.Write);
        DatabaseDump.Write(file, dump);
        return true;
    }

    private static async Task<T> ReadAsync<T>(string path, Func<string, T> read, CancellationToken token)
    {
        try
        {
            return await DatabaseReading
                .RunAsync(path, ConnectionPreset.Default.Name, read, token, ReadingMode.AnyVersion)
                .WaitAsync(token)
                .ConfigureAwait(false);
        }
        catch (SqliteException ex) when (DatabaseIntegrity.IsDamage(ex))
        {
            // Of two databases.
            throw DatabaseIntegrity.Error(path, ex);
        }
    }
}
