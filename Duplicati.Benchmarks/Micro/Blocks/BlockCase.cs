namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>A question about blocks.</summary>
/// <param name="Name">What is asked.</param>
/// <param name="Ways">The ways in which it is put.</param>
/// <param name="Create">Makes the benchmark for a table of so many blocks and a way.</param>
internal sealed record BlockCase(string Name, IEnumerable<string> Ways, Func<int, string, BlockBenchmark> Create);
