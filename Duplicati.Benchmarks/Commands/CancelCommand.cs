using System.CommandLine;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Soak;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>cancel</c>: how long a cancelled member goes on, and how long a call keeps its caller.</summary>
internal static class CancelCommand
{
    private const string Help = """
        Cancels each long member at random times: how long it goes on after that, and how long its call keeps the caller. A member that leaves something behind ends the run with an error.

        Example:
          cancel --versions 100 -r 200 --seed 1      on a million blocks

        Exit codes: 0 measured; 2 wrong command line.
        """;

    public static Command Create()
    {
        var versions = new Option<int>("--versions", "-n") { Description = "Versions of the backup, as in the group operations", DefaultValueFactory = _ => 100 };
        var trials = new Option<int>("--repeat", "-r") { Description = "Cancels of each member", DefaultValueFactory = _ => 200 };
        var seed = new Option<int?>("--seed") { Description = "Seed of the times; of the clock if not given" };
        var command = new Command("cancel", Help) { versions, trials, seed };
        command.SetAction(async (parsed, _) =>
        {
            var (count, given) = (parsed.GetValue(versions), parsed.GetValue(seed) ?? Environment.TickCount & 0xffffff);
            try
            {
                await Console.Out.WriteLineAsync(FormattableString.Invariant($"{VersionedBackup.Blocks(count)} blocks, seed {given}; ms")).ConfigureAwait(false);
                await Console.Out.WriteLineAsync("| Member | Whole | Cancelled | Goes on, median | 99 % | Longest | Keeps the caller, 99 % | Longest |\n|---|---|---|---|---|---|---|---|").ConfigureAwait(false);
                var run = new CancelTrials(VersionedBackup.Template(count), count, new Random(given));
                foreach (var member in CancelTrials.Members)
                    await Console.Out.WriteLineAsync(Row(await run.RunAsync(member, Math.Max(1, parsed.GetValue(trials))).ConfigureAwait(false))).ConfigureAwait(false);
                return ExitCodes.Done;
            }
            finally
            {
                DatabaseTemplates.Remove();
            }
        });
        return command;
    }

    private static string Row(CancelFigures figures) => FormattableString.Invariant(
        $"| {figures.Name} | {figures.Whole:F0} | {figures.Latencies.Count} | {CancelFigures.Percentile(figures.Latencies, 50):F1} | {CancelFigures.Percentile(figures.Latencies, 99):F1} | {CancelFigures.Percentile(figures.Latencies, 100):F1} | {CancelFigures.Percentile(figures.Blocked, 99):F2} | {CancelFigures.Percentile(figures.Blocked, 100):F2} |");
}
