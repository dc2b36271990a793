// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
[Contract("A 2 filters")]
public class FilterExpressionTests
{
    [TestCase("/a/b", FilterType.Simple)]
    [TestCase("/a/*", FilterType.Wildcard)]
    [TestCase("/a?", FilterType.Wildcard)]
    [TestCase("[.*x]", FilterType.Regexp)]
    [TestCase("{TemporaryFiles}", FilterType.Group)]
    [TestCase("@/a*b", FilterType.Simple)]
    [TestCase("", FilterType.Empty)]
    public void The_type_is_read_from_the_text(string text, FilterType type) =>
        Assert.That(new FilterExpression(text).Type, Is.EqualTo(type));

    [Test]
    public void The_type_of_a_list_is_its_most_complex_one()
    {
        Assert.That(new FilterExpression(["/a", "/b*"]).Type, Is.EqualTo(FilterType.Wildcard));
        Assert.That(new FilterExpression(["/a", "[b]", "*"]).Type, Is.EqualTo(FilterType.Regexp));
        Assert.That(new FilterExpression().Empty, Is.True);
        Assert.That(new FilterExpression([" ", ""]).Empty, Is.True);
    }

    [TestCase("/a/b", "/a/b", true)]
    [TestCase("/a/b", "/a/b/", false)]
    [TestCase("*.txt", "/a/x.txt", true)]
    [TestCase("*.txt", "/a/x.txt2", false)]
    [TestCase("*", "", true)]
    [TestCase("/a/?", "/a/b", true)]
    [TestCase("/a/?", "/a/", false)]
    [TestCase("*a*b*c", "xxaaybbbzcac", true)]
    [TestCase("*a*b*c", "xxaaybbbzca", false)]
    [TestCase("/a(b).txt", "/a(b).txt", true)]
    [TestCase("[.*\\.(txt|md)]", "/x/y.md", true)]
    [TestCase("[y]", "/x/y.md", false)]
    [TestCase("[.*]", "/with\nnewline", true)]
    [TestCase("@/a*b", "/a*b", true)]
    [TestCase("@/a*b", "/axb", false)]
    public void A_rule_matches_the_whole_path(string rule, string path, bool expected) =>
        Assert.That(new FilterExpression(rule).Matches(path, out _, out _), Is.EqualTo(expected));

    [Test]
    public void Case_counts_as_it_does_for_the_file_system()
    {
        var expected = !Library.Utility.Utility.IsFSCaseSensitive;
        foreach (var rule in new[] { "/A/b", "/A/*", "[/A/b]" })
            Assert.That(new FilterExpression(rule).Matches("/a/b", out _, out _), Is.EqualTo(expected), rule);
    }

    [Test]
    public void A_match_tells_result_and_rule()
    {
        var filter = new FilterExpression("*.tmp", false);
        Assert.That(filter.Matches("x.tmp", out var result, out var match), Is.True);
        Assert.That(result, Is.False);
        Assert.That(match, Is.SameAs(filter));
        Assert.That(filter.Matches("x", out result, out match), Is.False);
        Assert.That((result, match), Is.EqualTo((false, (IFilter?)null)));
    }

    [Test]
    public void Null_and_empty_filters_want_everything()
    {
        Assert.That(FilterExpression.Matches(null!, "/x"), Is.True);
        Assert.That(FilterExpression.Matches(new FilterExpression(), "/x"), Is.True);
    }

    [Test]
    public void Without_a_matching_rule_only_pure_includes_drop_the_path()
    {
        var include = new FilterExpression("/a/*");
        var exclude = new FilterExpression("/b/*", false);
        Assert.That(FilterExpression.Matches(include, "/c"), Is.False);
        Assert.That(FilterExpression.Matches(exclude, "/c"), Is.True);
        Assert.That(FilterExpression.Matches(FilterExpression.Combine(include, exclude), "/c"), Is.True);
        Assert.That(FilterExpression.Matches(FilterExpression.Combine(include, new FilterExpression("[/d]")), "/c"), Is.False);
    }

    [Test]
    public void The_first_matching_rule_of_a_joined_filter_decides()
    {
        var keepOne = FilterExpression.Combine(new FilterExpression("/a/one"), new FilterExpression("/a/*", false));
        Assert.That(FilterExpression.Matches(keepOne, "/a/one"), Is.True);
        Assert.That(FilterExpression.Matches(keepOne, "/a/two"), Is.False);
        Assert.That(FilterExpression.Matches(keepOne, "/b"), Is.True);

        var dropAll = FilterExpression.Combine(new FilterExpression("/a/*", false), new FilterExpression("/a/one"));
        Assert.That(FilterExpression.Matches(dropAll, "/a/one"), Is.False);
    }

    [Test]
    public void Combining_leaves_out_what_is_empty_and_merges_what_is_alike()
    {
        var filter = new FilterExpression("/a");
        Assert.That(FilterExpression.Combine(filter, null), Is.SameAs(filter));
        Assert.That(FilterExpression.Combine(new FilterExpression(), filter), Is.SameAs(filter));
        Assert.That(FilterExpression.Combine(null, null).Empty, Is.True);

        var merged = FilterExpression.Combine(filter, new FilterExpression("/b"));
        Assert.That(merged, Is.TypeOf<FilterExpression>());
        Assert.That(((FilterExpression)merged).GetSimpleList(), Is.EqualTo(new[] { "/a", "/b" }));

        var joined = (JoinedFilterExpression)FilterExpression.Combine(filter, new FilterExpression("/b", false));
        Assert.That(joined.First, Is.SameAs(filter));
        Assert.That(joined.Empty, Is.False);
    }

    [Test]
    public void The_simple_list_has_literals_without_their_sign()
    {
        Assert.That(new FilterExpression(["@/a*", "/b"]).GetSimpleList(), Is.EqualTo(new[] { "/a*", "/b" }));
        Assert.That(new FilterExpression(["/a*"]).GetSimpleList(), Is.EqualTo(new[] { "/a*" }));
        Assert.That(new FilterExpression().GetSimpleList(), Is.Empty);
        Assert.That(() => new FilterExpression("[x]").GetSimpleList(), Throws.InvalidOperationException);
    }

    [Test]
    public void A_group_stands_for_its_rules()
    {
        Assert.That(FilterExpression.Matches(new FilterExpression("{TemporaryFiles}"), "/home/x/a.tmp"), Is.True);
        Assert.That(FilterExpression.Matches(new FilterExpression("{temporaryfiles,CacheFiles}"), "/home/x/a.doc"), Is.False);
        Assert.That(FilterExpression.Matches(new FilterExpression("{DefaultExcludes}", false), "/home/x/a.tmp"), Is.False);
        Assert.That(() => new FilterExpression("{NoSuchGroup}"), Throws.ArgumentException);
    }

    [Test]
    public void The_text_of_a_filter_reads_back_as_the_same_rules()
    {
        foreach (var rule in new[] { "/a/b", "/a*", "[x.]", "{CacheFiles}", "@/a*" })
            Assert.That(new FilterExpression(rule).ToString(), Is.EqualTo(rule));
    }
}
