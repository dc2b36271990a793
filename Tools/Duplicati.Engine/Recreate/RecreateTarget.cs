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

namespace Duplicati.Engine.Recreate;

/// <summary>
/// The file that a recreate makes. It has its mark before it has its name, and one that is to take the place of another lies beside
/// that until it is complete. As long as there is no log it has a name that nobody looks for: a kill may leave anything there.
/// </summary>
internal sealed class RecreateTarget : IDisposable
{
    private const string BESIDE = ".recreating";
    private const string LOCK = ".recreating-lock";

    private readonly EngineOptions m_options;
    private readonly bool m_overwrite;
    private readonly HeldFile m_lock;

    private RecreateTarget(EngineOptions options, bool overwrite, HeldFile held)
    {
        m_options = options;
        m_overwrite = overwrite;
        m_lock = held;
        Path = options.DatabasePath;
    }

    /// <summary>The file to work on.</summary>
    internal string Path { get; private set; }

    /// <summary>True if there is nothing to go on from.</summary>
    internal bool IsNew { get; private set; }

    /// <summary>True if the file is to take the place of another one.</summary>
    internal bool Replaces => Path != m_options.DatabasePath;

    // What lies beside is made by recreates only. In the place of the database another one may have come.
    private bool IsOwn => Replaces || !File.Exists(Path) || UnfinishedRecreate.Is(Path);

