// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Plain;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>
/// A random backup with everything in between that can happen to what a session holds in memory: statements on a connection that was
/// kept, savepoints, other connections and sessions, child objects, deletions, a full disk, new objects on the same or a copied file.
/// </summary>
internal sealed class InterleavedPlan(int seed, long mapBytes) : IAsyncDisposable
{
    private const int Volumes = 12;

    private readonly BackupPlan m_plan = new(seed);
    private SqliteConnection m_kept = null!;
    private int m_lists;

    /// <summary>The structures that have answered, for the report.</summary>
    internal HashSet<string> Tiers { get; } = [];

    private Random Random => m_plan.Random;

    private LocalBackupDatabase Real => m_plan.Real.Database;

    private PlainLayer Plain => m_plan.Plain;

    internal async Task BeginAsync()
    {
        await m_plan.BeginAsync();
        Opened();
        for (var i = 0; i < Volumes; i++)
            Both(
                $"""INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime") VALUES (1, 'extra {i}', 'Blocks', 'Uploaded', 0, 0, 0, 0)"""
            );
        await CommitAsync();
    }

    internal async Task StepAsync()
    {
        var choice = Random.Next(100);
        await (
            choice switch
            {
                < 70 => m_plan.StepAsync(),
                < 78 => AddBlocksAsync(),
                < 82 => StatementAsync(),
                < 85 => SavepointAsync(),
                < 88 => OtherConnectionAsync(),
                < 90 => OtherSessionAsync(),
                < 93 => ChildAsync(),
                < 94 => RemoveVolumeAsync(),
                < 95 => DropFilesetAsync(),
                < 96 => FullDiskAsync(),
                < 97 => ReopenAsync(),
                < 98 => ReplaceFileAsync(),
                _ => CompareAsync(),
            }
        );
        Tiers.Add(BlockMap.Of(Real.Session).Tier);
    }

    internal async Task CompareAsync()
    {
        for (var i = 0; i < 200; i++)
            Assert.That(
                await Real.FindBlockIDAsync(BackupPlan.Hash(i), 1024, default),
                Is.EqualTo(Plain.FindBlock(BackupPlan.Hash(i), 1024)),
                $"block {i}"
            );
        m_plan.CompareTables();
    }

    public ValueTask DisposeAsync() => m_plan.DisposeAsync();

    private void Opened()
    {
        m_kept = Real.Connection;
        lock (Real.Session.ConnectionLock)
        {
            BlockOptions.Of(Real.Session).MapBytes = mapBytes;
        }
    }

    private async Task AddBlocksAsync()
    {
        var volume = 5 + Random.Next(Volumes);
        for (var i = Random.Next(40); i > 0; i--)
            await m_plan.AddBlockAsync(Random.Next(200), volume);
    }

    // The kept connection is used as it is: nobody is asked for it again.
    private Task StatementAsync()
    {
        Both(
            Random.Next(14) switch
            {
                0 => """DELETE FROM "Block" """,
                1 or 2 => $"""DELETE FROM "Block" WHERE "ID" % 7 = {Random.Next(7)}""",
                3 or 4 =>
                    $"""INSERT OR IGNORE INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BackupPlan.Hash(Random.Next(200))}', 1024, {Random.Next(8)})""",
                5 =>
                    $"""REPLACE INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BackupPlan.Hash(Random.Next(200))}', 1024, {Random.Next(8)})""",
                6 => $"""UPDATE "Block" SET "Size" = 1029 - "Size" WHERE "ID" = {Random.Next(200)}""",
                7 => $"""UPDATE OR REPLACE "Block" SET "ID" = "ID" + 3 WHERE "ID" = {Random.Next(200)}""",
                8 => $"""DELETE FROM "DeletedBlock" WHERE unicode("Hash") % 5 = {Random.Next(5)}""",
                9 => """DELETE FROM "PathPrefix" WHERE "ID" NOT IN (SELECT "PrefixID" FROM "FileLookup")""",
                10 => $"""DELETE FROM "FilesetEntry" WHERE "FileID" % 3 = {Random.Next(3)}""",
                11 =>
                    """INSERT OR IGNORE INTO "FilesetEntry" SELECT (SELECT MAX("ID") FROM "Fileset"), "ID", 5 FROM "FileLookup" WHERE "ID" % 4 = 1""",
                12 => """DELETE FROM "DuplicateBlock" """,
                _ => """ALTER TABLE "Block" RENAME TO "Other"; ALTER TABLE "Other" RENAME TO "Block" """,
            }
        );
        return Task.CompletedTask;
    }

    // Only members that do not commit, which would end the savepoint.
    private async Task SavepointAsync()
    {
        Both("SAVEPOINT here");
        for (var i = Random.Next(10); i > 0; i--)
            await (Random.Next(4) == 0 ? m_plan.FindBlockAsync() : m_plan.AddBlockAsync(Random.Next(200)));
        if (Random.Next(2) == 0)
            await m_plan.AddKnownFileAsync();
        if (Random.Next(3) == 0)
            await StatementAsync();
        Both(Random.Next(2) == 0 ? "RELEASE here" : "ROLLBACK TO here; RELEASE here");
    }

    private async Task OtherConnectionAsync()
    {
        await CommitAsync();
        var sql = Random.Next(3) switch
        {
            0 => $"""DELETE FROM "Block" WHERE "ID" % 5 = {Random.Next(5)}""",
            1 => """DELETE FROM "Block" """,
            _ => $"""INSERT OR IGNORE INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BackupPlan.Hash(Random.Next(200))}', 1024, 1)""",
        };
        Databases.Execute(m_plan.Real.Path, sql);
        Plain.Run(sql);
        Plain.Commit();
    }

