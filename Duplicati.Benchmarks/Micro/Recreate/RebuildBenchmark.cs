using BenchmarkDotNet.Attributes;
using Duplicati.Benchmarks.Processes;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>What a recreate's data layer costs, from the first filelist to the last index: the layer against the provider's commands row by row.</summary>
[BenchmarkGroup("recreate")]
[BaselineVariant(nameof(Way), "provider")]
public class RebuildBenchmark
{
    private TempFolder? m_folder;
    private SyntheticBackup? m_backup;
    private long? m_writtenBefore;

    /// <summary>Who rebuilds.</summary>
    [Params("provider", "layer")]
    public string Way { get; set; } = "layer";

    /// <summary>Length of each file, in blocks of 1 KB.</summary>
    [Params(1024, 65536)]
    public long BlocksPerFile { get; set; }

    private string DatabasePath => Path.Combine(m_folder!, "local.sqlite");

    private static int Blocks => BenchmarkScale.Of(524_288, 65_536);

    /// <summary>Makes room for the file.</summary>
    [IterationSetup]
    public void Prepare()
    {
        m_folder = new TempFolder();
        m_backup = new SyntheticBackup(Blocks, BlocksPerFile);
        BenchmarkRecord.Current.Rows = Blocks;
        m_writtenBefore = ProcessWrites.Bytes();
    }

    /// <summary>Rebuilds; making the hashes is part of the time, and the same for both.</summary>
    [Benchmark]
    public void Rebuild()
    {
        using var variant = ScaleWays.Create(Way, DatabasePath, m_backup!);
        new RebuildRun(m_backup!, variant).Run();
    }

    /// <summary>Checks the rows and removes the file.</summary>
    [IterationCleanup]
    public void CheckAndRemove()
    {
        if (ProcessWrites.Bytes() is { } after && m_writtenBefore is { } before)
            BenchmarkRecord.Current.AddWritten(after - before);
        BenchmarkRecord.Current.FileBytes = new FileInfo(DatabasePath).Length;
        BenchmarkRecord.Current.Answer = (long)RebuiltRows.Checksum(DatabasePath);
        var rows = RebuiltRows.Count(DatabasePath);
        m_folder!.Dispose();
        if (rows != m_backup!.ExpectedRows)
            throw new InvalidOperationException($"The rebuilt database has {rows} rows instead of {m_backup.ExpectedRows}.");
    }
}
