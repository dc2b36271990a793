// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// What callers rely on when they read a stream of the restore, recreate and repair types: when it runs, what it holds, and what it sees.
/// </summary>
[TestFixture]
internal sealed class BStreamTests : SampleTestBase
{
    private const long BlocksetId = 10;

    private LocalRestoreDatabase m_restore = null!;
    private LocalRecreateDatabase m_recreate = null!;
    private LocalRepairDatabase m_repair = null!;
    private LocalRepairDatabase.IMissingBlockList m_list = null!;

    private static IEnumerable<string> Members => s_members.Keys;

    private static readonly Dictionary<string, Func<BStreamTests, IAsyncEnumerable<string>>> s_members = new()
    {
        ["B 1.6 GetExistingFilesWithBlocksAsync"] = x =>
            x.m_restore.GetExistingFilesWithBlocksAsync(default).Select(y => $"{y.TargetPath} {y.TargetHash} {y.Length}"),
        ["B 1.6 GetFilesAndSourceBlocksAsync"] = x =>
            x.m_restore.GetFilesAndSourceBlocksAsync(false, 100, default).Select(y => y.TargetPath),
        ["B 1.6 GetMissingVolumesAsync"] = x => x.m_restore.GetMissingVolumesAsync(default).Select(y => y.Name),
        ["B 1.6 GetFilesToRestoreAsync"] = x => x.m_restore.GetFilesToRestoreAsync(false, default).Select(y => y.Path),
        ["B 1.6 GetTargetFoldersAsync"] = x => x.m_restore.GetTargetFoldersAsync(default),
        ["B 1.8 GetFilesAndSymlinksToRestoreAsync"] = x => x.m_restore.GetFilesAndSymlinksToRestoreAsync(default).Select(y => y.TargetPath),
        ["B 1.8 GetFolderMetadataToRestoreAsync"] = x => x.m_restore.GetFolderMetadataToRestoreAsync(default).Select(y => y.TargetPath),
        ["B 1.8 GetBlocksAndVolumeIDsAsync"] = x => x.m_restore.GetBlocksAndVolumeIDsAsync(false, default).Select(y => $"{y}"),
        ["B 1.8 GetBlocksFromFileAsync"] = x => x.m_restore.GetBlocksFromFileAsync(BlocksetId, default).Select(y => y.BlockHash),
        ["B 1.8 GetMetadataBlocksFromFileAsync"] = x => x.m_restore.GetMetadataBlocksFromFileAsync(1, default).Select(y => y.BlockHash),
        ["B 1.8 GetVolumeInfoAsync"] = x => x.m_restore.GetVolumeInfoAsync(1, default).Select(y => $"{y}"),
        ["B 3.4 GetBlockListsAsync"] = x => x.m_recreate.GetBlockListsAsync(1, default),
        ["B 3.4 GetMissingBlockListVolumesAsync"] = x =>
            x.m_recreate.GetMissingBlockListVolumesAsync(0, 64, 32, false, default).Select(y => y.Name),
        ["B 3.5 GetMissingMetadataBlocksAsync"] = x => x.m_recreate.GetMissingMetadataBlocksAsync(default).Select(y => $"{y}"),
        ["B 5.2 GetIndexFilesReferencingBlockFileAsync"] = x => x.m_repair.GetIndexFilesReferencingBlockFileAsync(1, default),
        ["B 5.2 GetFilesetsWithMissingFilesAsync"] = x => x.m_repair.GetFilesetsWithMissingFilesAsync(default).Select(y => $"{y}"),
        ["B 5.2 GetBlockVolumesFromIndexNameAsync"] = x => x.m_repair.GetBlockVolumesFromIndexNameAsync("i1", default).Select(y => y.Name),
        ["B 5.2 MissingLocalFilesetsAsync"] = x => x.m_repair.MissingLocalFilesetsAsync(default),
        ["B 5.2 MissingRemoteFilesetsAsync"] = x => x.m_repair.MissingRemoteFilesetsAsync(default).Select(y => $"{y}"),
        ["B 5.2 EmptyIndexFilesAsync"] = x => x.m_repair.EmptyIndexFilesAsync(default).Select(y => y.Name),
        ["B 5.4 GetSourceFilesWithBlocksAsync"] = x => x.m_list.GetSourceFilesWithBlocksAsync(100, default).Select(y => $"{y}"),
        ["B 5.4 GetSourceItemsWithMetadataBlocksAsync"] = x => x.m_list.GetSourceItemsWithMetadataBlocksAsync(default).Select(y => $"{y}"),
        ["B 5.4 GetBlocklistHashesAsync"] = x => x.m_list.GetBlocklistHashesAsync(2, default).Select(y => $"{y}"),
        ["B 5.4 GetFilesetsUsingMissingBlocksAsync"] = x => x.m_list.GetFilesetsUsingMissingBlocksAsync(default).Select(y => y.Name),
        ["B 5.4 GetMissingBlockSourcesAsync"] = x => x.m_list.GetMissingBlockSourcesAsync(default).Select(y => y.Name),
    };

