// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class FilteredFilenameTests : LocalDatabaseTestBase
{
    // "C:\d\" is stored as old versions stored Windows folders: all of it in the prefix.
    [SetUp]
    public void Fill() =>
        Execute(
            """
            INSERT INTO PathPrefix VALUES (1, '/'), (2, '/d/'), (3, 'C:\d\');
            INSERT INTO FileLookup VALUES (1, 1, 'd/', -100, 1), (2, 2, 'a.txt', 1, 1), (3, 2, 'a.txt', 2, 1), (4, 2, 'B.TXT', 1, 1), (5, 2, 'x_y%z', 1, 1), (6, 2, 'xayyz', 1, 1), (7, 3, '', -100, 1), (8, 2, 'a*c', 1, 1), (9, 2, 'abc', 1, 1);
            """
        );

    private async Task<string[]> Matching(IFilter filter)
    {
        using var table = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Db, filter, default);
        Assert.That(table.Tablename, Does.Match("^Filenames-[0-9A-F]{32}$"));
        return Db.Connection.Lines($"SELECT Path FROM \"{table.Tablename}\" ORDER BY Path");
    }

    [Test]
    [Contract("A 6.15 empty filter")]
    public async Task An_empty_filter_selects_every_path_once() =>
        Assert.That(
            await Matching(new FilterExpression()),
            Is.EqualTo(new[] { "/d/", "/d/B.TXT", "/d/a*c", "/d/a.txt", "/d/abc", "/d/x_y%z", "/d/xayyz", @"C:\d\" })
        );

    [TestCase("/d/a.txt", "/d/a.txt")]
    [TestCase("/d/", "/d/")]
    [TestCase(@"C:\d\", @"C:\d\")]
    [TestCase("/d/A.txt", "")]
    [TestCase("@/d/a*c", "/d/a*c")]
    [TestCase("/d/missing", "")]
    [Contract("A 6.15 simple")]
    public async Task A_plain_path_selects_exactly_itself(string filter, string expected) =>
        Assert.That(string.Join(",", await Matching(new FilterExpression(filter))), Is.EqualTo(expected));

    [TestCase("*.txt", "/d/B.TXT,/d/a.txt")]
    [TestCase("/d/x_y%*", "/d/x_y%z")]
    [TestCase("/d/a?c", "/d/a*c,/d/abc")]
    [TestCase(@"C:\*", @"C:\d\")]
    [Contract("A 6.15 wildcard")]
    public async Task A_wildcard_compares_letters_without_case_and_other_characters_literally(string filter, string expected) =>
        Assert.That(string.Join(",", await Matching(new FilterExpression(filter))), Is.EqualTo(expected));

    [Test]
    public async Task Several_rules_are_alternatives() =>
        Assert.That(await Matching(new FilterExpression(["/d/a.txt", "*xa*"])), Is.EqualTo(new[] { "/d/a.txt", "/d/xayyz" }));

    [Test]
    [Contract("A 6.15 regexp and group")]
    public async Task Regular_expressions_and_joined_filters_are_tested_path_by_path()
    {
        Assert.That(await Matching(new FilterExpression("[.*/a[.b].*]")), Is.EqualTo(new[] { "/d/a.txt", "/d/abc" }));
        Assert.That(
            await Matching(FilterExpression.Combine(new FilterExpression("/d/a*", false), new FilterExpression("[.*/]"))),
            Is.EqualTo(new[] { "/d/", "/d/B.TXT", "/d/x_y%z", "/d/xayyz", @"C:\d\" })
        );
    }

    [Test]
    [Contract("A 6.15 disposal")]
    public async Task The_table_survives_commits_and_is_gone_after_disposal_which_may_be_repeated()
    {
        var table = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Db, new FilterExpression("*"), default);
        await Db.Transaction.CommitAsync(default);
        Assert.That(Scalar($"SELECT COUNT(*) FROM \"{table.Tablename}\""), Is.EqualTo("8"));

        table.Dispose();
        await table.DisposeAsync();

        Assert.That(table.Tablename, Is.Null);
        Assert.That(Scalar("SELECT COUNT(*) FROM sqlite_temp_master WHERE name LIKE 'Filenames-%'"), Is.EqualTo("0"));
    }

    [Test]
    public async Task Disposal_after_a_rollback_or_after_the_owner_is_no_error()
    {
        var first = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Db, new FilterExpression(), default);
        await Db.Transaction.RollBackAsync(default);
        Assert.That(() => first.Dispose(), Throws.Nothing);

        var second = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Db, new FilterExpression("*"), default);
        Db.Dispose();
        Assert.That(() => second.Dispose(), Throws.Nothing);
    }
}
