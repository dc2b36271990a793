using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>Runs one rebuild in a process of its own, so that peak memory and bytes written are those of the rebuild alone.</summary>
internal static class ScaleRunner
{
    // Enough to have everything compiled as it stays, which takes several rounds: what that costs is no part of the cost of a block.
    // Small ones, because the peak of memory is that of the process.
    private const int WarmUpRounds = 10;
    private const long WarmUpBlocks = 20_000;
    private const long WarmUpBlocksPerFile = 1024;

    /// <summary>Starts this program again for one case and waits for it.</summary>
    /// <param name="item">The case.</param>
    /// <param name="folder">An existing folder for the database.</param>
    /// <exception cref="InvalidOperationException">The rebuild failed; it has said why.</exception>
    internal static ScaleSample RunInChild(ScaleCase item, string folder)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, UseShellExecute = false };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath!) == "dotnet")
            start.ArgumentList.Add(typeof(ScaleRunner).Assembly.Location);
        foreach (var argument in new[] { "recreate-case", JsonSerializer.Serialize(item), folder })
            start.ArgumentList.Add(argument);
        // SQLite's own files of a sort belong where there is room for the database.
        start.Environment["SQLITE_TMPDIR"] = folder;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? JsonSerializer.Deserialize<ScaleSample>(output)!
            : throw new InvalidOperationException($"The rebuild of {item.Blocks} blocks by the {item.Way} failed with exit code {process.ExitCode}.");
    }

    /// <summary>The child's side: rebuilds, writes what it took.</summary>
    internal static int Run(string item, string folder, TextWriter output)
    {
        var scale = JsonSerializer.Deserialize<ScaleCase>(item)!;
        for (var round = 0; round < WarmUpRounds; round++)
            Rebuild(new ScaleCase(scale.Way, WarmUpBlocks, WarmUpBlocksPerFile), Path.Combine(folder, $"warm-up{round}.sqlite"));
        output.WriteLine(JsonSerializer.Serialize(Measure(scale, Path.Combine(folder, "db.sqlite"))));
        return 0;
    }

    private static ScaleSample Measure(ScaleCase item, string path)
    {
        var written = ProcessWrites.Bytes() ?? 0;
        var (phases, indexes) = Rebuild(item, path);
        using var self = Process.GetCurrentProcess();
        var peak = self.PeakWorkingSet64;
        written = (ProcessWrites.Bytes() ?? 0) - written;
        return new ScaleSample(
            phases.ToDictionary(phase => phase.Name, phase => phase.Processor.TotalMicroseconds),
            phases.Sum(phase => phase.Elapsed.TotalMicroseconds), peak, written, RebuiltRows.Count(path), RebuiltRows.Checksum(path),
            indexes.ToDictionary(index => index.Name, index => index.Processor.TotalMicroseconds));
    }

    private static (IReadOnlyList<RebuildPhase> Phases, IReadOnlyList<(string Name, TimeSpan Processor)> Indexes) Rebuild(ScaleCase item, string path)
    {
        var backup = new SyntheticBackup(item.Blocks, item.BlocksPerFile);
        using var variant = ScaleWays.Create(item.Way, path, backup);
        var run = new RebuildRun(backup, variant);
        run.Run();
        GC.Collect();
        return (run.Phases, (variant as EngineVariant)?.Indexes ?? []);
    }
}