    /// <summary>Keeps other recreates away. Changes nothing.</summary>
    /// <param name="options">Where the database is to be.</param>
    /// <param name="overwrite">Begin anew, whatever is there.</param>
    /// <exception cref="UserInformationException">Help ids <c>RecreateTargetDatabaseExists</c>, <c>DatabaseIsBusy</c>.</exception>
    internal static RecreateTarget Claim(EngineOptions options, bool overwrite)
    {
        var held = Lock(options.DatabasePath);
        try
        {
            // So that nobody waits for the turn only to be told then.
            if (!overwrite && File.Exists(options.DatabasePath))
                _ = Unfinished(options.DatabasePath);
            return new RecreateTarget(options, overwrite, held);
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Finds what to work on. Called in the turn: the operation that had it before may have made a database. Changes nothing that is
    /// complete.
    /// </summary>
    /// <exception cref="UserInformationException">Help id <c>RecreateTargetDatabaseExists</c>.</exception>
    internal void Choose() => (Path, IsNew) = Find(m_options.DatabasePath, m_overwrite);

    private static (string Path, bool IsNew) Find(string path, bool overwrite)
    {
        var beside = path + BESIDE;
        if (overwrite)
            return (File.Exists(path) ? beside : path, true);
        if (File.Exists(path))
            return (Unfinished(path), false);
        // Killed before it had its name, or the file that it was to replace has gone.
        if (UnfinishedRecreate.Is(beside))
            DurableFiles.Standard.Move(beside, path, overwrite: false);
        return (path, !File.Exists(path));
    }

    private static string Unfinished(string path) =>
        UnfinishedRecreate.Is(path) ? path
        : UnfinishedRecreate.Is(path + BESIDE) ? path + BESIDE
        : throw Exists(path);

    private static UserInformationException Exists(string path) =>
        new($"The database {path} exists already. {Advice.DatabaseExists()}", "RecreateTargetDatabaseExists");

    // Not the turn of operations: a second recreate of a file is refused at once, as it would wait for hours only to find the file made.
    private static HeldFile Lock(string path)
    {
        var full = System.IO.Path.GetFullPath(path);
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(full)!);
        return HeldFile.TryTake(full + LOCK)
            ?? throw new UserInformationException($"Another recreate is at work on {path}; wait until it has finished.", "DatabaseIsBusy");
    }

    /// <summary>Makes a new file, marked as unfinished. What an abandoned recreate has left is removed.</summary>
    /// <param name="mark">Its mark.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="FileNotFoundException">The folder went away meanwhile.</exception>
    /// <exception cref="UserInformationException">Help id <c>DiskIsFull</c>.</exception>
    internal async Task CreateAsync(RecreateMark mark, CancellationToken token)
    {
        var beside = m_options.DatabasePath + BESIDE;
        RepairDatabaseFile.Remove(beside);
        RepairDatabaseFile.FlushFolder(Path);
        var database = await ResumableRebuild
            .OpenAsync(beside, token, m_options.Schema ?? SchemaState.NewerOf(m_options.DatabasePath))
            .ConfigureAwait(false);
        await using (database.ConfigureAwait(false))
        {
            await mark.StoreAsync(database, token).ConfigureAwait(false);
            await database.RepairInProgressAsync(token, true).ConfigureAwait(false);
        }

        // A log that could not be copied back: the name would go to a file without its mark.
        if (RepairDatabaseFile.HasLog(beside))
        {
            // Its log was made by the name, in what has come in place of the folder.
            var isGone = !File.Exists(beside);
            RepairDatabaseFile.Remove(beside);
            if (isGone)
                throw new FileNotFoundException($"The new database {beside} has gone while it was made.", beside);
            throw new UserInformationException($"There is no space left for the database {Path}. Free some.", "DiskIsFull");
        }

        IsNew = true;
        if (!Replaces)
            Name(beside);
    }

    private void Name(string made)
    {
        if (!IsOwn)
        {
            // It would be gone on with.
            RepairDatabaseFile.Remove(made);
            throw Exists(Path);
        }

        RepairDatabaseFile.Remove(Path);
        RepairDatabaseFile.FlushFolder(Path);
        DurableFiles.Standard.Move(made, Path, overwrite: false);
    }

    /// <summary>Lets other recreates come.</summary>
    public void Dispose() => m_lock.Dispose();

    /// <summary>Gives the file up. What is not of a recreate stays.</summary>
    internal void Remove()
    {
        if (IsOwn)
            RepairDatabaseFile.Remove(Path);
    }

    /// <summary>The file is complete: it becomes a database as any other, and takes its place.</summary>
    /// <param name="isBroken">Whether blocks that versions need are in no volume.</param>
    /// <param name="keep">Whether the one whose place it takes is to be kept in any case.</param>
    /// <param name="progress">Told what is done.</param>
    /// <exception cref="SqliteException">Somebody writes to the file, or to the one it replaces. Going on with the recreate tries
    /// again.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsBusy</c>: somebody uses one of them, or has since. The
    /// same.</exception>
    internal ReplacedDatabase Finish(bool isBroken, bool keep, IEngineProgress progress)
    {
        var old = m_options.DatabasePath;
        var isThere = Replaces && File.Exists(old);
        var isReadable = isThere && (RepairDatabaseFile.EmptyLog(old) || !RepairDatabaseFile.HasLog(old));
        var state = RepairDatabaseFile.State(old);
        var result = isThere ? OwnRows.Carry(isReadable ? old : null, Path, progress) : new ReplacedDatabase();
        if (Replaces || ConnectionPreset.Find(m_options.Preset) == ConnectionPreset.Rebuild)
            Flush();
        if (Replaces)
        {
            var isKept = File.Exists(old) && (keep || result.HasLost || IsWorthKeeping(old, isBroken));
            result = result with { Kept = RepairDatabaseFile.Replace(old, Path, state, isKept) };
        }

        UnfinishedRecreate.End(old, isBroken);
        return result;
    }

    // It is damaged, or knows something that the new one does not.
    private bool IsWorthKeeping(string old, bool isBroken) =>
        DatabaseIntegrity.IsDamaged(old) || KnownDatabase.Read(old) is not { } known || known.Knows(KnownDatabase.Read(Path), isBroken);

    // From here on the file is as safe as any other; its log is empty and goes with the connection.
    private void Flush()
    {
        using (var connection = PlainConnection.Open(Path, SqliteOpenMode.ReadWrite))
            RebuildEnd.RestoreNormalSettings(connection);
        RepairDatabaseFile.RequireNoLog(Path);
    }
}
