// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>The indexes of tables Block and BlocksetEntry that are left out during a large first backup.</summary>
[TestFixture]
public class BlockIndexesTests : FolderTestBase
{
    private const int Indexes = 5;
    private const string CountIndexes = """
        SELECT COUNT(*) FROM "sqlite_master" WHERE "type" = 'index'
          AND "name" IN ('BlockHashSize', 'BlockHashVolumeID', 'BlocksetEntry_IndexIdsBackwards', 'nnc_BlocksetEntry', 'BlocksetEntry_BlocksetID')
        """;
    private const string CountMarkers = """SELECT COUNT(*) FROM "sqlite_master" WHERE "name" = 'DeferredIndex'""";

    private const string Version = """SELECT MAX("Version") FROM "Version" """;

    private LocalBackupDatabase m_database = null!;

    private string Path => Folder.File("backup.sqlite");

    [SetUp]
    public async Task SetUp() => m_database = await OpenAsync();

    [TearDown]
    public async Task TearDown() => await m_database.DisposeAsync();

    [Test]
    public async Task They_are_left_out_of_a_large_first_backup_and_there_when_it_ends()
    {
        await m_database.CreateFilesetAsync(1, DateTime.UnixEpoch.AddDays(1), default);
        await AddAsync(0, BlockIndexes.FewestBlocks + 1000);
        await m_database.CommitAsync(default);
        Assert.That((Look(CountIndexes), Look(Version)), Is.EqualTo((0, 1019)));

        await m_database.UpdateChangeStatisticsAsync(new BackupResults(), default);
        await m_database.CommitAsync(default);
        await m_database.DisposeAsync();
        Assert.That((Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((Indexes, 0, 19)));
        Assert.That(
            Look("""SELECT COUNT(*) FROM "Block" INDEXED BY "BlockHashSize" WHERE "Hash" > '' """),
            Is.EqualTo(BlockIndexes.FewestBlocks + 1000)
        );
    }

    [Test]
    public async Task The_end_of_an_aborted_backup_leaves_them_to_the_next_opening([Values] bool isCommitted)
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 1000);
        await m_database.CommitAsync(default);
        if (!isCommitted)
            await AddAsync(BlockIndexes.FewestBlocks + 1000, 10);
        await m_database.DisposeAsync();
        Assert.That((Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((0, 1, 1019)));

        m_database = await OpenAsync();
        Assert.That((Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((Indexes, 0, 19)));
        Assert.That(await m_database.AddBlockAsync(BlockFixture.Hash(5), 1024, 1, default), Is.False);
    }

    [Test]
    public async Task Completing_them_can_be_cancelled()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 1000);
        await m_database.CommitAsync(default);
        Assert.That(
            async () => await m_database.UpdateChangeStatisticsAsync(new BackupResults(), new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        await m_database.DisposeAsync();
        Assert.That(
            async () => await LocalDatabase.CreateLocalDatabaseAsync(Path, "List", true, null, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That((Look(CountIndexes), Look(Version)), Is.EqualTo((0, 1019)));
    }

    [Test]
    public async Task A_small_backup_keeps_them()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks - 1);
        await m_database.CommitAsync(default);
        Assert.That(Look(CountIndexes), Is.EqualTo(Indexes));
    }

    [Test]
    public async Task A_backup_that_is_not_the_first_keeps_them()
    {
        await AddAsync(0, 1);
        await m_database.CommitAsync(default);
        await m_database.DisposeAsync();
        m_database = await OpenAsync();
        await AddAsync(1, BlockIndexes.FewestBlocks);
        await m_database.CommitAsync(default);
        Assert.That(Look(CountIndexes), Is.EqualTo(Indexes));
    }

    [Test]
    public async Task All_members_answer_as_before_while_they_are_missing()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.CommitAsync(default);
        Assert.That(await m_database.AddBlockAsync(BlockFixture.Hash(5), 1024, 1, default), Is.False);
        Assert.That(await m_database.FindBlockIDAsync(BlockFixture.Hash(6), 1024, default), Is.EqualTo(7));
        await m_database.MoveBlockToVolumeAsync(BlockFixture.Hash(6), 1024, 1, 2, default);
        await m_database.AddBlocksetAsync("x", 2048, 1024, [BlockFixture.Hash(6), BlockFixture.Hash(5)], ["list"], default);
        await m_database.VerifyConsistencyAsync(1024, 32, false, default);
        Assert.That(Look(CountIndexes), Is.Zero);
        Assert.That(Look("""SELECT "VolumeID" FROM "Block" WHERE "ID" = 7"""), Is.EqualTo(2));
    }

