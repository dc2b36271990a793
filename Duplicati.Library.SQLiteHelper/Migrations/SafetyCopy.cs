// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using System.IO;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>Copies a database next to itself before it is upgraded.</summary>
/// <remarks>
/// The copy is made by SQLite's backup from a second, read-only connection, so it holds what is committed, in the file or in its
/// -wal. Until it is complete, verified and flushed it has a name that no one takes for a copy; its name is flushed, too.
/// </remarks>
internal static class SafetyCopy
{
    /// <summary>The copy stands for itself, without a -wal beside it. Rewrites the first page.</summary>
    private const string USE_ROLLBACK_JOURNAL = "PRAGMA journal_mode = DELETE";

    /// <summary>Reads every page once; one row "ok" if all of them hold together.</summary>
    private const string QUICK_CHECK = "PRAGMA quick_check(1)";

    /// <summary>For copies that Duplicati does not look for: its clean-up takes what ends in .sqlite for forgotten databases.</summary>
    internal const string OTHER_EXTENSION = ".bak";

    /// <summary>What the name of a copy ends in until it is complete.</summary>
    internal const string INCOMPLETE = ".incomplete";

    private const string EXTENSION = ".sqlite";
    private const string TIME_FORMAT = "yyyyMMddHHmmss";
    private const string UNIQUE_FORMAT = "N";
    private const int NAME_ATTEMPTS = 10;
    private const double SECONDS_BETWEEN_NAMES = 1.5;

    private static readonly string s_logTag = Log.LogTagFromType(typeof(SafetyCopy));

    /// <summary>Makes the copy. Reads the database once and the copy once.</summary>
    /// <param name="database">The database file. The caller holds its write lock, so that it cannot change meanwhile.</param>
    /// <param name="version">The version the copy has to have.</param>
    /// <param name="extension">What its name ends in.</param>
    /// <returns>The path of the copy: same folder, <c>backup NAME yyyyMMddHHmmss.sqlite</c>.</returns>
    /// <exception cref="IOException">The copy cannot be written, does not verify or no name is free. Nothing is left behind.</exception>
    /// <exception cref="SqliteException">As above, seen by SQLite.</exception>
    public static string Make(string database, int version, string extension = EXTENSION)
    {
        var source = Path.GetFullPath(database);
        var folder = Path.GetDirectoryName(source)!;
        var stem = $"{Strings.DatabaseUpgrader.BackupFilenamePrefix} {Path.GetFileNameWithoutExtension(source)} ";
        Directory.CreateDirectory(folder);
        RemoveIncomplete(folder, stem);

        var incomplete = Path.Combine(folder, stem + Guid.NewGuid().ToString(UNIQUE_FORMAT) + EXTENSION + INCOMPLETE);
        var made = incomplete;
        try
        {
            CreatePrivate(incomplete, source);
            Copy(source, incomplete, version);
            // The copy's own connection is closed, and nobody else knows its name.
            DurableFiles.Standard.FlushFile(incomplete);
            made = MoveToFreeName(incomplete, Path.Combine(folder, stem), extension);
            // Before the database changes: after a power loss the copy would be there without its name.
            DurableFiles.Standard.FlushFolder(folder);
            return made;
        }
        catch
        {
            Remove(made);
            throw;
        }
    }

    /// <summary>An upgrade that was killed leaves its unfinished copy; only one upgrade at a time holds the write lock.</summary>
    private static void RemoveIncomplete(string folder, string stem)
    {
        foreach (var file in Directory.EnumerateFiles(folder))
        {
            if (IsIncomplete(Path.GetFileName(file), stem))
                Remove(file);
        }
    }

    // Exactly: the name of another database may begin like that of this one.
    private static bool IsIncomplete(string name, string stem) =>
        name.StartsWith(stem, StringComparison.Ordinal)
        && name.EndsWith(EXTENSION + INCOMPLETE, StringComparison.Ordinal)
        && Guid.TryParseExact(name[stem.Length..^(EXTENSION + INCOMPLETE).Length], UNIQUE_FORMAT, out _);

    /// <summary>Removes a copy with what SQLite has put beside it.</summary>
    internal static void Remove(string copy)
    {
        foreach (var suffix in (ReadOnlySpan<string>)["", "-journal", "-wal", "-shm"])
            DurableFiles.Standard.Delete(copy + suffix);
    }

    /// <summary>A copy is as private as its source from its first byte on.</summary>
    internal static void CreatePrivate(string path, string source)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = File.GetUnixFileMode(source);
        new FileStream(path, options).Dispose();

        if (OperatingSystem.IsWindows() && !Util.AllowInsecureDataFolder())
            try
            {
                SystemIO.IO_OS.FileSetPermissionUserRWOnly(path);
            }
            catch (Exception ex)
            {
                Log.WriteWarningMessage(s_logTag, "SQLiteFilePermissionError", ex, "Failed to restrict access to the file {0}", path);
            }
    }

    private static void Copy(string source, string target, int version)
    {
        using var to = new SqliteConnection(ConnectionString(target, SqliteOpenMode.ReadWrite));
        to.Open();
        using (var from = new SqliteConnection(ConnectionString(source, SqliteOpenMode.ReadOnly)))
        {
            from.Open();
            from.BackupDatabase(to);
        }
        Verify(to, source);
        if (SchemaVersion.Read(to) is var copied && copied != version)
            throw new IOException($"The copy has version {copied} instead of {version}");
    }

    /// <summary>Makes a filled copy stand for itself, and reads it once.</summary>
    /// <exception cref="IOException">Its pages do not hold together.</exception>
    internal static void Verify(SqliteConnection copy, string source)
    {
        SchemaVersion.Scalar(copy, USE_ROLLBACK_JOURNAL);
        if (SchemaVersion.Scalar(copy, QUICK_CHECK) is not "ok" and var finding)
            throw new IOException(
                $"The database '{source}' is damaged, its copy does not verify: {finding}",
                new SqliteException($"{finding}", ResultCode.Corrupt)
            );
    }

    internal static string ConnectionString(string path, SqliteOpenMode mode) =>
        new SqliteConnectionStringBuilder
        {
            DataSource = path,
            Mode = mode,
            Pooling = false,
        }.ToString();

    /// <summary>Takes the first name that is free: the time now, then a little later each.</summary>
    private static string MoveToFreeName(string incomplete, string stem, string extension)
    {
        var now = DateTime.Now;
        for (var attempt = 0; ; attempt++)
        {
            var time = now.AddSeconds(attempt * SECONDS_BETWEEN_NAMES);
            var path = stem + time.ToString(TIME_FORMAT, CultureInfo.InvariantCulture) + extension;
            try
            {
                DurableFiles.Standard.Move(incomplete, path, overwrite: false);
                return path;
            }
            catch (IOException) when (File.Exists(path) && attempt + 1 < NAME_ATTEMPTS)
            {
                // Taken, by an earlier copy or since a moment ago.
            }
        }
    }
}
