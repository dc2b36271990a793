// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
[NonParallelizable]
public class BackupBlockTests
{
    private const string CacheVariable = "DUPLICATI_DELETEDBLOCKCACHESIZE";

    private BackupFixture m_backup = null!;

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("A 7.2 FindBlockIDAsync")]
    [Contract("A 7.2 AddBlockAsync")]
    public async Task A_block_is_new_once_and_then_has_an_id()
    {
        var hash = BlockFixture.Hash(1);
        Assert.That(await m_backup.Database.FindBlockIDAsync(hash, 10, default), Is.EqualTo(-1));
        Assert.That(await m_backup.Database.AddBlockAsync(hash, 10, m_backup.VolumeId, default), Is.True);
        Assert.That(await m_backup.Database.AddBlockAsync(hash, 10, m_backup.VolumeId, default), Is.False);
        var id = await m_backup.Database.FindBlockIDAsync(hash, 10, default);
        Assert.That(await m_backup.Database.AddBlockAsync(hash, 11, m_backup.VolumeId, default), Is.True, "another size is another block");
        Assert.That(
            m_backup.Number($"""SELECT "ID" FROM "Block" WHERE "Hash" = '{hash}' AND "Size" = 10 AND "VolumeID" = {m_backup.VolumeId}"""),
            Is.EqualTo(id)
        );
    }

    [Test]
    public async Task Adding_a_block_does_not_commit()
    {
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        Assert.That(m_backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        await m_backup.ReopenAsync();
        Assert.That(await m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_rolled_back_block_is_new_again()
    {
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        await m_backup.Database.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default), Is.True);
    }

    [Test]
    public async Task Blocks_of_a_removed_volume_are_new_again()
    {
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        await m_backup.Database.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(await m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("A 7.2 MoveBlockToVolumeAsync")]
    public async Task Moving_a_block_changes_its_volume_and_nothing_else()
    {
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        await m_backup.Database.MoveBlockToVolumeAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, 77, default);
        Assert.That(m_backup.Number("""SELECT "VolumeID" FROM "Block" """), Is.EqualTo(77));
        Assert.That(await m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(1));
        Assert.That(
            () => m_backup.Database.MoveBlockToVolumeAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, 78, default),
            Throws.Exception,
            "it is not there any more"
        );
        Assert.That(() => m_backup.Database.MoveBlockToVolumeAsync(BlockFixture.Hash(2), 10, 77, 78, default), Throws.Exception);
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
        AddDeleted(1, 10, m_backup.VolumeId);
        AddDeleted(2, 10, m_backup.VolumeId);
        await m_backup.Database.CommitAsync(default);
        await m_backup.ReopenAsync();

        Assert.That(await m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 11, 99, default), Is.True);
        Assert.That(
            m_backup.Number($"""SELECT "VolumeID" FROM "Block" WHERE "Hash" = '{BlockFixture.Hash(1)}' AND "Size" = 10"""),
            Is.EqualTo(m_backup.VolumeId)
        );
        Assert.That(m_backup.Number($"""SELECT COUNT(*) FROM "DeletedBlock" WHERE "Hash" = '{BlockFixture.Hash(1)}'"""), Is.Zero);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(1));
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
    }

    [Test]
    [Contract("A 1.9 DUPLICATI_DELETEDBLOCKCACHESIZE")]
    [Contract("A 12 row 13")]
    public async Task A_negative_cache_size_never_reuses()
    {
        using var variable = new EnvironmentVariable(CacheVariable, "-1");
        AddDeleted(1, 10, m_backup.VolumeId);
        await m_backup.Database.CommitAsync(default);
        await m_backup.ReopenAsync();
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.True);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 7.1 deleted blocks")]
    public async Task The_newest_of_several_deleted_copies_is_taken()
    {
        var other = await m_backup.AddVolumeAsync("block-2", RemoteVolumeType.Blocks);
        AddDeleted(1, 10, m_backup.VolumeId);
        AddDeleted(1, 10, other);
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        Assert.That(m_backup.Number("""SELECT "VolumeID" FROM "Block" """), Is.EqualTo(other));
        Assert.That(m_backup.Number("""SELECT "VolumeID" FROM "DeletedBlock" """), Is.EqualTo(m_backup.VolumeId));
    }

    [TestCase(RemoteVolumeState.Deleting)]
    [TestCase(RemoteVolumeState.Deleted)]
    [Contract("A 13 Q1")]
    public async Task Deleted_blocks_of_a_volume_that_goes_are_not_taken(RemoteVolumeState state)
    {
        var gone = await m_backup.AddVolumeAsync("gone", RemoteVolumeType.Blocks, state);
        AddDeleted(1, 10, gone);
        AddDeleted(2, 10, 12345);
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default), Is.True);
        Assert.That(
            await m_backup.Database.AddBlockAsync(BlockFixture.Hash(2), 10, m_backup.VolumeId, default),
            Is.True,
            "a volume that is not there at all"
        );
    }

    [Test]
    public async Task Deleted_blocks_that_vanish_after_they_were_read_are_stored_anew()
    {
        AddDeleted(1, 10, m_backup.VolumeId);
        AddDeleted(2, 10, m_backup.VolumeId);
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 99, default), Is.False);
        await m_backup.Database.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(await m_backup.Database.AddBlockAsync(BlockFixture.Hash(2), 10, 99, default), Is.True);
    }

    [Test]
    public async Task Deleted_blocks_without_a_binary_hash_become_live_again_too()
    {
        m_backup.Execute($"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('odd hash', 10, {m_backup.VolumeId})""");
        Assert.That(await m_backup.Database.AddBlockAsync("odd hash", 10, 99, default), Is.False);
        Assert.That(await m_backup.Database.AddBlockAsync("odd hash", 10, 99, default), Is.False);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.Zero);
        Assert.That(await m_backup.Database.AddBlockAsync("odd", 10, 99, default), Is.True);
    }

    [Test]
    [Contract("A 7.6 IsBlocklistHashKnownAsync")]
    [Contract("A 13 Q17")]
    public async Task Blocklists_are_known_if_another_fileset_uses_them_or_when_asked_twice()
    {
        var used = BlockFixture.Hash(-1);
        await m_backup.AddContentAsync(3, 4);
        await m_backup.Database.AddFileAsync(
            "/a",
            DateTime.UtcNow,
            await m_backup.AddContentAsync(1, 2),
            await m_backup.AddMetadataAsync(9),
            default
        );
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync(used, default), Is.False, "only the current fileset uses it");

        await m_backup.ReopenAsync();
        await m_backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync(used, default), Is.False, "its entry was not committed");
        await m_backup.ReopenAsync();
        m_backup.Execute($"""INSERT INTO "FilesetEntry" VALUES ({m_backup.FilesetId}, 1, 5)""");
        await m_backup.AddFilesetAsync(DateTime.UtcNow);
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync(used, default), Is.True);
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync(BlockFixture.Hash(-3), default), Is.False, "no file uses it");
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync(BlockFixture.Hash(-3), default), Is.True, "asked before");
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync("odd hash", default), Is.False);
        Assert.That(await m_backup.Database.IsBlocklistHashKnownAsync("odd hash", default), Is.True);
    }

    [Test]
    [Contract("A 7.6 GetBlocklistHashesAsync")]
    [Contract("A 13 Q16")]
    public async Task Blocklists_of_a_volume_are_listed_once_each()
    {
        await m_backup.AddContentAsync(1, 2);
        await m_backup.AddContentAsync(1, 3);
        await m_backup.AddContentAsync(5, 6);
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(-1), 64, m_backup.VolumeId, default);
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(-5), 64, 99, default);
        Assert.That(await m_backup.Database.GetBlocklistHashesAsync("block-1", default), Is.EqualTo([BlockFixture.Hash(-1)]));
        Assert.That(await m_backup.Database.GetBlocklistHashesAsync("unknown", default), Is.Empty);
    }

    [Test]
    public void A_cancelled_token_is_seen_before_anything_happens()
    {
        var token = new CancellationToken(canceled: true);
        Assert.That(m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, 1, token).IsCanceled, Is.True);
        Assert.That(m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(1), 10, token).IsCanceled, Is.True);
        Assert.That(m_backup.Database.MoveBlockToVolumeAsync(BlockFixture.Hash(1), 10, 1, 2, token).IsCanceled, Is.True);
        Assert.That(m_backup.Database.IsBlocklistHashKnownAsync(BlockFixture.Hash(1), token).IsCanceled, Is.True);
        Assert.That(m_backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
    }

    [Test]
    [Contract("A 7.1 parent form")]
    public async Task A_child_shares_blocks_and_transaction_with_its_parent()
    {
        await m_backup.Database.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        var child = await Library.Main.Database.Local.LocalBackupDatabase.CreateAsync(m_backup.Database, new Options([]), null, default);
        Assert.That(await child.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(1));
        await child.AddBlockAsync(BlockFixture.Hash(2), 10, m_backup.VolumeId, default);
        await child.DisposeAsync();
        Assert.That(await m_backup.Database.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.EqualTo(2));
    }

    private void AddDeleted(int number, int size, long volumeId) =>
        m_backup.Execute(
            $"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(number)}', {size}, {volumeId})"""
        );
}
