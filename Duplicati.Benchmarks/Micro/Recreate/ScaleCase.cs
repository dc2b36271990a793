namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>One rebuild to be measured.</summary>
/// <param name="Way">Who rebuilds: see <see cref="ScaleWays"/>.</param>
/// <param name="Blocks">Blocks of file contents, 1 KB each.</param>
/// <param name="BlocksPerFile">Length of each file in blocks.</param>
internal sealed record ScaleCase(string Way, long Blocks, long BlocksPerFile)
{
    /// <summary>What the files are like, for a reader.</summary>
    public string Files => BlocksPerFile >= Blocks ? $"1 of {Size(Blocks)}" : $"{(Blocks + BlocksPerFile - 1) / BlocksPerFile} of {Size(BlocksPerFile)}";

    private static string Size(long blocks) => blocks % (1L << 20) == 0 ? $"{blocks >> 20} GB" : blocks % (1L << 10) == 0 ? $"{blocks >> 10} MB" : $"{blocks} KB";
}

/// <summary>What one rebuild took. Times are microseconds; making the hashes is not counted.</summary>
/// <param name="Phases">Processor time of the whole process by phase, in the order of the phases.</param>
/// <param name="Clock">Time on the clock, all phases.</param>
/// <param name="PeakBytes">The greatest resident size of the process.</param>
/// <param name="WrittenBytes">Bytes handed to the operating system for writing; 0 if unknown.</param>
/// <param name="Rows">See <see cref="RebuiltRows.Count"/>.</param>
/// <param name="Checksum">See <see cref="RebuiltRows.Checksum"/>.</param>
/// <param name="Indexes">Processor time of building each index, where that is known; they are part of a phase.</param>
internal sealed record ScaleSample(
    IReadOnlyDictionary<string, double> Phases, double Clock, long PeakBytes, long WrittenBytes, long Rows, ulong Checksum, IReadOnlyDictionary<string, double> Indexes)
{
    /// <summary>Processor time, all phases.</summary>
    public double Processor => Phases.Values.Sum();
}

/// <summary>The ways to rebuild.</summary>
internal static class ScaleWays
{
    internal const string Provider = "provider";
    internal const string Layer = "layer";
    internal const string Engine = "engine";

    /// <summary>Makes a database to be rebuilt.</summary>
    /// <param name="way">One of the ways.</param>
    /// <param name="path">The file, which does not exist yet.</param>
    /// <param name="backup">What it will be rebuilt from; only the engine alone must know it beforehand.</param>
    internal static IRebuildVariant Create(string way, string path, SyntheticBackup backup) => way switch
    {
        Provider => new PlainVariant(path),
        Layer => new LayerVariant(path),
        Engine => new EngineVariant(path, backup),
        _ => throw new ArgumentException($"There is no way '{way}'."),
    };
}
