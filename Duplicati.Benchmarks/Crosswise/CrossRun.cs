// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Has each contender work with the backups and databases of each other one.</summary>
/// <param name="options">What to back up, and who.</param>
/// <param name="command">The command line that repeats it.</param>
/// <param name="log">Gets the progress.</param>
internal sealed class CrossRun(EndToEndOptions options, string command, TextWriter log)
{
    /// <summary>What there is so far.</summary>
    public CrossResults Results { get; } = new(command, options);

    /// <summary>Runs all, with plain volumes and then with encrypted ones; what goes wrong is in the results.</summary>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public Task RunAsync(CancellationToken token) =>
        WorkFolder.UseAsync(
            options,
            log,
            async work =>
            {
                await new ContenderTrial(options, work.Path, log).RunAllAsync((name, program) => Results.Programs[name] = program, token);
                var source = Path.Combine(work.Path, "source");
                await SourceData.MakeAsync(options, source, log, token);
                foreach (var isEncrypted in (bool[])[false, true])
                    await RunAsync(work, source, options with { IsEncrypted = isEncrypted }, token);
            }
        );

    private async Task RunAsync(WorkFolder work, string source, EndToEndOptions chosen, CancellationToken token)
    {
        var contenders = Peer.Contenders(chosen);
        foreach (
            var (first, second) in contenders.SelectMany(first =>
                contenders.Where(second => second != first).Select(second => (first, second))
            )
        )
        {
            await RunAsync(work, source, chosen, first, second, BackupOfAnother.RunAsync, token);
            await RunAsync(work, source, chosen, first, second, HandToHand.RunAsync, token);
        }
    }

    private async Task RunAsync(
        WorkFolder work,
        string source,
        EndToEndOptions chosen,
        Peer first,
        Peer second,
        Func<CrossPair, CancellationToken, Task<CrossRow>> run,
        CancellationToken token
    )
    {
        var folder = Path.Combine(work.Path, FormattableString.Invariant($"{Results.Rows.Count + 1}-{first.Name}-{second.Name}"));
        var pair = new CrossPair(new CrossProgram(first, chosen, folder), new CrossProgram(second, chosen, folder), chosen, folder, log);
        await ChangedTree.CopyAsync(source, pair.Tree, token);
        var row = await run(pair, token);
        Results.Rows.Add(row);
        Results.Write(options.Output);
        if (row.Cells.Any(cell => cell.Outcome != CrossOutcome.Good))
            work.Keep = true;
        else
            Directory.Delete(folder, recursive: true);
    }
}

/// <summary>A contender, for runs whose cost does not matter.</summary>
/// <param name="contender">Who.</param>
/// <param name="options">Sizes, and whether volumes are encrypted.</param>
/// <param name="folder">Where its own settings lie.</param>
internal sealed class CrossProgram(Peer contender, EndToEndOptions options, string folder)
{
    private readonly ContenderProgram m_program = new(contender, options, folder);

    /// <summary>Its name.</summary>
    public string Name => contender.Name;

    /// <summary>Runs an operation to its end.</summary>
    /// <returns>What is wrong: nothing if it succeeded, otherwise its exit code and last lines; and how long it took.</returns>
    public async Task<(IReadOnlyList<string> Wrong, TimeSpan Time)> RunAsync(TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await m_program.RunAsync(operation, step, token, isMeasured: false);
        IReadOnlyList<string> wrong = end.IsSuccess ? [] : [$"{Name}, {operation.Title}: {end.Text}", .. end.Lines];
        return (wrong, TimeSpan.FromSeconds(end.Result?.WallSeconds ?? 0));
    }

    /// <summary>Starts an operation and kills it, as <c>kill -9</c> does.</summary>
    /// <returns>False if it ended before.</returns>
    public async Task<bool> KillAsync(TimedOperation operation, Step step, TimeSpan life, CancellationToken token) =>
        (await m_program.RunAsync(operation, step, token, isMeasured: false, life)).Result is { ExitCode: < 0 or > 3 and not 100 };
}

/// <summary>Two contenders, the folder that they work in, and looks at what they leave there.</summary>
/// <param name="First">Who makes the backup.</param>
/// <param name="Second">Who uses it.</param>
/// <param name="Options">Sizes, and whether volumes are encrypted.</param>
/// <param name="Folder">Where everything of this pair lies.</param>
/// <param name="Log">Gets the progress.</param>
internal sealed record CrossPair(CrossProgram First, CrossProgram Second, EndToEndOptions Options, string Folder, TextWriter Log)
{
    private const int MostLines = 5;

