// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Golden;

/// <summary>The golden data are whole, so that no test has to do without them.</summary>
[TestFixture]
internal sealed class GoldenDataTests
{
    private static IEnumerable<string> Folders => GoldenData.Folders;

    [TestCaseSource(nameof(Folders))]
    public void The_archive_of_a_set_holds_what_its_description_names(string set)
    {
        Assert.That(GoldenArchive.Of(set).Keys, Is.EquivalentTo(GoldenFacts.Of(set).Databases));
        Assert.That(GoldenArchive.Of(set).Values.Select(x => x.Length), Has.All.Positive);
    }

    [Test]
    public void There_are_as_many_of_each_kind_as_the_table_says()
    {
        Assert.That(
            (
                GoldenData.Sets.Count(),
                GoldenData.SetsWithDatabase.Count(),
                GoldenData.SetsWithPlainLists.Count(),
                GoldenData.OldSchemas.Count()
            ),
            Is.EqualTo((29, 20, 18, 19))
        );
    }
}
