// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class PathTests : LocalDatabaseTestBase
{
    [Test]
    [Contract("A 6.12 GetOrCreatePathPrefixAsync")]
    public async Task A_prefix_keeps_its_id_and_differs_by_case()
    {
        var lower = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        var upper = await Db.GetOrCreatePathPrefixAsync("/A/", default);

        Assert.That(upper, Is.Not.EqualTo(lower));
        Assert.That(await Db.GetOrCreatePathPrefixAsync("/a/", default), Is.EqualTo(lower));
        Assert.That(Scalar("SELECT COUNT(*) FROM PathPrefix"), Is.EqualTo("2"));
    }

    [Test]
    public async Task A_known_prefix_is_answered_with_a_task_that_has_ended_already()
    {
        await Db.GetOrCreatePathPrefixAsync("/a/", default);

        var first = Db.GetOrCreatePathPrefixAsync("/a/", default);
        var second = Db.GetOrCreatePathPrefixAsync("/a/", default);

        Assert.That(first.IsCompletedSuccessfully, Is.True);
        Assert.That(second, Is.SameAs(first));
        Assert.That(await first, Is.EqualTo(1));
    }

    [Test]
    [Contract("A 13 Q12")]
    public async Task A_rollback_forgets_the_prefixes_it_undid()
    {
        await Db.GetOrCreatePathPrefixAsync("/gone/", default);
        await Db.Transaction.RollBackAsync(default);

        var first = await Db.GetOrCreatePathPrefixAsync("/other/", default);
        var second = await Db.GetOrCreatePathPrefixAsync("/gone/", default);

        Assert.That(second, Is.Not.EqualTo(first));
        Assert.That(Scalar("SELECT group_concat(Prefix) FROM (SELECT Prefix FROM PathPrefix ORDER BY ID)"), Is.EqualTo("/other/,/gone/"));
    }

    [Test]
    public async Task Prefixes_are_shared_with_children()
    {
        var id = await Db.GetOrCreatePathPrefixAsync("/a/", default);
        using var child = await LocalDatabase.CreateLocalDatabaseAsync(Db, null, default);

        Assert.That(await child.GetOrCreatePathPrefixAsync("/a/", default), Is.EqualTo(id));
    }

    [Test]
    public void A_cancelled_token_is_honoured() =>
        Assert.That(
            () => Db.GetOrCreatePathPrefixAsync("/a/", new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );

    [TestCase("/a/b/", "/a/", "b/")]
    [TestCase("/a/b", "/a/", "b")]
    [TestCase("/a", "/", "a")]
    [TestCase("/", "", "/")]
    [TestCase("//", "", "//")]
    [TestCase("name", "", "name")]
    [TestCase("/a//b//", "/a//", "b//")]
    [TestCase("/a/%_[\"' ü\n", "/a/", "%_[\"' ü\n")]
    [Contract("A 1.6 split rule")]
    [Contract("A 6.12 SplitIntoPrefixAndName")]
    public void A_path_is_cut_behind_the_last_separator_that_is_not_trailing(string path, string prefix, string name) =>
        Assert.That(LocalDatabase.SplitIntoPrefixAndName(path), Is.EqualTo(new KeyValuePair<string, string>(prefix, name)));

    [TestCase(null)]
    [TestCase("")]
    public void An_empty_path_is_refused(string? path) =>
        Assert.That(
            () => LocalDatabase.SplitIntoPrefixAndName(path!),
            Throws.InstanceOf<ArgumentException>().With.Property("ParamName").EqualTo("path")
        );
}
