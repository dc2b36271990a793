using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Reports;
using Duplicati.Benchmarks.Techniques;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of each technique with little data: with and without it the answer must be the same, which the runner holds.</summary>
[TestFixture]
public class TechniqueTests
{
    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    public static IEnumerable<string> Names => TechniqueList.All.Select(technique => technique.Name);

    [TestCaseSource(nameof(Names))]
    public void The_work_comes_out_the_same_with_and_without(string name)
    {
        var technique = TechniqueList.All.Single(x => x.Name == name);
        var result = new TechniqueRunner(TechniqueList.FewestBlocks, 1).Run(technique);
        Assert.That(result.Entries, Is.GreaterThan(0));
        Assert.That(result.Before.Processor, Is.GreaterThan(0));
        Assert.That(result.After.Processor, Is.GreaterThan(0));
        Assert.That(result.IsOff, Is.Not.Empty);
    }

    [Test]
    public void Names_are_not_used_twice() => Assert.That(Names, Is.Unique);

    [Test]
    public void A_wrong_answer_is_an_error() => Assert.That(
        () => new TechniqueRunner(TechniqueList.FewestBlocks, 1).Run(new Wrong()),
        Throws.InvalidOperationException.With.Message.Contains("the answer is 1 with the technique; it should be 0"));

    [Test]
    public void Results_are_kept_as_table_and_as_figures()
    {
        using var folder = new TestFolder();
        var cost = new TechniqueCost(4, 6, 100, 10);
        var result = new TechniqueResult("a technique", "block", 1000, "nothing", "never", cost, new TechniqueCost(2, 2, 0, 42.4));
        new TechniqueResults("techniques", 3, RunEnvironment.Current(1, "none"), [result]).Write(folder.Path);

        Assert.That(File.ReadAllText(folder.File(TechniqueResults.TableName)), Does.Contain("| a technique | 1000 × block | 4.00 | 2.00 | 2.00 | 3.00 | 32 | 100 → 0 | nothing | never |"));
        var read = ResultFolder.ReadFile<TechniqueResults>(folder.File(TechniqueResults.FileName));
        Assert.That(read.Results.Single(), Is.EqualTo(result));
    }

    private sealed class Wrong : Technique
    {
        public override string Name => "wrong";

        public override string Without => "right";

        public override string IsOff => "never";

        public override string Entry => "block";

        public override Trial Begin(TrialSetup setup, bool with) => new(() => { }, () => with ? 1 : 0);
    }
}
