using System.CommandLine;
using Duplicati.Benchmarks.Large;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>large</c>: what a block costs in databases of millions of blocks, and how much memory and disk that takes.</summary>
internal static class LargeCommand
{
    private const string Name = "large";

    private const string Help = """
        Shows whether a block costs the same in a large database as in a small one, and whether memory and disk keep to their bounds: a first backup, a second one half of whose blocks are
        known, a check, the deletion of a twentieth of all blocks, and a recreate of as many. The data are made up, and there are no volumes.

        Goals: a block costs at most 1.5 times what it costs at the smallest size; 1 GiB of memory with preset default, 256 MiB with small; 2.5 times the final file on the disk.

        Examples:
          large                                             1 and 10 million blocks, preset default
          large -n 1000000 10000000 50000000                up to 50 million (tens of GB of disk, hours)
          large --preset default small --only recreate      one step, two presets
          large -n 1000000 --slow-disk                      what 100 MB/s and 200 flushes a second would add (needs strace)

        Exit codes: 0 measured; 1 measured, and memory or disk miss their goal; 2 wrong command line; 3 a step failed, or its answer is wrong; 130 interrupted.
        """;

    public static Command Create()
    {
        var blocks = new Option<long[]>("--blocks", "-n") { Description = "Blocks, smallest first", DefaultValueFactory = _ => [1_000_000, 10_000_000], AllowMultipleArgumentsPerToken = true };
        var presets = new Option<string[]>("--preset") { Description = string.Join(", ", LargeGoals.Presets), DefaultValueFactory = _ => [LargeGoals.Presets[0]], AllowMultipleArgumentsPerToken = true };
        var only = new Option<string[]>("--only") { Description = $"Only these steps: {string.Join(", ", LargeSteps.All)}; those before them are made all the same", AllowMultipleArgumentsPerToken = true };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds; medians are reported", DefaultValueFactory = _ => 1 };
        var slow = new Option<bool>("--slow-disk") { Description = "Counts flushes, and reckons the time on a slow disk" };
        var scratch = new Option<DirectoryInfo?>("--temp") { Description = "Folder for the databases, which are removed; the system's temporary folder if not given" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the results", DefaultValueFactory = _ => new DirectoryInfo("artifacts/large") };
        presets.AcceptOnlyFromAmong(LargeGoals.Presets);
        only.AcceptOnlyFromAmong(LargeSteps.All);
        var command = new Command(Name, Help) { blocks, presets, only, rounds, slow, scratch, output };
        command.SetAction((parsed, token) =>
        {
            var steps = parsed.GetValue(only) is { Length: > 0 } chosen ? chosen : LargeSteps.All;
            var options = new LargeOptions([.. parsed.GetValue(blocks)!.Distinct()], [.. parsed.GetValue(presets)!.Distinct()], steps, parsed.GetValue(rounds), parsed.GetValue(slow));
            return options.Blocks.Count > 0 && options.Blocks.Min() >= LargeBackup.FewestBlocks && options.Rounds > 0
                ? RunAsync(options, parsed.GetValue(scratch)?.FullName ?? Path.GetTempPath(), parsed.GetValue(output)!.FullName, token)
                : RefuseAsync();
        });
        return command;
    }

    private static async Task<int> RefuseAsync()
    {
        await Console.Error.WriteLineAsync(FormattableString.Invariant($"Give {LargeBackup.FewestBlocks} blocks and one round, or more.")).ConfigureAwait(false);
        return ExitCodes.WrongCommandLine;
    }

    private static async Task<int> RunAsync(LargeOptions options, string scratch, string output, CancellationToken token)
    {
        if (options.CountsFlushes && FlushCount.Program is null)
        {
            await Console.Error.WriteLineAsync("There is no strace, or it may not trace: flushes are not counted, and the columns of the slow disk are left out.").ConfigureAwait(false);
            options = options with { CountsFlushes = false };
        }

        var run = new LargeRun(options, scratch, Console.Error);
        var code = ExitCodes.Done;
        try
        {
            await run.RunAsync(token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            code = ExitCodes.Interrupted;
        }
        catch (InvalidOperationException ex)
        {
            await Console.Error.WriteLineAsync(ex.Message).ConfigureAwait(false);
            code = ExitCodes.Failed;
        }

        return await ReportAsync(run, CommandLine(options), output, code).ConfigureAwait(false);
    }

    // What there is, is shown: a step of a large database takes long.
    private static async Task<int> ReportAsync(LargeRun run, string command, string output, int code)
    {
        if (run.Samples.Count == 0)
            return code;

        var report = new LargeReport(run.Samples);
        var table = report.Table(command);
        table.Write(output, Name);
        await Console.Out.WriteLineAsync(table.Markdown()).ConfigureAwait(false);
        foreach (var line in report.Missed)
            await Console.Error.WriteLineAsync(line).ConfigureAwait(false);
        return code == ExitCodes.Done && report.Missed.Any() ? ExitCodes.Warned : code;
    }

    private static string CommandLine(LargeOptions options)
    {
        var only = options.Steps.Count == LargeSteps.All.Length ? "" : $" --only {string.Join(' ', options.Steps)}";
        return FormattableString.Invariant($"{Name} -n {string.Join(' ', options.Blocks)} --preset {string.Join(' ', options.Presets)}{only} -r {options.Rounds}{(options.CountsFlushes ? " --slow-disk" : "")}");
    }
}

/// <summary><c>large-case</c>: one step of a <c>large</c> run, started by that run.</summary>
internal static class LargeCaseCommand
{
    public static Command Create()
    {
        var item = new Argument<string>("case") { Description = "The case, as JSON" };
        var folder = new Argument<string>("folder") { Description = "An existing folder for the database" };
        var command = new Command(LargeChild.Command, "Runs one step; used by large") { item, folder };
        command.Hidden = true;
        command.SetAction((parsed, token) => LargeChild.RunAsync(parsed.GetValue(item)!, parsed.GetValue(folder)!, Console.Out, token));
        return command;
    }
}
