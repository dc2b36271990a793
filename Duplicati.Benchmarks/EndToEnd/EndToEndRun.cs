using Duplicati.Engine.Data;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// Backs a data set up, changes a tenth of it and backs up again, recreates the database, restores and compares, and deletes the
/// first version with compacting; each operation timed in a process of its own, contenders taking turns within every repetition.
/// </summary>
internal sealed class EndToEndRun(EndToEndOptions options, TextWriter log)
{
    /// <summary>The operations in the order they are run and reported.</summary>
    internal static readonly string[] Operations = ["backup", "backup 10 % changed", "backup unchanged", "recreate", "restore", "delete"];

    private readonly Dictionary<(string Contender, string Operation), List<StepResult>> m_results = [];

    /// <summary>All results, by contender and operation, in the order of the repetitions.</summary>
    internal IReadOnlyDictionary<(string Contender, string Operation), List<StepResult>> Results => m_results;

    internal async Task RunAsync(CancellationToken token)
    {
        var work = Directory.CreateTempSubdirectory("duplicati-e2e-").FullName;
        try
        {
            var first = await MakeSourceAsync(Path.Combine(work, "source"), token).ConfigureAwait(false);
            for (var repetition = 1; repetition <= options.Repeat; repetition++)
            {
                foreach (var preset in options.Presets)
                    await RunOnceAsync(preset, request => StepRunner.RunInChildAsync(request, token), first, Path.Combine(work, "run"), repetition, token).ConfigureAwait(false);
                if (options.Duplicati is { } command)
                    await RunOnceAsync("Duplicati", new InstalledDuplicati(command).RunAsync, first, Path.Combine(work, "run"), repetition, token).ConfigureAwait(false);
            }
        }
        finally
        {
            Directory.Delete(work, recursive: true);
        }
    }

    private async Task<string> MakeSourceAsync(string folder, CancellationToken token)
    {
        if (options.Source is { } given)
            return Path.GetFullPath(given);

        await log.WriteLineAsync($"Generating {options.TotalBytes} bytes in {options.Files} files (seed {options.Seed})").ConfigureAwait(false);
        var source = new SourceOptions { TotalBytes = options.TotalBytes, Files = options.Files, MaxFileBytes = Math.Max(10 * 1024 * 1024, options.TotalBytes / 10), SparsePercent = 30, Seed = options.Seed };
        await SourceGenerator.GenerateAsync(folder, source, token).ConfigureAwait(false);
        return folder;
    }

    private async Task RunOnceAsync(string contender, Func<StepRequest, Task<StepResult>> run, string source, string folder, int repetition, CancellationToken token)
    {
        Directory.CreateDirectory(folder);
        try
        {
            var tree = Path.Combine(folder, "source");
            await ChangedTree.CopyAsync(source, tree, token).ConfigureAwait(false);
            var request = new StepRequest("backup", Path.Combine(folder, "remote"), Path.Combine(folder, "local.sqlite"), tree, contender, 0, options.BlockSize, options.VolumeSize, options.Passphrase);
            await TimeAsync(contender, Operations[0], repetition, run, request).ConfigureAwait(false);
            ChangedTree.ChangeTenth(tree, options.Seed);
            await TimeAsync(contender, Operations[1], repetition, run, request).ConfigureAwait(false);
            await TimeAsync(contender, Operations[2], repetition, run, request).ConfigureAwait(false);

            var recreated = request with { Operation = "recreate", Database = Path.Combine(folder, "recreated.sqlite") };
            await TimeAsync(contender, Operations[3], repetition, run, recreated).ConfigureAwait(false);
            var target = Path.Combine(folder, "restored");
            await TimeAsync(contender, Operations[4], repetition, run, recreated with { Operation = "restore", Folder = target }).ConfigureAwait(false);
            TreeComparer.RequireEqual(tree, target);
            await TimeAsync(contender, Operations[5], repetition, run, request with { Operation = "delete", Version = 1 }).ConfigureAwait(false);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private async Task TimeAsync(string contender, string operation, int repetition, Func<StepRequest, Task<StepResult>> run, StepRequest request)
    {
        var result = await run(request).ConfigureAwait(false);
        if (!m_results.TryGetValue((contender, operation), out var results))
            m_results.Add((contender, operation), results = []);
        results.Add(result);
        await log.WriteLineAsync(FormattableString.Invariant($"{repetition}/{options.Repeat} {contender,-11} {operation,-20} {result.WallSeconds,8:F2} s wall {result.CpuSeconds,8:F2} s cpu {result.PeakBytes / 1048576.0,8:F0} MiB")).ConfigureAwait(false);
    }
}
