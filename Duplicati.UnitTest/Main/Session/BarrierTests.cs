// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// Where rows that members have accepted must be in the tables: what reads them, what commits, what makes a child, what ends.
/// </summary>
[TestFixture]
internal sealed class BarrierTests
{
    private static readonly DateTime s_time = new(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);

    private BackupFixture m_backup = null!;
    private long m_fileset;

    [SetUp]
    public async Task SetUp()
    {
        m_backup = await BackupFixture.CreateAsync();
        var file = await m_backup.AddFileAsync("/a", 1);
        m_fileset = await m_backup.Database.CreateFilesetAsync(
            await m_backup.AddVolumeAsync("list", RemoteVolumeType.Files),
            s_time,
            default
        );
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(77), 10, m_backup.VolumeId, default);
        await m_backup.Database.AddKnownFileAsync(file, s_time, default);
        var session = m_backup.Database.Session;
        Assert.That((BlockWriter.Of(session).HasPending, FilesetEntryWriter.Of(session).HasPending(m_fileset)), Is.EqualTo((true, true)));
    }

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    private static IEnumerable<TestCaseData> Barriers()
    {
        yield return Barrier("handing out the connection", db => Task.FromResult(db.Connection));
        yield return Barrier("handing out the transaction", db => Task.FromResult(db.Transaction.Transaction));
        yield return Barrier("commit", db => db.CommitAsync(default));
        yield return Barrier("commit of the transaction", db => db.Transaction.CommitAsync());
        yield return Barrier("removal of a volume", db => db.RemoveRemoteVolumeAsync("none", default));
        yield return Barrier("consistency", db => db.VerifyConsistencyAsync(1024, 32, true, default));
        yield return Barrier(
            "blocks of a volume",
            async db => Assert.That(await db.GetBlocksAsync(1, default).AnyAsync(x => x.Hash == BlockFixture.Hash(77)), Is.True)
        );
        yield return Barrier("clearing a fileset", db => db.ClearFilesetEntriesAsync(999, default));
        yield return Barrier("making the next fileset", db => db.CreateFilesetAsync(1, s_time.AddDays(1), default), isOfBlocks: false);
        yield return Barrier("taking over the files of the fileset before", db => db.AppendFilesFromPreviousSetAsync(["/b"], default));
        yield return Barrier("change statistics", db => db.UpdateChangeStatisticsAsync(new BackupResults(), default));
        yield return Barrier(
            "question of a child about a block",
            async db =>
            {
                await using var child = await LocalDeleteDatabase.CreateAsync(db, null, default);
                using var query = await child.CreateBlockQueryHelperAsync(default);
                Assert.That(await query.UseBlockAsync(BlockFixture.Hash(77), 10, 1, default), Is.True);
            }
        );
        yield return Barrier(
            "compact report of a child",
            async db =>
            {
                await using var child = await LocalDeleteDatabase.CreateAsync(db, null, default);
                await child.GetCompactReportAsync(1000, 10, 10, 10, default);
            }
        );
        yield return Barrier(
            "copy registered by a child",
            async db =>
            {
                await using var child = await LocalDeleteDatabase.CreateAsync(db, null, default);
                await child.RegisterDuplicatedBlockAsync(BlockFixture.Hash(77), 10, 2, default);
            }
        );
        yield return Barrier(
            "broken files of a child",
            async db =>
            {
                await using var child = await LocalListBrokenFilesDatabase.CreateAsync(db, null, default);
                await child.GetBrokenFilesetsAsync(DateTime.UnixEpoch, null, default).CountAsync();
            }
        );
    }

    [TestCaseSource(nameof(Barriers))]
    [Contract("B 9.8 rule 1")]
    public async Task Everything_is_in_the_tables_after(Func<LocalBackupDatabase, Task> barrier, bool isOfBlocks)
    {
        await barrier(m_backup.Database);
        var session = m_backup.Database.Session;
        lock (session.Gate)
        {
            using var blocks = session.TakeDirect($"""SELECT COUNT(*) FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(77)}'""");
            using var entries = session.TakeDirect($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {m_fileset}""");
            Assert.That((isOfBlocks ? blocks.ExecuteInt64() : 1, entries.ExecuteInt64()), Is.EqualTo((1L, 1L)));
        }
    }

    [Test]
    [Contract("B 9.8 rule 1")]
    public void What_has_not_been_committed_is_in_no_other_connection() =>
        Assert.That(
            m_backup.Committed("""SELECT (SELECT COUNT(*) FROM "Block") + (SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" > 1)"""),
            Is.EqualTo(m_backup.Committed("SELECT 2"))
        );

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task A_disposal_rolls_everything_back_that_was_not_committed()
    {
        var before = m_backup.Committed("""SELECT COUNT(*) FROM "Block" """);
        await m_backup.ReopenAsync();
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(before));
    }

    [Test]
    public async Task A_cancelled_call_writes_what_was_accepted_before_it_ends()
    {
        var session = m_backup.Database.Session;
        using var cancel = new CancellationTokenSource();
        session.Statements.Fault = sql =>
        {
            if (sql.StartsWith("INSERT", StringComparison.Ordinal))
                cancel.Cancel();
            return 0;
        };

        Assert.That(
            async () => await m_backup.Database.RemoveRemoteVolumesAsync(["list"], cancel.Token),
            Throws.InstanceOf<OperationCanceledException>()
        );

        session.Statements.Fault = null;
        Assert.That((BlockWriter.Of(session).HasPending, FilesetEntryWriter.Of(session).HasPending(m_fileset)), Is.EqualTo((false, false)));
        await m_backup.Database.CommitAsync(default);
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(77)}'"""), Is.EqualTo(1));
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {m_fileset}"""), Is.EqualTo(1));
    }

    private static TestCaseData Barrier(string name, Func<LocalBackupDatabase, Task> barrier, bool isOfBlocks = true) =>
        new TestCaseData(barrier, isOfBlocks).SetArgDisplayNames(name);
}
