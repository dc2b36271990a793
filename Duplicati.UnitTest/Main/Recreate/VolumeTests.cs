// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class VolumeTests : RebuildTestBase
{
    protected override IEnumerable<PlanVolume> Volumes =>
        [
            new(100, "v100", "Verified", [], []),
            new(101, "v101", "Uploaded", [], []),
            new(102, "v102", "Temporary", [], []),
            new(103, "v103", "Temporary", [], []),
            new(104, "v104", "Verified", [], []),
        ];

    [Test]
    [Contract("B 3.4 GetMissingBlockListVolumesAsync")]
    [Contract("B 10 Q10")]
    public async Task Pass_1_offers_volumes_of_which_nothing_is_known_and_pass_2_the_rest()
    {
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.AddLinkAsync(Hash(1), Hash(1), 5);
        await Rebuild.UpdateBlockAsync(Hash(3), 5, 100);
        await ResolveAsync();
        Assert.That(await PassAsync(0), Is.Empty);
        Assert.That(await PassAsync(1), Is.EqualTo(new[] { "v101", "v104" }), "without those that are not there");
        Assert.That(await PassAsync(2), Is.EqualTo(new[] { "v100" }));
        Assert.That(await PassAsync(0), Is.Empty);
        Assert.That(await PassAsync(2), Is.EqualTo(new[] { "v100", "v101", "v104" }), "pass 0 forgets what was offered");
    }

    [Test]
    public async Task After_a_refused_name_no_id_is_given_that_a_copy_still_names()
    {
        Db.Connection.Execute("""DELETE FROM "Fileset"; DELETE FROM "IndexBlockLink"; DELETE FROM "Remotevolume" WHERE "ID" > 104""");
        await Rebuild.UpdateBlockAsync(Hash(3), 5, 100);
        Assert.ThrowsAsync<SqliteException>(() =>
            Db.RegisterRemoteVolumeAsync("v100", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default)
        );
        await Rebuild.UpdateBlockAsync(Hash(3), 5, 104);
        await Db.RemoveRemoteVolumeAsync("v104", default);

        Assert.That(
            await Db.RegisterRemoteVolumeAsync("v105", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
            Is.EqualTo(105)
        );
    }

    [Test]
    [Contract("B 10 Q11")]
    public async Task A_blocklist_whose_block_nobody_has_is_not_counted_as_missing()
    {
        await Db.AddBlocksetAsync(Hash(1), 128, [Hash(2)], 1, default);
        await ResolveAsync();
        Assert.That(await PassAsync(1), Is.Empty);
    }

    [Test]
    public async Task The_blocklists_of_a_volume_are_known_after_a_resolve_that_failed()
    {
        await Db.AddBlocksetAsync(Hash(1), 256, [Hash(2)], 1, default);
        await Rebuild.UpdateBlockAsync(Hash(2), 64, 100);
        await Rebuild.AddLinkAsync(Hash(1), Hash(7), 5);
        await Db.CommitAsync(CancellationToken.None);
        Db.Session.Statements.Fault = sql => sql.Contains("LEFT JOIN \"BlocklistHash\"", StringComparison.Ordinal) ? 10 : 0;
        Assert.That(ResolveAsync, Throws.TypeOf<SqliteException>());
        Db.Session.Statements.Fault = null;
        Assert.That(await Rebuild.ListsInAsync(100), Is.EqualTo(new[] { Hash(2) }));
    }

    [Test]
    public async Task Blocks_of_a_missing_volume_do_not_go_to_one_that_another_has_removed_meanwhile()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 102);
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 100);
        await Db.CommitAsync(CancellationToken.None);
        using var other = Databases.Open(DatabasePath);
        OtherCommit.BeforeTheFirstWrite(Db, () => other.Execute("""UPDATE "Remotevolume" SET "State" = 'Deleted' WHERE "ID" = 100"""));

        await Rebuild.CleanupMissingVolumesAsync();

        Assert.That(Db.Connection.Scalar("""SELECT "VolumeID" FROM "Block" """), Is.EqualTo("102"));
    }

    [Test]
    [Contract("B 3.4 CleanupMissingVolumesAsync")]
    [Contract("B 11.3 row 2")]
    public async Task Blocks_of_a_missing_volume_go_to_the_lowest_verified_volume_with_a_copy()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 102);
        foreach (var volume in (long[])[104, 100, 101])
            await Rebuild.UpdateBlockAsync(Hash(1), 5, volume);
        await Rebuild.UpdateBlockAsync(Hash(2), 5, 102);
        await Rebuild.UpdateBlockAsync(Hash(2), 5, 101);
        using var log = new LogCapture();
        await Rebuild.CleanupMissingVolumesAsync();

        Assert.That(await CommitAndCountAsync($"SELECT VolumeID FROM Block WHERE Hash = '{Hash(1)}'"), Is.EqualTo(100));
        Assert.That(
            Committed($"SELECT VolumeID FROM Block WHERE Hash = '{Hash(2)}'"),
            Is.EqualTo(102),
            "an uploaded volume is not verified"
        );
        Assert.That(Committed("SELECT COUNT(*) FROM DuplicateBlock WHERE VolumeID = 102"), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM Remotevolume WHERE Name IN ('v102', 'v103')"), Is.EqualTo(1), "v103 has no block");
        Assert.That(Committed("SELECT COUNT(*) FROM IndexBlockLink WHERE BlockVolumeID = 103"), Is.Zero);
        Assert.That(log.Of(LogMessageType.Warning, "MissingVolumesDetected"), Has.Count.EqualTo(1));
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 5, 100), Is.EqualTo((false, false)), "the new owner is known");
        Assert.That(await Rebuild.ListsInAsync(102), Is.Empty);
    }

    [Test]
    [Contract("B 3.5 GetMissingMetadataBlocksAsync")]
    [Contract("B 3.5 SetMetadataContentAsync")]
    public async Task Metadata_without_text_is_listed_block_by_block_and_gets_a_text_once()
    {
        var id = await Db.AddMetadatasetAsync(Hash(1), 100, [ListHash(1, 0)], 1, default);
        await Db.AddMetadatasetAsync(Hash(2), 0, [], 0, default);
        await Rebuild.AddListAsync(ListHash(1, 0), [Hash(10), Hash(11)]);
        foreach (var (hash, size, volume) in new[] { (ListHash(1, 0), 64, 101), (Hash(10), 64, 104), (Hash(11), 36, 100) })
            await Rebuild.UpdateBlockAsync(hash, size, volume);
        await ResolveAsync();

        var blocks = await Db.GetMissingMetadataBlocksAsync(CancellationToken.None).ToListAsync();
        Assert.That(
            blocks.Select(x =>
                (x.MetadataId, x.MetaLength, x.BlockIndex, x.BlockHash, x.BlockSize, x.VolumeName, x.VolumeHash, x.VolumeSize)
            ),
            Is.EqualTo(
                new[] { (id, 100L, 1L, Hash(11), 36L, "v100", (string?)null, 1000L), (id, 100L, 0L, Hash(10), 64L, "v104", null, 1000L) }
            )
        );

        await Db.SetMetadataContentAsync(id, "text", default);
        await Db.SetMetadataContentAsync(id, "other", default);
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM Metadataset WHERE Content = 'text'"), Is.EqualTo(1));
        Assert.That(await Db.GetMissingMetadataBlocksAsync(CancellationToken.None).ToListAsync(), Is.Empty);
    }

    private Task<List<string>> PassAsync(int pass) => Rebuild.PassAsync(pass, BlockBytes, HashBytes, false);
}
