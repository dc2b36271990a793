// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.IO.Compression;
using System.Runtime.InteropServices;
using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Makes a copy of a local database that can be shown to others: without paths, settings, metadata texts, messages and the prefix of
/// volumes. The database itself is only read.
/// </summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class BugReportOperation(string path, string preset)
{
    /// <summary>Reads the whole file, as of one moment, while others go on writing.</summary>
    private const string COPY = "VACUUM INTO $target";

    private const string ZipExtension = ".zip";
    private const string DatabaseEntry = "log-database.sqlite";
    private const string SystemEntry = "system-info.txt";

    /// <summary>Makes the report. Needs space for two copies of the database among the temporary files.</summary>
    /// <param name="output">The file to make: an archive with the database and a description of the system if it ends in .zip, else the
    /// database alone.</param>
    /// <param name="token">Cancels; nothing is left behind.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>OutputFileExists</c>.</exception>
    public async Task<BugReportReport> RunAsync(string output, CancellationToken token)
    {
        var target = Path.GetFullPath(output);
        NewFile.RequireFree(target);
        using var temporary = new TemporaryFolder();
        var scrubbed = Path.Combine(temporary.Path, DatabaseEntry);
        await DatabaseReading
            .RunAsync(path, preset, file => CopyAsync(file, scrubbed, token), token, ReadingMode.AnyVersion)
            .ConfigureAwait(false);

        var isPacked = target.EndsWith(ZipExtension, StringComparison.OrdinalIgnoreCase);
        await NewFile
            .WriteAsync(target, name => isPacked ? PackAsync(scrubbed, name, token) : CopyFileAsync(scrubbed, name, token))
            .ConfigureAwait(false);
        return new BugReportReport(target, new FileInfo(target).Length, new FileInfo(scrubbed).Length);
    }

    private async Task<bool> CopyAsync(string file, string target, CancellationToken token)
    {
        await Task.Run(() => Copy(file, target, token), token).ConfigureAwait(false);
        await ScrubAsync(target, token).ConfigureAwait(false);
        return true;
    }

    private void Copy(string file, string target, CancellationToken token)
    {
        File.Delete(target);
        using var reading = new ReadingConnection(file);
        var connection = reading.Connection;
        // Else whoever opens the copy refuses that, with its name.
        SchemaState.Require(connection, path);
        using var command = connection.CreateCommand();
        command.CommandText = COPY;
        command.CommandTimeout = 0;
        command.Parameters.AddWithValue("$target", target);
        Interruptible.Run(connection, token, command.ExecuteNonQuery);
    }

    private async Task ScrubAsync(string copy, CancellationToken token)
    {
        using var scope = ConnectionPreset.Use(preset);
        var database = await LocalBugReportDatabase.CreateAsync(copy, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await database.ScrubAsync(token).ConfigureAwait(false);
        await database.ObfuscateAsync(token).ConfigureAwait(false);
    }

    private static async Task PackAsync(string database, string target, CancellationToken token)
    {
        var state = await InspectOperation.RunAsync(database, token).ConfigureAwait(false);
        await Task.Run(() => Pack(database, target, state), token).ConfigureAwait(false);
    }

    private static void Pack(string database, string target, InspectReport state)
    {
        using var archive = ZipFile.Open(target, ZipArchiveMode.Create);
        archive.CreateEntryFromFile(database, DatabaseEntry);
        using var writer = new StreamWriter(archive.CreateEntry(SystemEntry).Open());
        foreach (var line in SystemInformation.Lines(state))
            writer.WriteLine(line);
    }

    private static async Task CopyFileAsync(string from, string to, CancellationToken token)
    {
        var source = new FileStream(from, FileMode.Open, FileAccess.Read);
        await using var sourceScope = source.ConfigureAwait(false);
        var target = new FileStream(to, FileMode.CreateNew, FileAccess.Write);
        await using var targetScope = target.ConfigureAwait(false);
        await source.CopyToAsync(target, token).ConfigureAwait(false);
    }
}

/// <summary>What a bug report tells of the system: nothing that names the machine or its user.</summary>
internal static class SystemInformation
{
    internal static IEnumerable<string> Lines(InspectReport database)
    {
        yield return $"Time: {DateTime.UtcNow.ToString("u", CultureInfo.InvariantCulture)}";
        yield return $"System: {RuntimeInformation.OSDescription} ({RuntimeInformation.OSArchitecture})";
        yield return $"Runtime: {RuntimeInformation.FrameworkDescription} ({RuntimeInformation.ProcessArchitecture})";
        yield return $"Processors: {Environment.ProcessorCount}";
        yield return $"SQLite: {database.SqliteVersion}";
        yield return $"Schema: {database.SchemaVersion}";
        yield return $"Pages: {database.Pages} of {database.PageSize} bytes";
        foreach (var (table, rows) in database.RowCounts)
            yield return $"Rows of {table}: {rows}";
        foreach (var problem in database.Problems)
            yield return $"Problem: {problem}";
    }
}
