// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class UpdateBlockTests : RebuildTestBase
{
    [Test]
    [Contract("B 10 Q21")]
    [Contract("B 9.8 rule 6")]
    public async Task The_first_volume_keeps_the_block_and_later_ones_become_duplicates()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 10, 101);
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 10, 100), Is.EqualTo((true, false)));
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(1), 10, 100), Is.EqualTo((true, false)), "true again for a pair that is recorded");
        Assert.That(await CommitAndCountAsync("SELECT VolumeID FROM Block"), Is.EqualTo(101));
        Assert.That(Committed("SELECT COUNT(*) FROM DuplicateBlock WHERE VolumeID = 100"), Is.EqualTo(1));
    }

    [TestCase("not base64 at all")]
    [TestCase("QQ=")]
    [TestCase("QR==")]
    [TestCase("QQ= =")]
    [TestCase("")]
    [Contract("B 3.4 UpdateBlockAsync")]
    [Contract("B 9.8 rule 8")]
    public async Task Any_text_can_be_a_hash_and_is_compared_as_text(string hash)
    {
        Assert.That(await Rebuild.UpdateBlockAsync(hash, 1, 100), Is.EqualTo((true, true)));
        Assert.That(await Rebuild.UpdateBlockAsync(hash, 1, 100), Is.EqualTo((false, false)));
        Assert.That(
            await Rebuild.UpdateBlockAsync("QQ==", 1, 100),
            Is.EqualTo((true, true)),
            "the text whose bytes some of them stand for is another one"
        );
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM Block"), Is.EqualTo(2));
        Assert.That(Committed($"SELECT COUNT(*) FROM Block WHERE Hash = '{hash}'"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_hash_longer_than_any_digest_is_stored_whole()
    {
        var hash = new string('x', 1000);
        await Rebuild.UpdateBlockAsync(Hash(1), 1, 100);
        await Rebuild.UpdateBlockAsync(hash, 1, 100);
        await Rebuild.UpdateBlockAsync(Hash(2), 1, 100);
        Assert.That(
            await CommitAndCountAsync($"SELECT COUNT(*) FROM Block WHERE Hash IN ('{hash}', '{Hash(1)}', '{Hash(2)}')"),
            Is.EqualTo(3)
        );
    }

    [Test]
    [Contract("B 9.7 idea 1")]
    public async Task The_answer_allocates_nothing()
    {
        var hashes = Enumerable
            .Range(0, 2000)
            .Select(x => Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(BitConverter.GetBytes(x))))
            .ToArray();
        foreach (var hash in hashes)
            await Rebuild.UpdateBlockAsync(hash, 1, 100);

        var before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var hash in hashes)
            _ = Db.UpdateBlockAsync(hash, 1, 100, default);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(hashes.Length), "bytes for 2000 known blocks");
    }

    [Test]
    public void A_cancelled_token_gives_a_cancelled_task() =>
        Assert.That(Db.UpdateBlockAsync(Hash(1), 1, 100, new CancellationToken(true)).IsCanceled, Is.True);
}
