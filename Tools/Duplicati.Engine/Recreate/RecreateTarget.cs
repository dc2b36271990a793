// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// The file that a recreate makes. It has its mark before it has its name, and one that is to take the place of another lies beside
/// that until it is complete. As long as there is no log it has a name that nobody looks for: a kill may leave anything there.
/// </summary>
internal sealed class RecreateTarget : IDisposable
{
    /// <summary>Nobody else is writing.</summary>
    private const string TAKE = "BEGIN IMMEDIATE; ROLLBACK";

    private const string BESIDE = ".recreating";
    private const string LOCK = ".recreating-lock";

    private static readonly string[] s_suffixes = ["", "-wal", "-shm", "-journal"];

    private readonly EngineOptions m_options;
    private readonly HeldFile m_lock;

    private RecreateTarget(EngineOptions options, HeldFile held, string path, bool isNew)
    {
        m_lock = held;
        m_options = options;
        Path = path;
        IsNew = isNew;
    }

    /// <summary>The file to work on.</summary>
    internal string Path { get; }

    /// <summary>True if there is nothing to go on from.</summary>
    internal bool IsNew { get; private set; }

    /// <summary>True if the file is to take the place of another one.</summary>
    internal bool Replaces => Path != m_options.DatabasePath;

    /// <summary>Finds what to work on, and keeps other recreates away from it. Changes nothing that is complete.</summary>
    /// <param name="options">Where the database is to be.</param>
    /// <param name="overwrite">Begin anew, whatever is there.</param>
    /// <exception cref="UserInformationException">Help ids <c>RecreateTargetDatabaseExists</c>, <c>DatabaseIsBusy</c>.</exception>
    internal static RecreateTarget Choose(EngineOptions options, bool overwrite)
    {
        var held = Lock(options.DatabasePath);
        try
        {
            var (path, isNew) = Find(options.DatabasePath, overwrite);
            return new RecreateTarget(options, held, path, isNew);
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    private static (string Path, bool IsNew) Find(string path, bool overwrite)
    {
        var beside = path + BESIDE;
        if (overwrite)
            return (File.Exists(path) ? beside : path, true);
        if (!File.Exists(path))
        {
            // Killed before it had its name, or the file that it was to replace has gone.
            if (UnfinishedRecreate.Is(beside))
                DurableFiles.Standard.Move(beside, path, overwrite: false);
            return (path, !File.Exists(path));
        }

        if (UnfinishedRecreate.Is(path))
            return (path, false);
        if (UnfinishedRecreate.Is(beside))
            return (beside, false);
        throw new UserInformationException(
            $"The database {path} exists already. {Advice.DatabaseExists()}",
            "RecreateTargetDatabaseExists"
        );
    }

    // Not the turn of operations: a second recreate of a file is refused at once, as it would wait for hours only to find the file made.
    private static HeldFile Lock(string path)
    {
        var full = System.IO.Path.GetFullPath(path);
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(full)!);
        return HeldFile.TryTake(full + LOCK)
            ?? throw new UserInformationException($"Another recreate is at work on {path}; wait until it has finished.", "DatabaseIsBusy");
    }

    /// <summary>Makes a new file, marked as unfinished. What an abandoned recreate has left is removed.</summary>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>DiskIsFull</c>.</exception>
    internal async Task CreateAsync(CancellationToken token)
    {
        var beside = m_options.DatabasePath + BESIDE;
        Remove(beside);
        FlushFolder();
        var database = await ResumableRebuild.OpenAsync(beside, token, m_options.Schema).ConfigureAwait(false);
        await using (database.ConfigureAwait(false))
        {
            await new RecreateMark { Prefix = m_options.PrefixOrDefault }
                .StoreAsync(database, token)
                .ConfigureAwait(false);
            await database.RepairInProgressAsync(token, true).ConfigureAwait(false);
        }

        // A log that could not be copied back: the name would go to a file without its mark.
        if (s_suffixes.Skip(1).Any(x => File.Exists(beside + x)))
        {
            Remove(beside);
            throw new UserInformationException($"There is no space left for the database {Path}. Free some.", "DiskIsFull");
        }

        IsNew = true;
        if (!Replaces)
            Name(beside);
    }

    private void Name(string made)
    {
        Remove(Path);
        FlushFolder();
        DurableFiles.Standard.Move(made, Path, overwrite: false);
    }

    /// <summary>Lets other recreates come.</summary>
    public void Dispose() => m_lock.Dispose();

    /// <summary>Gives the file up.</summary>
    internal void Remove() => Remove(Path);

    /// <summary>The file is complete: it becomes a database as any other, and takes its place.</summary>
    /// <param name="isBroken">Whether blocks that versions need are in no volume.</param>
    /// <returns>The name under which the one is kept whose place it takes; null if there is none, or it knows nothing else.</returns>
    /// <exception cref="SqliteException">The file, or the one it replaces, is in use. Going on with the recreate tries again.</exception>
    internal string? Finish(bool isBroken)
    {
        if (Replaces || ConnectionPreset.Find(m_options.Preset) == ConnectionPreset.Rebuild)
            Flush();
        string? kept = null;
        if (Replaces)
        {
            CloseOld();
            if (
                KnownDatabase.Read(m_options.DatabasePath) is { } old
                    ? old.Knows(KnownDatabase.Read(Path), isBroken)
                    : isBroken && File.Exists(m_options.DatabasePath)
            )
                kept = RepairDatabaseFile.PutAside(m_options.DatabasePath);
            // The old log is gone for good before the new file has its name: a power loss could bring it back beside that.
            FlushFolder();
            DurableFiles.Standard.Move(Path, m_options.DatabasePath, overwrite: true);
            FlushFolder();
        }

        UnfinishedRecreate.End(m_options.DatabasePath, isBroken);
        return kept;
    }

    private void FlushFolder() =>
        DurableFiles.Standard.FlushFolder(System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(m_options.DatabasePath))!);

    private static void Remove(string path)
    {
        foreach (var suffix in s_suffixes)
            DurableFiles.Standard.Delete(path + suffix);
    }

    // From here on the file is as safe as any other; its log is empty and goes with the connection.
    private void Flush()
    {
        using (var connection = UnfinishedRecreate.Open(Path))
            RebuildHandover.RestoreNormalSettings(connection);
        if (s_suffixes.Skip(1).Any(x => File.Exists(Path + x)))
            throw new IOException($"The database {Path} is in use by another program; try again when it has finished.");
    }

    // A log of the old file would be taken for one of the new file.
    private void CloseOld()
    {
        if (!File.Exists(m_options.DatabasePath))
            return;
        try
        {
            using var connection = UnfinishedRecreate.Open(m_options.DatabasePath);
            using var command = connection.CreateCommand();
            command.CommandText = TAKE;
            command.ExecuteNonQuery();
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode is not (raw.SQLITE_BUSY or raw.SQLITE_LOCKED))
        {
            // Damaged, or no database: that is why it is replaced, and nobody can be using it.
            foreach (var suffix in s_suffixes.Skip(1))
                DurableFiles.Standard.Delete(m_options.DatabasePath + suffix);
        }

        if (s_suffixes.Skip(1).Any(x => File.Exists(m_options.DatabasePath + x)))
            throw new IOException($"The database {m_options.DatabasePath} is in use by another program; try again when it has finished.");
    }
}
