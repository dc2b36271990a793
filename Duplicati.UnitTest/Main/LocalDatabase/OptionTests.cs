// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class OptionTests : LocalDatabaseTestBase
{
    [Test]
    [Contract("A 4.4 Configuration")]
    [Contract("A 6.8 SetDbOptionsAsync")]
    [Contract("A 12 row 11")]
    public async Task Options_are_replaced_as_a_whole_and_visible_at_once_but_not_committed()
    {
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["a"] = "1", ["quote\"'%"] = "ü\nx" }, default);
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["A"] = "2", ["quote\"'%"] = "ü\nx" }, default);

        Assert.That(
            await Db.GetDbOptionsAsync(default),
            Is.EqualTo(new Dictionary<string, string> { ["A"] = "2", ["quote\"'%"] = "ü\nx" })
        );
        Assert.That(Committed("SELECT COUNT(*) FROM Configuration"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.8 GetDbOptionsAsync")]
    public async Task The_options_given_out_can_be_changed_without_effect()
    {
        (await Db.GetDbOptionsAsync(default)).Add("x", "y");

        Assert.That(await Db.GetDbOptionsAsync(default), Is.Empty);
    }

    [Test]
    [Contract("A 6.8 flags")]
    [Contract("A 12 row 11")]
    public async Task A_flag_is_the_presence_of_its_key_and_setting_it_commits_everything()
    {
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["other"] = "1", ["repair-in-progress"] = "whatever" }, default);
        Assert.That(await Db.RepairInProgressAsync(default), Is.True);
        Assert.That(await Db.PartiallyRecreatedAsync(default), Is.False);

        Assert.That(await Db.RepairInProgressAsync(default, false), Is.False);
        Assert.That(await Db.PartiallyRecreatedAsync(default, true), Is.True);
        Assert.That(await Db.TerminatedWithActiveUploadsAsync(default, true), Is.True);

        Assert.That(
            Committed("SELECT group_concat(Key || '=' || Value) FROM (SELECT * FROM Configuration ORDER BY Key)"),
            Is.EqualTo("other=1,partially-recreated=true,terminated-with-active-uploads=true")
        );
        Assert.That(await Db.RepairInProgressAsync(default), Is.False);
    }

    [Test]
    [Contract("A 6.8 flags")]
    public async Task Asking_for_a_flag_commits_nothing()
    {
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["other"] = "1" }, default);

        await Db.TerminatedWithActiveUploadsAsync(default);

        Assert.That(Committed("SELECT COUNT(*) FROM Configuration"), Is.EqualTo("0"));
    }
}
