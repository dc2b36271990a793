using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Each long member is cancelled at random times: it ends, leaves nothing behind, and its object can be used again.</summary>
[TestFixture]
public class CancelTrialsTests
{
    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public Task A_member_that_is_cancelled_ends_and_leaves_nothing_behind() => RunAsync(10, 2, isQuick: true);

    /// <summary>On a million blocks, 200 cancels each. Prints how long a cancelled member goes on, and how long a call keeps its caller.</summary>
    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public Task Long_run_of_cancels() => RunAsync(100, LongRun.Count(200), isQuick: false);

    private static async Task RunAsync(int versions, int count, bool isQuick)
    {
        BenchmarkScale.IsQuick = isQuick;
        try
        {
            var trials = new CancelTrials(VersionedBackup.Template(versions), versions, new Random(LongRun.Seed()));
            foreach (var member in CancelTrials.Members)
            {
                var figures = await trials.RunAsync(member, count);
                TestContext.Out.WriteLine(figures);
                Assert.That(figures.Blocked, Has.Count.EqualTo(count), member.Name);
                Assert.That(figures.Latencies, Has.Count.LessThanOrEqualTo(count), member.Name);
            }
        }
        finally
        {
            BenchmarkScale.IsQuick = true;
        }
    }
}
