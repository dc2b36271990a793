// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Migrations;

namespace Duplicati.Library.Main.Database.Batch;

/// <summary>
/// Makes a recreate one that can be interrupted: whatever a commit leaves is enough to go on from, in this process or another one.
/// Which volumes are expected and done, and what is staged, stands in tables of the database that nobody else knows.
/// </summary>
/// <remarks>
/// Nothing here commits but <see cref="BuildIndexesAsync"/>. A volume is to be marked as done in the transaction of its rows.
/// </remarks>
internal sealed class ResumableRebuild
{
    // One row a remote volume.
    private const string CreateVolumes = """
        CREATE TABLE IF NOT EXISTS "RecreateVolume" ("Name" TEXT PRIMARY KEY NOT NULL, "Size" INTEGER NOT NULL, "IsDone" INTEGER NOT NULL) WITHOUT ROWID
        """;

    // Primary key.
    private const string AddVolume = """INSERT INTO "RecreateVolume" ("Name", "Size", "IsDone") VALUES (?1, ?2, 0)""";

    // Primary key.
    private const string SetDone = """UPDATE "RecreateVolume" SET "IsDone" = 1 WHERE "Name" = ?1""";

    // All rows, a row a remote volume, once when a recreate goes on.
    private const string ListVolumes = """SELECT "Name", "Size", "IsDone" FROM "RecreateVolume" """;

    // Fileset in full, a row a version.
    private const string FilesetOfVolume = """SELECT "ID" FROM "Fileset" WHERE "VolumeID" = ?1""";

    // Three tables in full, once when a recreate goes on. A recreate gives ids without gaps, so that rows that a crash of the system took
    // show.
    internal const string CountGaps = """
        SELECT (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "Block") + (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "Blockset")
            + (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "FileLookup")
        """;

    private readonly LocalRecreateDatabase m_database;

    private ResumableRebuild(LocalRecreateDatabase database) => m_database = database;

    private DatabaseSession Session => m_database.Session;

    /// <summary>The part of a recreate that can be resumed.</summary>
    internal static ResumableRebuild Of(LocalRecreateDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        return new ResumableRebuild(database);
    }

    /// <summary>Opens or makes a database for a recreate. Indexes that an interrupted one has left out are not built.</summary>
    /// <param name="path">The file; its folder is made if it is missing.</param>
    /// <param name="token">Cancels.</param>
    /// <param name="version">The version of the schema of a new database; null for the usual one.</param>
    public static async Task<LocalDatabase> OpenAsync(string path, CancellationToken token, int? version = null)
    {
        path = Path.GetFullPath(path);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        var connection = await SQLiteLoader.LoadConnectionAsync(path).ConfigureAwait(false);
        try
        {
            PlannerStatistics.RefreshAtOpen(connection);
            if (version is { } number)
                SchemaUpgrade.To(connection, path, typeof(DatabaseSchemaMarker), number);
            SchemaUpgrade.Run(connection, path, typeof(DatabaseSchemaMarker), wasTried: true);
            SortMemory.Bound(connection);
            var database = await LocalDatabase.CreateLocalDatabaseAsync(connection, "Recreate", null, token).ConfigureAwait(false);
            database.ShouldCloseConnection = true;
            return database;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Begins, or goes on from what was committed; before anything else is done with the database.</summary>
    /// <param name="sameHash">True if the hash function of blocks is that of files, so that a file of one block is known by its own
    /// hash.</param>
    /// <param name="token">Cancels.</param>
    public Task BeginAsync(bool sameHash, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                session.BeginWriting();
                var journal = new RecreateJournal(session);
                journal.Create();
                m_database.Work.Keep(journal, sameHash, token);
            },
            token
        );

    /// <summary>The volumes that were expected by <see cref="ExpectAsync"/>, by name: their sizes, and whether they are done.</summary>
    public Task<Dictionary<string, (long Size, bool IsDone)>> VolumesAsync(CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                session.Execute(CreateVolumes);
                var result = new Dictionary<string, (long, bool)>(StringComparer.Ordinal);
                using var list = session.Take(ListVolumes);
                while (list.Read())
                    result.Add(list.GetString(0)!, (list.GetInt64(1), list.GetInt64(2) != 0));
                return result;
            },
            token
        );