    private async Task OtherSessionAsync()
    {
        await CommitAsync();
        await using var other = await LocalBackupDatabase.CreateAsync(m_plan.Real.Path, new Options([]), default);
        Plain.Reopen();
        for (var i = Random.Next(60); i > 0; i--)
        {
            var hash = BackupPlan.Hash(Random.Next(200));
            Assert.That(await other.AddBlockAsync(hash, 1024, 1, default), Is.EqualTo(Plain.AddBlock(hash, 1024, 1)));
        }

        if (Random.Next(3) == 0)
        {
            Plain.RollBack();
            await other.Transaction.RollBackAsync(default(CancellationToken));
        }
        else
        {
            await other.CommitAsync(default);
            Plain.Commit();
        }

        // The first object has learnt of the deleted blocks at some other time; it is made anew as well.
        await ReopenAsync();
    }

    private async Task ChildAsync()
    {
        await using var child = await LocalDeleteDatabase.CreateAsync(Real, null, default);
        using var query = await child.CreateBlockQueryHelperAsync(default);
        for (var i = Random.Next(20); i > 0; i--)
        {
            var number = Random.Next(200);
            var volume = Random.Next(8);
            var hash = BackupPlan.Hash(number);
            var isLive =
                Plain.Number("""SELECT "ID" FROM "Block" WHERE "Hash" = @0 AND "Size" = 1024 AND "VolumeID" = @1""", hash, volume) >= 0;
            Assert.That(await query.UseBlockAsync(hash, 1024, volume, default), Is.EqualTo(isLive));
            await m_plan.AddBlockAsync(Random.Next(200));
            if (Random.Next(3) > 0)
                continue;

            await child.RegisterDuplicatedBlockAsync(hash, 1024, volume, default);
            Plain.Run(
                """INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") SELECT "ID", @1 FROM "Block" WHERE "Hash" = @0 AND "Size" = 1024""",
                hash,
                volume
            );
        }
    }

    private async Task RemoveVolumeAsync()
    {
        var name = $"extra {Random.Next(Volumes)}";
        await Real.RemoveRemoteVolumeAsync(name, default);
        PlainLayer.RemoveVolumes(Plain.Connection, [name]);
        await m_plan.AddFilesetAsync();
    }

    private async Task DropFilesetAsync()
    {
        var time = Plain.Number(
            """SELECT "Timestamp" FROM "Fileset" WHERE "ID" < (SELECT MAX("ID") FROM "Fileset") ORDER BY "ID" LIMIT 1 OFFSET @0""",
            Random.Next(3)
        );
        if (time < 0)
            return;

        // A block cannot be deleted twice from one volume, as a statement may have made it look.
        Both(
            """DELETE FROM "DeletedBlock" WHERE EXISTS (SELECT 1 FROM "Block" AS B WHERE B."Hash" = "DeletedBlock"."Hash" AND B."Size" = "DeletedBlock"."Size" AND B."VolumeID" = "DeletedBlock"."VolumeID")"""
        );
        // One list volume, so that one is marked.
        Both("""UPDATE "Remotevolume" SET "Type" = 'Blocks' WHERE "Type" = 'Files'""");
        Both(
            $"""INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime") VALUES (1, 'dropped {++m_lists}', 'Files', 'Uploaded', 0, 0, 0, 0)"""
        );
        await using var child = await LocalDeleteDatabase.CreateAsync(Real, null, default);
        Assert.That(await child.DropFilesetsFromTableAsync([DateTime.UnixEpoch.AddSeconds(time)], default).CountAsync(), Is.EqualTo(1));
        PlainLayer.DeleteFilesets(Plain.Connection, time);
        await ReopenAfterCommitAsync();
    }

    private async Task FullDiskAsync()
    {
        await CommitAsync();
        Real.Session.LimitPages(isFull: true, Random.Next(3));
        var failed = false;
        try
        {
            for (var i = Random.Next(200); i > 0; i--)
                await m_plan.AddBlockAsync(Random.Next(2) == 0 ? 7 + (40 * Random.Next(1_000_000)) : 1000 + Random.Next(1_000_000));
            await Real.CommitAsync(default);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == 13)
        {
            failed = true;
        }

        Real.Session.LimitPages(isFull: false);
        if (failed)
            Plain.RollBack();
        else
            Plain.Commit();
        Assert.That(Real.Session.Statements.IsAutoCommit, Is.False);
        await m_plan.AddFilesetAsync();
    }

    private async Task ReopenAfterCommitAsync()
    {
        await CommitAsync();
        await ReopenAsync();
    }

    // What was not committed is rolled back by the disposal.
    private async Task ReopenAsync()
    {
        await m_plan.Real.ReopenAsync();
        Plain.RollBack();
        Plain.Reopen();
        Opened();
        await m_plan.AddFilesetAsync();
    }

    private async Task ReplaceFileAsync()
    {
        await CommitAsync();
        var copy = m_plan.Real.Path + ".copy";
        Databases.Execute(m_plan.Real.Path, $"VACUUM INTO '{copy}'");
        await m_plan.Real.ReopenAsync(replacement: copy);
        Plain.Reopen();
        Opened();
        await m_plan.AddFilesetAsync();
    }

    private async Task CommitAsync()
    {
        await Real.CommitAsync(default);
        Plain.Commit();
    }

    private void Both(string sql)
    {
        Assert.That(m_kept, Is.SameAs(Real.Session.Connection));
        m_kept.Execute(sql);
        Plain.Connection.Execute(sql);
    }
}