    [SetUp]
    public async Task Create()
    {
        Fill(Data);
        m_restore = await RestoreFixture.PrepareBlocksAsync(Data.Close());
        // All three on one connection and in one transaction, as the operations of core nest them.
        m_recreate = await LocalRecreateDatabase.CreateAsync(m_restore, new Options(new Dictionary<string, string?>()), null, default);
        m_repair = await LocalRepairDatabase.CreateAsync(m_restore, null, default);
        m_list = await m_repair.CreateBlockListAsync("b1", default);
        var moved = await m_list.SetBlockRestoredAsync(SampleDatabase.Hash("x"), 50, 2, default);
        Assert.That(moved);
        m_restore.Connection.Execute("UPDATE Block SET VolumeID = 2 WHERE Size = 60");
        await m_restore.CommitAsync(default);
    }

    [TearDown]
    public async Task Remove()
    {
        await m_list.DisposeAsync();
        await m_repair.DisposeAsync();
        await m_recreate.DisposeAsync();
        await m_restore.DisposeAsync();
    }

    [TestCaseSource(nameof(Members))]
    [Contract("B 1.6 streams")]
    [Contract("B 1.8 streams")]
    [Contract("B 5.4 streams")]
    public async Task Nothing_runs_before_the_first_row_is_asked_for(string member)
    {
        var steps = 0;
        m_restore.Session.Statements.Observe(_ => steps++);
        var stream = s_members[member](this);
        Assert.That(steps, Is.Zero);
        m_restore.Session.Statements.Fault = null;
        Assert.That(await stream.ToListAsync(), Is.Not.Empty);
        Assert.That(
            await stream.CountAsync(),
            member.Contains("GetMissingBlockListVolumes", StringComparison.Ordinal)
                ? Is.Positive
                : Is.EqualTo((await stream.ToListAsync()).Count),
            "a stream can be read again"
        );
    }

    [TestCaseSource(nameof(Members))]
    [Contract("B 1.6 streams")]
    public async Task Two_readers_at_once_and_one_that_stops_do_not_disturb_each_other(string member)
    {
        var expected = await s_members[member](this).ToListAsync();
        var seen = new List<string>();
        await using (var first = s_members[member](this).GetAsyncEnumerator())
        {
            while (await first.MoveNextAsync())
            {
                seen.Add(first.Current);
                await foreach (var _ in s_members[member](this))
                    break;
            }
        }

        Assert.That(seen, Is.EqualTo(expected));
        // A drop is refused while any statement of the connection is running.
        m_restore.Connection.Execute("""CREATE TEMP TABLE "Probe" (x); DROP TABLE "Probe" """);
    }

