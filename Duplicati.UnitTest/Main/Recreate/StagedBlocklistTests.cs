// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class StagedBlocklistTests : RebuildTestBase
{
    [Test]
    [Contract("B 3.4 AddTempBlockListHashAsync")]
    [Contract("B 9.8 rule 3")]
    public async Task A_list_that_is_staged_is_not_read_again()
    {
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(2)]), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), Unreadable()), Is.False);
    }

    [Test]
    [Contract("B 10 Q18")]
    public async Task An_empty_list_is_accepted_every_time()
    {
        Assert.That(await Rebuild.AddListAsync(Hash(1), []), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), []), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(2)]), Is.True);
    }

    [Test]
    [Contract("B 3.4 AddTempBlockListHashAsync")]
    public async Task A_list_that_fails_half_way_is_not_kept()
    {
        Assert.That(async () => await Rebuild.AddListAsync(Hash(1), Unreadable().Prepend(Hash(2))), Throws.TypeOf<InvalidDataException>());
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(3)]), Is.True);
    }

    [Test]
    [Contract("B 9.8 rule 8")]
    public async Task Entries_without_binary_form_connect_like_others()
    {
        var blockset = await Db.AddBlocksetAsync(Hash(1), 128, [ListHash(1, 0)], 1, default);
        await Rebuild.AddListAsync(ListHash(1, 0), [Hash(10), "odd text"]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Rebuild.UpdateBlockAsync("odd text", 64, 100);
        await ResolveAsync();
        Assert.That(
            Committed(
                $"""SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID WHERE e.BlocksetID = {blockset} AND ((e."Index" = 0 AND b.Hash = '{Hash(10)}') OR (e."Index" = 1 AND b.Hash = 'odd text'))"""
            ),
            Is.EqualTo(2)
        );
    }

    private static IEnumerable<string> Unreadable()
    {
        yield return Hash(9);
        throw new InvalidDataException("the volume ends here");
    }
}
