// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Techniques;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>
/// One round of each technique with little data: with and without it the answer must be the same, which the runner holds.
/// </summary>
[TestFixture]
public class TechniqueTests
{
    private static readonly Technique s_wrong = new("wrong", "right", "block", (_, with) => new Trial(() => { }, () => with ? 1 : 0));

    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    public static IEnumerable<string> Names => Technique.All.Select(technique => technique.Name);

    [TestCaseSource(nameof(Names))]
    public void The_work_comes_out_the_same_with_and_without(string name)
    {
        var technique = Technique.All.Single(x => x.Name == name);
        var result = new TechniqueRunner(Technique.FewestBlocks, 1).Run(technique);
        Assert.That(result.Entries, Is.GreaterThan(0));
        Assert.That(result.Before.Concat(result.After).Select(cost => cost.Clock), Is.All.GreaterThan(0));
        Assert.That(result.Row, Is.All.Not.Empty);
    }

    [Test]
    public void Names_are_not_used_twice() => Assert.That(Names, Is.Unique);

    [Test]
    public void A_wrong_answer_is_an_error() =>
        Assert.That(
            () => new TechniqueRunner(Technique.FewestBlocks, 1).Run(s_wrong),
            Throws.InvalidOperationException.With.Message.Contains("the answer is 1 with the technique; it should be 0")
        );

    [Test]
    public void A_row_has_the_medians_their_ratios_and_what_is_held_more()
    {
        static TechniqueCost[] Costs(double processor) =>
            [new(processor, 3 * processor, 100, 10 * processor), new(1e9, 1e9, 1e9, 1e9), new(0, 0, 0, 0)];

        var result = new TechniqueResult(s_wrong, 1000, Costs(4), Costs(8));
        Assert.That(result.Row, Is.EqualTo(new[] { "wrong", "right", "block", "1000", "4.00", "8.00", "0.50", "0.50", "40", "100 → 100" }));
        Assert.That(result.Row, Has.Count.EqualTo(TechniqueResult.Texts.Count + TechniqueResult.Figures.Count));
        Assert.That(result.Ratio.Ratio, Is.EqualTo(0.5));
    }
}
