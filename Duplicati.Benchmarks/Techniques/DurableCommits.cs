using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Commits;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Single rows by eight writers, each durable before its writer goes on.</summary>
internal sealed class DurableCommits : Technique
{
    private const int Writers = 8;

    public override string Name => "queue for durable commits";

    public override string Without => "eight writers in turns on one connection, a commit each";

    public override string IsOff => "by itself never; not for a single writer";

    public override string Entry => "row";

    public override int Entries(int blocks) => BenchmarkScale.Of(8_000, 1_000);

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var benchmark = new CommitRows { Way = with ? CommitWays.Queue : CommitWays.Turns, Writers = Writers };
        benchmark.MakeFolder();
        benchmark.OpenFresh();
        return new Trial(
            benchmark.Commit,
            () =>
            {
                // Throws unless all rows are there.
                benchmark.CheckAndClose();
                return Entries(setup.Blocks);
            },
            new Closing(benchmark));
    }

    private sealed class Closing(DatabaseBenchmark benchmark) : IDisposable
    {
        public void Dispose() => benchmark.RemoveFolder();
    }
}
