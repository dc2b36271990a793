// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>
/// Runs what only reads a database, so that neither the file nor anything in its folder changes, and so that the answer is right also if
/// somebody begins to write to it meanwhile: then it is read once more, beside the writer.
/// </summary>
internal static class DatabaseReading
{
    // Of a file whose log comes and goes, before it is read as those do that make the log.
    private const int MostLooks = 4;

    // What is changed within one tick of the file system's clock looks unchanged. It is 10 ms on Linux at most, 16 on Windows.
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(20);
    private static readonly string s_logTag = Log.LogTagFromType(typeof(DatabaseReading));

    /// <summary>Reads a database.</summary>
    /// <param name="path">The file.</param>
    /// <param name="preset">Connection preset by name.</param>
    /// <param name="read">Gets the path to open, with the classes of the data layer or a <see cref="ReadingConnection"/>, and closes it.
    /// May run several times.</param>
    /// <param name="token">Cancels.</param>
    /// <param name="mode">What it needs.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>,
    /// <c>DatabaseIsDamaged</c>, <c>DatabaseVersionNotSupportedError</c>.</exception>
    internal static async Task<T> RunAsync<T>(
        string path,
        string preset,
        Func<string, Task<T>> read,
        CancellationToken token,
        ReadingMode mode = ReadingMode.CurrentVersion
    )
    {
        DatabaseFile.RequireExists(path);
        var isLogLost = true;
        for (var look = 0; isLogLost && look < MostLooks; look++)
        {
            using var file = await LookAsync(path, token).ConfigureAwait(false);
            isLogLost = false;
            try
            {
                var result = await OnceAsync(file).ConfigureAwait(false);
                if (!file.HasChanged())
                    return result;
            }
            catch (Exception ex) when (ex is not OperationCanceledException && (file.HasChanged() || file.HasLostLog(ex)))
            {
                isLogLost = file.HasLostLog(ex);
                Log.WriteVerboseMessage(s_logTag, "DatabaseChanged", ex, "The database {0} was changed while it was read", path);
            }

            isLogLost |= file.IsLogGone();
        }

        using var shared = ReadOnlyFile.BesideWriters(path);
        return await OnceAsync(shared).ConfigureAwait(false);

        async Task<T> OnceAsync(ReadOnlyFile file)
        {
            var version = Version(file, path, mode);
            try
            {
                if (mode == ReadingMode.PrivateCopy || (mode == ReadingMode.CurrentVersion && version < SchemaState.Newest))
                    return await FromCopyAsync(file, version).ConfigureAwait(false);

                using var scope = file.Use(preset);
                return await read(path).ConfigureAwait(false);
            }
            catch (Exception ex) when (DatabaseGuard.FaultBehind(ex, file.Open, path) is { } fault)
            {
                throw fault;
            }
        }

        async Task<T> FromCopyAsync(ReadOnlyFile file, long version)
        {
            if (version < SchemaState.Newest)
                Log.WriteWarningMessage(
                    s_logTag,
                    "ReadThroughCopy",
                    null,
                    "The database {0} has version {1}; it stays as it is and is read through a copy of version {2} in a temporary folder",
                    path,
                    version,
                    SchemaState.Newest
                );
            using var temporary = new TemporaryFolder();
            var copy = Path.Combine(temporary.Path, Path.GetFileName(path));
            await Task.Run(() => Copy(file, copy), token).ConfigureAwait(false);
            using var scope = ConnectionPreset.Use(preset);
            return await read(copy).ConfigureAwait(false);
        }
    }

    /// <summary>The same for work that blocks its thread.</summary>
    internal static Task<T> RunAsync<T>(
        string path,
        string preset,
        Func<string, T> read,
        CancellationToken token,
        ReadingMode mode = ReadingMode.CurrentVersion
    ) => RunAsync(path, preset, name => Task.Run(() => read(name), token), token, mode);

    private static async Task<ReadOnlyFile> LookAsync(string path, CancellationToken token)
    {
        var file = ReadOnlyFile.Look(path);
        var age = DateTime.UtcNow - file.LastChange;
        if (age.Duration() > s_tick)
            return file;

        file.Dispose();
        await Task.Delay(s_tick - age, token).ConfigureAwait(false);
        return ReadOnlyFile.Look(path);
    }

    private static void Copy(ReadOnlyFile file, string copy)
    {
        using var from = file.Open();
        from.CopyTo(copy);
    }

    // A damaged file may be looked at as it is; the check tells what is damaged.
    private static long Version(ReadOnlyFile file, string path, ReadingMode mode)
    {
        using var connection = file.Open();
        try
        {
            if (mode != ReadingMode.AsItIs)
            {
                var version = SchemaState.Require(connection, path, acceptNewer: mode == ReadingMode.AnyVersion);
                if (mode != ReadingMode.AnyVersion)
                    DatabaseGuard.RequireRows(connection, path, listsVolumes: false);
                return version;
            }

            if (SchemaState.Find(connection, path) is { HelpId: "DatabaseFormatError" } problem)
                throw problem.ToException();
            return SchemaState.Newest;
        }
        catch (SqliteException ex)
            when (ex.SqliteErrorCode != raw.SQLITE_NOTADB
                && mode is ReadingMode.AsItIs or ReadingMode.AnyVersion
                && DatabaseIntegrity.IsDamage(ex)
            )
        {
            return SchemaState.Newest;
        }
        catch (SqliteException ex) when (DatabaseIntegrity.IsDamage(ex))
        {
            throw DatabaseIntegrity.Error(path, ex);
        }
    }
}

/// <summary>What a reading command needs of a database.</summary>
internal enum ReadingMode
{
    /// <summary>The file as it is, also if it does not tell its version.</summary>
    AsItIs,

    /// <summary>The file as it is, whatever its version.</summary>
    AnyVersion,

    /// <summary>The current version of the schema: an older one is read through an upgraded copy.</summary>
    CurrentVersion,

    /// <summary>A copy to work on, which is thrown away.</summary>
    PrivateCopy,
}
