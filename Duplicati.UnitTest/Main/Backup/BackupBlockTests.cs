// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
[NonParallelizable]
public class BackupBlockTests : BackupTestBase
{
    private const string CacheVariable = "DUPLICATI_DELETEDBLOCKCACHESIZE";

    [Test]
    public async Task Adding_a_block_does_not_commit()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        await Backup.ReopenAsync();
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_rolled_back_block_is_new_again()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default);
        await Db.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default), Is.True);
    }

    [TestCase("0")]
    [TestCase("1")]
    [TestCase("1000")]
    [TestCase("no number")]
    [TestCase(null)]
    [Contract("A 1.9 DUPLICATI_DELETEDBLOCKCACHESIZE")]
    [Contract("A 12 row 13")]
    [Contract("A 7.2 AddBlockAsync")]
    public async Task Deleted_blocks_become_live_again_in_their_volume(string? cacheSize)
    {
        using var variable = new EnvironmentVariable(CacheVariable, cacheSize);
        AddDeleted(1, Backup.VolumeId);
        AddDeleted(2, Backup.VolumeId);
        await Db.CommitAsync(default);
        await Backup.ReopenAsync();

        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 11, 99, default), Is.True);
        Assert.That(
            Backup.Number($"""SELECT "VolumeID" FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(1)}' AND "Size" = 10"""),
            Is.EqualTo(Backup.VolumeId)
        );
        Assert.That(Backup.Number($"""SELECT COUNT(*) FROM "DeletedBlock" WHERE "Hash" = '{BlockFixture.Hash(1)}'"""), Is.Zero);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(1));
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
    }

    [Test]
    [Contract("A 1.9 DUPLICATI_DELETEDBLOCKCACHESIZE")]
    [Contract("A 12 row 13")]
    public async Task A_negative_cache_size_never_reuses()
    {
        using var variable = new EnvironmentVariable(CacheVariable, "-1");
        AddDeleted(1, Backup.VolumeId);
        await Db.CommitAsync(default);
        await Backup.ReopenAsync();
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.True);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 7.1 deleted blocks")]
    public async Task The_newest_of_several_deleted_copies_is_taken()
    {
        var other = await Backup.AddVolumeAsync("block-2", RemoteVolumeType.Blocks);
        AddDeleted(1, Backup.VolumeId);
        AddDeleted(1, other);
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        Assert.That(Backup.Number("""SELECT "VolumeID" FROM "Block" """), Is.EqualTo(other));
        Assert.That(Backup.Number("""SELECT "VolumeID" FROM "DeletedBlock" """), Is.EqualTo(Backup.VolumeId));
    }

    [TestCase(RemoteVolumeState.Deleting)]
    [TestCase(RemoteVolumeState.Deleted)]
    [Contract("A 13 Q1")]
    public async Task Deleted_blocks_of_a_volume_that_goes_are_not_taken(RemoteVolumeState state)
    {
        var gone = await Backup.AddVolumeAsync("gone", RemoteVolumeType.Blocks, state);
        AddDeleted(1, gone);
        AddDeleted(2, 12345);
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default), Is.True);
        Assert.That(
            await Db.AddBlockAsync(BlockFixture.Hash(2), 10, Backup.VolumeId, default),
            Is.True,
            "a volume that is not there at all"
        );
    }

    [Test]
    public async Task Deleted_blocks_that_vanish_after_they_were_read_are_stored_anew()
    {
        AddDeleted(1, Backup.VolumeId);
        AddDeleted(2, Backup.VolumeId);
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        await Db.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(2), 10, 99, default), Is.True);
    }

    [Test]
    public async Task Deleted_blocks_without_a_binary_hash_become_live_again_too()
    {
        Backup.Execute($"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('odd hash', 10, {Backup.VolumeId})""");
        Assert.That(await Db.AddBlockAsync("odd hash", 10, 99, default), Is.False);
        Assert.That(await Db.AddBlockAsync("odd hash", 10, 99, default), Is.False);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.Zero);
        Assert.That(await Db.AddBlockAsync("odd", 10, 99, default), Is.True);
    }

    [Test]
    [Contract("A 7.6 IsBlocklistHashKnownAsync")]
    [Contract("A 13 Q17")]
    public async Task Blocklists_are_known_if_another_fileset_uses_them_or_when_asked_twice()
    {
        var used = BlockFixture.Hash(-1);
        await Backup.AddContentAsync(3, 4);
        await Db.AddFileAsync("/a", DateTime.UtcNow, await Backup.AddContentAsync(1, 2), await Backup.AddMetadataAsync(9), default);
        Assert.That(await Db.IsBlocklistHashKnownAsync(used, default), Is.False, "only the current fileset uses it");

        await Backup.ReopenAsync();
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(await Db.IsBlocklistHashKnownAsync(used, default), Is.False, "its entry was not committed");
        await Backup.ReopenAsync();
        Backup.Execute($"""INSERT INTO "FilesetEntry" VALUES ({Backup.FilesetId}, 1, 5)""");
        await Backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(await Db.IsBlocklistHashKnownAsync(used, default), Is.True);
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(-3), default), Is.False, "no file uses it");
        Assert.That(await Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(-3), default), Is.True, "asked before");
        Assert.That(await Db.IsBlocklistHashKnownAsync("odd hash", default), Is.False);
        Assert.That(await Db.IsBlocklistHashKnownAsync("odd hash", default), Is.True);
    }

    [Test]
    [Contract("A 7.6 GetBlocklistHashesAsync")]
    [Contract("A 13 Q16")]
    public async Task Blocklists_of_a_volume_are_listed_once_each()
    {
        await Backup.AddContentAsync(1, 2);
        await Backup.AddContentAsync(1, 3);
        await Backup.AddContentAsync(5, 6);
        await Db.AddBlockAsync(BlockFixture.Hash(-1), 64, Backup.VolumeId, default);
        await Db.AddBlockAsync(BlockFixture.Hash(-5), 64, 99, default);
        Assert.That(await Db.GetBlocklistHashesAsync("block-1", default), Is.EqualTo([BlockFixture.Hash(-1)]));
        Assert.That(await Db.GetBlocklistHashesAsync("unknown", default), Is.Empty);
    }

    [Test]
    public void A_cancelled_token_is_seen_before_anything_happens()
    {
        var token = new CancellationToken(canceled: true);
        Assert.That(Db.AddBlockAsync(BlockFixture.Hash(1), 10, 1, token).IsCanceled, Is.True);
        Assert.That(Db.FindBlockIDAsync(BlockFixture.Hash(1), 10, token).IsCanceled, Is.True);
        Assert.That(Db.MoveBlockToVolumeAsync(BlockFixture.Hash(1), 10, 1, 2, token).IsCanceled, Is.True);
        Assert.That(Db.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), token).IsCanceled, Is.True);
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
    }

    [Test]
    [Contract("A 7.1 parent form")]
    public async Task A_child_shares_blocks_and_transaction_with_its_parent()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default);
        var child = await Library.Main.Database.Local.LocalBackupDatabase.CreateAsync(Db, new Options([]), null, default);
        Assert.That(await child.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(1));
        await child.AddBlockAsync(BlockFixture.Hash(2), 10, Backup.VolumeId, default);
        await child.DisposeAsync();
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.EqualTo(2));
    }

    private void AddDeleted(int number, long volumeId) =>
        Backup.Execute(
            $"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(number)}', 10, {volumeId})"""
        );
}