    [TestCaseSource(nameof(Members))]
    [Contract("B 1.6 streams")]
    [Contract("B 5.4 streams")]
    public async Task A_stream_is_the_same_whatever_is_written_and_committed_while_it_is_read(string member)
    {
        var expected = await s_members[member](this).ToListAsync();
        await using var marker = await m_restore.CreateBlockMarkerAsync(default);
        var seen = new List<string>();
        await foreach (var row in s_members[member](this))
        {
            if (seen.Count == 0)
                await DisturbAsync(marker);
            seen.Add(row);
            await m_restore.CommitAsync(default);
        }

        Assert.That(seen, Is.EqualTo(expected));
    }

    [TestCaseSource(nameof(Members))]
    [Contract("B 1.6 streams")]
    public void A_token_given_to_the_reader_stops_it(string member)
    {
        var cancelled = new CancellationToken(true);
        Assert.That(
            async () =>
            {
                await foreach (var _ in s_members[member](this).WithCancellation(cancelled))
                    continue;
            },
            Throws.InstanceOf<OperationCanceledException>()
        );
    }

    private async Task DisturbAsync(LocalRestoreDatabase.IBlockMarker marker)
    {
        await marker.SetAllBlocksRestoredAsync(1, true, default);
        await m_restore.MarkFileDataVerifiedAsync(2, default);
        await m_restore.UpdateTargetPathAsync(2, "/elsewhere", default);
        await m_list.SetBlockRestoredAsync(SampleDatabase.Hash("b"), 100, 2, default);
        await m_list.SetBlockRestoredAsync(SampleDatabase.Hash("list"), 64, 2, default);
        await m_recreate.AddTempBlockListHashAsync(SampleDatabase.Hash("other"), [SampleDatabase.Hash("y")], default);
        await m_recreate.UpdateBlockAsync(SampleDatabase.Hash("new"), 7, 2, default);
        await m_recreate.SetMetadataContentAsync(1, "{}", default);
        await m_recreate.AddIndexBlockLinkAsync(4, 1, default);
    }

    // Two volumes, two files with metadata, a link, folders, a lost file, filesets without list and lists without fileset.
    private static void Fill(SampleDatabase data)
    {
        var (first, second, index) = (data.Volume("b1"), data.Volume("b2"), data.Volume("i1", "Index"));
        _ = (
            data.Volume("i2", "Index", "Uploaded"),
            data.Volume("i3", "Index", "Uploaded"),
            data.Volume("lost.dlist.zip", "Files"),
            data.Volume("lost2.dlist.zip", "Files")
        );
        data.Link(index, first);
        data.Link(index, second);
        data.Link(data.Volume("i4", "Index"), first);
        var (a, b, meta, meta2) = (
            data.Block("a", 100, first),
            data.Block("b", 100, first),
            data.Block("meta", 20, first),
            data.Block("meta2", 20, first)
        );
        _ = (
            data.Block("x", 50, first),
            data.Block("list", 64, first),
            data.Block("list2", 64, first),
            data.Block("elsewhere", 60, first),
            data.Block("elsewhere2", 61, second)
        );
        data.Insert("""INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (?1, 200, 'big')""", BlocksetId);
        data.Insert("""INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, 0, ?2), (?1, 1, ?3)""", BlocksetId, a, b);
        data.Blocklist(BlocksetId, 0, "list");
        data.Blocklist(data.Blockset("unresolved", 500), 0, "list2");
        var metadata = data.Metadata(data.Blockset("meta", 40, meta, meta2));
        var small = data.Blockset("small", 100, b);
        long[] files =
        [
            data.File("/d/big", BlocksetId, metadata),
            data.File("/d/small", small, metadata),
            data.File("/d/link", SampleDatabase.Symlink, metadata),
            data.File("/d/", SampleDatabase.Folder, metadata),
            data.File("/d/e/", SampleDatabase.Folder, metadata),
        ];
        data.Fileset(2000, files);
        foreach (var time in (long[])[500, 1000])
        {
            var old = data.EmptyFileset(time, data.Volume($"old{time}", "Files", "Deleted"));
            data.Insert("""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, 999, 0)""", old);
        }
    }
}