    /// <summary>Records that a volume is to be read.</summary>
    public Task ExpectAsync(string name, long size, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                using var insert = session.Take(AddVolume);
                insert.Bind(1, name).Bind(2, size).ExecuteNonQuery();
            },
            token
        );

    /// <summary>Records that everything a volume says is in the tables.</summary>
    public Task SetDoneAsync(string name, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                using var update = session.Take(SetDone);
                update.Bind(1, name).ExecuteNonQuery();
            },
            token
        );

    /// <summary>The version that was begun from a file list; -1 if there is none.</summary>
    public Task<long> FilesetOfAsync(long volumeId, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                using var find = session.Take(FilesetOfVolume);
                return find.Bind(1, volumeId).ExecuteInt64();
            },
            token
        );

    /// <summary>
    /// False if rows are missing that must be there, as after a crash of the system. One pass over blocks, blocksets and files.
    /// </summary>
    public Task<bool> IsWholeAsync(CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                return session.ReadNumber(CountGaps) == 0;
            },
            token
        );

    /// <summary>
    /// The volumes that a pass of the recreate is to read. A blocklist that nothing known names counts as missing here, other than in
    /// <see cref="LocalRecreateDatabase.GetMissingBlockListVolumesAsync"/>: the index volume that is not there may be all that named it. So
    /// does, in pass 1, a block of a volume that is not there: a volume of which nothing is known may hold it.
    /// </summary>
    /// <param name="pass">0 to 2.</param>
    /// <param name="blocksize">Bytes of a block.</param>
    /// <param name="digestSize">Bytes of a digest.</param>
    /// <param name="token">Cancels.</param>
    public Task<List<IRemoteVolume>> NeededVolumesAsync(int pass, long blocksize, int digestSize, CancellationToken token) =>
        m_database.Work.PassAsync(pass, blocksize, digestSize, force: false, countUnknown: true, token).ToListAsync(token).AsTask();

    /// <summary>Whether a pass has anything to look for, so that its volumes are to be read.</summary>
    /// <param name="pass">0 to 2.</param>
    /// <param name="blocksize">Bytes of a block.</param>
    /// <param name="digestSize">Bytes of a digest.</param>
    /// <param name="token">Cancels.</param>
    public Task<bool> IsPassNeededAsync(int pass, long blocksize, int digestSize, CancellationToken token) =>
        m_database.Work.IsPassNeededAsync(pass, blocksize, digestSize, token);

    /// <summary>
    /// Takes entries out of their filesets whose content cannot be so: its blocks are there, and have other sizes than the entry says.
    /// Their rows stay until
    /// what is unused is removed. To be called after a resolve.
    /// </summary>
    /// <param name="most">Number of paths that are wanted.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Number of entries taken out, and the paths of the first.</returns>
    public Task<(long Count, IReadOnlyList<string> First)> RefuseImpossibleAsync(int most, CancellationToken token) =>
        m_database.Work.RefuseImpossibleAsync(most, token);

    /// <summary>
    /// Gives blocks that index volumes say to be in volumes that are not there to volumes in state Verified that hold them. Does not
    /// commit.
    /// </summary>
    public Task TakeOverMissingAsync(CancellationToken token) => m_database.Work.TakeOverMissingAsync(token);

    /// <summary>Removes what was staged: all volumes are read and everything is resolved.</summary>
    public Task DropStagedAsync(CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                session.BeginWriting();
                m_database.Work.StopKeeping();
            },
            token
        );

    /// <summary>Builds the indexes that are still missing where an interrupted recreate had done everything else, and commits.</summary>
    public Task BuildIndexesAsync(CancellationToken token) =>
        m_database.Work.BuildIndexesAsync(message => m_database.Transaction.Commit(message), token);

    /// <summary>
    /// The recreate ends early: what is not committed is rolled back, and indexes that are left out are not built when the object is
    /// disposed.
    /// </summary>
    public void Suspend()
    {
        m_database.Work.Suspend();
        lock (Session.ConnectionLock)
            Session.RecoverTransaction();
        m_database.Transaction.RollBackAsync(CancellationToken.None).GetAwaiter().GetResult();
    }
}