    /// <summary>How the volumes are.</summary>
    public string Volumes => Options.IsEncrypted ? "AES" : "plain";

    /// <summary>The files that are backed up.</summary>
    public string Tree => Path.Combine(Folder, "source");

    /// <summary>Changes a tenth of the files.</summary>
    public void ChangeTree(int version) => ChangedTree.ChangeTenth(Tree, Options.Seed + version);

    /// <summary>What is wrong with a database and the volumes that it describes.</summary>
    public async Task<IReadOnlyList<string>> CheckAsync(Step step, CancellationToken token)
    {
        var options = new EngineOptions
        {
            Remote = step.Remote,
            DatabasePath = step.Database,
            Passphrase = Options.Passphrase,
        };
        var report = await new CheckOperation(options, [], SilentProgress.Instance).RunAsync(CheckDepth.Hashes, token);
        return Shortened(
            report
                .Findings.Where(finding => finding.Severity == FindingSeverity.Problem)
                .Select(finding => $"{finding.What} ({finding.Where})"),
            "problems"
        );
    }

    /// <summary>In what two databases differ that describe the same backup.</summary>
    public static async Task<IReadOnlyList<string>> CompareAsync(string original, string recreated, CancellationToken token)
    {
        var differences = await DumpOperation.CompareAsync(original, recreated, DumpComparisonOptions.Logical, token);
        return Shortened(differences.Select(difference => difference.ToString()), "differences");
    }

    /// <summary>Restores the newest version and compares it with the files as they are now.</summary>
    public async Task<IReadOnlyList<string>> RestoreAsync(CrossProgram program, Step step, string target, CancellationToken token)
    {
        var folder = Path.Combine(Folder, target);
        var (wrong, _) = await program.RunAsync(TimedOperation.Restore, step with { Folder = folder }, token);
        return wrong.Count > 0 ? wrong
            : TreeManifest.Difference(Tree, folder) is { } difference ? [difference]
            : [];
    }

    private static IReadOnlyList<string> Shortened(IEnumerable<string> lines, string what)
    {
        var all = lines.ToList();
        return all.Count <= MostLines ? all : [$"{all.Count} {what}, of which the first are", .. all.Take(MostLines)];
    }
}

/// <summary>One contender's backup of two versions in the hands of another, who has no database, and back again.</summary>
internal static class BackupOfAnother
{
    /// <summary>The kind of its rows.</summary>
    public const string Kind = "crosswise";

    /// <summary>Does it.</summary>
    public static async Task<CrossRow> RunAsync(CrossPair pair, CancellationToken token)
    {
        var (first, second) = (pair.First, pair.Second);
        var original = new Step(Path.Combine(pair.Folder, "remote"), Path.Combine(pair.Folder, "local.sqlite"), pair.Tree);
        var recreated = original with { Database = Path.Combine(pair.Folder, "recreated.sqlite") };
        var chain = new CrossChain(pair.Log, $"{pair.Volumes}, {second.Name} with the backup of {first.Name}");

        await chain.TryAsync("backup", () => BackUpTwiceAsync(pair, original, token));
        await chain.TryAsync("recreate", async () => (await second.RunAsync(TimedOperation.Recreate, recreated, token)).Wrong);
        await chain.TryAsync("same content", () => CrossPair.CompareAsync(original.Database, recreated.Database, token), isNeeded: false);
        await chain.TryAsync("test", async () => (await second.RunAsync(TimedOperation.Test, recreated, token)).Wrong, isNeeded: false);
        await chain.TryAsync("restore", () => pair.RestoreAsync(second, recreated, "restored", token), isNeeded: false);
        await chain.TryAsync("continue", () => ContinueAsync(pair, recreated, token));
        await chain.TryAsync("taken back", () => pair.RestoreAsync(first, recreated, "back", token));
        return new CrossRow(Kind, pair.Volumes, first.Name, second.Name, chain.Cells);
    }

    private static async Task<IReadOnlyList<string>> BackUpTwiceAsync(CrossPair pair, Step step, CancellationToken token)
    {
        var (wrong, _) = await pair.First.RunAsync(TimedOperation.Backup, step, token);
        if (wrong.Count > 0)
            return wrong;
        pair.ChangeTree(0);
        return (await pair.First.RunAsync(TimedOperation.Changed, step, token)).Wrong;
    }

    private static async Task<IReadOnlyList<string>> ContinueAsync(CrossPair pair, Step step, CancellationToken token)
    {
        pair.ChangeTree(1);
        var (wrong, _) = await pair.Second.RunAsync(TimedOperation.Changed, step, token);
        return wrong.Count > 0 ? wrong : await pair.CheckAsync(step, token);
    }
}