    [Test]
    public async Task Whoever_else_uses_the_tables_finds_them([Values("connection", "child", "invalid")] string who)
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.CommitAsync(default);
        switch (who)
        {
            case "connection":
                _ = m_database.Connection;
                break;
            case "child":
                await LocalDatabase.CreateLocalDatabaseAsync(m_database, null, default);
                break;
            default:
                m_database.Session.Do(session => BlockMap.Of(session).Invalidate(), default);
                Assert.That(await m_database.FindBlockIDAsync(BlockFixture.Hash(6), 1024, default), Is.EqualTo(7));
                break;
        }

        await m_database.CommitAsync(default);
        Assert.That((Look(CountIndexes), Look(CountMarkers)), Is.EqualTo((Indexes, 0)));
        Assert.That(await m_database.FindBlockIDAsync(BlockFixture.Hash(6), 1024, default), Is.EqualTo(7));
    }

    [Test]
    public async Task Removing_a_volume_with_blocks_finds_them()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.AddBlocksetAsync("x", 2048, 1024, [BlockFixture.Hash(6), BlockFixture.Hash(5)], [], default);
        await m_database.RegisterRemoteVolumeAsync("of the blocks", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
        await m_database.RegisterRemoteVolumeAsync("one", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
        await m_database.RemoveRemoteVolumeAsync("one", default);
        await m_database.CommitAsync(default);
        Assert.That(Look(CountIndexes), Is.Zero, "a volume without blocks needs none");

        var volume = await m_database.RegisterRemoteVolumeAsync("two", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
        await m_database.MoveBlockToVolumeAsync(BlockFixture.Hash(6), 1024, 1, volume, default);
        await m_database.RemoveRemoteVolumeAsync("two", default);
        await m_database.CommitAsync(default);
        Assert.That(Look(CountIndexes), Is.EqualTo(Indexes));
        Assert.That(Look("""SELECT COUNT(*) FROM "BlocksetEntry" """), Is.Zero, "the blockset has lost a block");
    }

    [Test]
    public async Task A_rollback_brings_them_back()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(Look(CountIndexes), Is.EqualTo(Indexes));
        Assert.That(await m_database.AddBlockAsync(BlockFixture.Hash(5), 1024, 1, default), Is.True);
        await m_database.CommitAsync(default);
        Assert.That(Look("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(1));
    }

    [Test]
    public async Task Another_object_on_the_file_leaves_them_to_the_backup_that_runs()
    {
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.CommitAsync(default);
        await using (await LocalDatabase.CreateLocalDatabaseAsync(Path, "list-remote", true, null, default))
            Assert.That(Look(CountIndexes), Is.Zero);
        await AddAsync(BlockIndexes.FewestBlocks, 1000);
        _ = m_database.Connection;
        await m_database.CommitAsync(default);
        Assert.That((Look(CountIndexes), Look(CountMarkers)), Is.EqualTo((Indexes, 0)));
    }

    [Test]
    public async Task Each_of_a_large_table_is_committed_before_the_next_one_is_built()
    {
        var seen = await FillAsync();
        await m_database.UpdateChangeStatisticsAsync(new BackupResults(), default);
        Assert.That(seen, Is.EqualTo(Enumerable.Range(0, Indexes)), "what others see");

        await m_database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(
            (Look(CountIndexes), Look(CountMarkers), Look(Version)),
            Is.EqualTo((Indexes - 1, 1, 1019)),
            "the last one goes with the caller's transaction"
        );
        await m_database.UpdateChangeStatisticsAsync(new BackupResults(), default);
        await m_database.CommitAsync(default);
        Assert.That((Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((Indexes, 0, 19)));
        Assert.That(seen, Is.EqualTo(Enumerable.Range(0, Indexes).Append(Indexes - 1)));
        Assert.That(
            Look("""SELECT COUNT(*) FROM "Block" INDEXED BY "BlockHashSize" WHERE "Hash" > '' """),
            Is.EqualTo(BlockIndexes.FewestBlocks + 10)
        );
    }

    [Test]
    public async Task Nothing_of_the_callers_is_committed_with_them([Values("statement", "block")] string what)
    {
        var seen = await FillAsync();
        if (what == "block")
            await AddAsync(BlockIndexes.FewestBlocks + 10, 1);
        else
            await m_database.RegisterRemoteVolumeAsync("of the caller", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        await m_database.UpdateChangeStatisticsAsync(new BackupResults(), default);
        Assert.That(seen, Is.EqualTo(Enumerable.Repeat(0, Indexes)));
        await m_database.Transaction.RollBackAsync(default(CancellationToken));
        await m_database.CommitAsync(default);
        Assert.That(
            (Look(CountIndexes), Look("""SELECT COUNT(*) FROM "Block" """), Look("""SELECT COUNT(*) FROM "Remotevolume" """)),
            Is.EqualTo((0, BlockIndexes.FewestBlocks + 10, 0))
        );
    }

    [Test]
    public async Task Cancelled_or_failed_between_two_the_ones_before_stay([Values] bool isCancelled)
    {
        using var stop = new CancellationTokenSource();
        var seen = await FillAsync(number =>
        {
            if (isCancelled && number == 2)
                stop.Cancel();
            return !isCancelled && number == 3 ? raw.SQLITE_FULL : raw.SQLITE_OK;
        });
        Assert.That(
            async () => await m_database.UpdateChangeStatisticsAsync(new BackupResults(), stop.Token),
            isCancelled ? Throws.InstanceOf<OperationCanceledException>() : Refused.Engine(raw.SQLITE_FULL)
        );
        Assert.That(
            (seen.Count, Look(CountIndexes) >= (isCancelled ? 1 : 2), Look(Version)),
            Is.EqualTo((isCancelled ? 2 : 3, true, 1019))
        );
        await m_database.DisposeAsync();
        m_database = await OpenAsync();
        Assert.That((Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((Indexes, 0, 19)));
    }

    [Test]
    public async Task What_another_process_has_built_meanwhile_is_not_built_again()
    {
        var seen = await FillAsync();
        Databases.ForgetOwner(Path);
        await (await LocalDatabase.CreateLocalDatabaseAsync(Path, "list-remote", true, null, default)).DisposeAsync();
        Assert.That((Look(CountIndexes), Look(Version)), Is.EqualTo((Indexes, 19)));

        await m_database.UpdateChangeStatisticsAsync(new BackupResults(), default);
        await m_database.CommitAsync(default);
        Assert.That((seen.Count, Look(CountIndexes), Look(CountMarkers), Look(Version)), Is.EqualTo((0, Indexes, 0, 19)));
    }

    // A first backup that takes its tables for large ones. Gives how many indexes another connection sees whenever one is about to be
    // built.
    private async Task<List<int>> FillAsync(Func<int, int>? fault = null)
    {
        await m_database.CreateFilesetAsync(1, DateTime.UnixEpoch.AddDays(1), default);
        await AddAsync(0, BlockIndexes.FewestBlocks + 10);
        await m_database.CommitAsync(default);
        DeferredIndexes.Of(m_database.Session).MostRowsAtOnce = 0;
        var seen = new List<int>();
        m_database.Session.Statements.Fault = sql =>
        {
            if (!StatementSteps.BuildsIndex(sql))
                return raw.SQLITE_OK;
            seen.Add(Look(CountIndexes));
            return fault?.Invoke(seen.Count) ?? raw.SQLITE_OK;
        };
        return seen;
    }

    private Task<LocalBackupDatabase> OpenAsync() => LocalBackupDatabase.CreateAsync(Path, new Options([]), default);

    private async Task AddAsync(int first, int count)
    {
        for (var i = first; i < first + count; i++)
            await m_database.AddBlockAsync(BlockFixture.Hash(i), 1024, 1, default);
    }

    private int Look(string sql) => int.Parse(Databases.Query(Path, sql)!);
}
