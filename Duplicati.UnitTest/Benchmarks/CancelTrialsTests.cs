using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Soak;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The members whose cancels are timed.</summary>
[TestFixture]
public class CancelTrialsTests
{
    private const int Versions = 10;

    [SetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public async Task Each_member_ends_is_cancelled_and_leaves_nothing_behind()
    {
        var trials = new CancelTrials(VersionedBackup.Template(Versions), Versions, new Random(1));
        foreach (var member in CancelTrials.Members)
        {
            var figures = await trials.RunAsync(member, 2);
            Assert.That(figures.Blocked, Has.Count.EqualTo(2), member.Name);
            Assert.That(figures.Latencies, Has.Count.LessThanOrEqualTo(2), member.Name);
        }
    }

    [Test]
    public void A_percentile_is_the_value_that_so_many_of_a_hundred_do_not_exceed()
    {
        var values = Enumerable.Range(1, 200).Select(x => (double)x).ToList();
        Assert.That(new[] { 50, 99, 100 }.Select(x => CancelFigures.Percentile(values, x)), Is.EqualTo(new[] { 100.0, 198, 200 }));
        Assert.That(CancelFigures.Percentile([], 99), Is.Zero);
    }
}
