using System.CommandLine;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Soak;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>soak</c>: long runs of the tests of docs/reliability.md, in rounds of one seed each, that can be stopped and gone on with.</summary>
internal static class SoakCommand
{
    private const string Help = """
        Runs the long run of a row of docs/reliability.md in rounds, each with the next seed, until its figure is reached. What was reached is in a file: the same command goes on from there.

        Examples, where the solution is:
          soak --list              all rows, and what was reached
          soak 1                   until 5,000 kills are done
          soak 8 --for 30m         no round begins after half an hour
          soak 8 --seed 77         the first round has this seed; a seed that failed fails again if nothing else differs

        Exit codes: 0 no round failed; 2 wrong command line; 3 a round failed, or the tests cannot be built; 130 interrupted.
        """;

    public static Command Create()
    {
        var row = new Argument<string?>("row") { Description = "Name of the row", Arity = ArgumentArity.ZeroOrOne };
        var list = new Option<bool>("--list") { Description = "Lists the rows and what was reached" };
        var time = new Option<string?>("--for") { Description = "Time after which no round begins, such as 30m or 2h" };
        var seed = new Option<int?>("--seed") { Description = "Seed of the first round; without it the one after the last that is on record" };
        var state = new Option<string>("--state") { Description = "The file of what was reached", DefaultValueFactory = _ => "artifacts/soak.json" };
        var tests = new Option<string>("--tests") { Description = "The project of the tests", DefaultValueFactory = _ => "Duplicati.UnitTest" };
        var noBuild = new Option<bool>("--no-build") { Description = "The tests are built already" };
        var command = new Command("soak", Help) { row, list, time, seed, state, tests, noBuild };
        command.Validators.Add(parsed =>
        {
            if (!parsed.GetValue(list) && (parsed.GetValue(row) is not { } name || SoakRow.Find(name) is null))
                parsed.AddError($"A row is needed: {string.Join(", ", SoakRow.All.Select(x => x.Name))}.");
            if (parsed.GetValue(time) is { } given && !IsTime(given))
                parsed.AddError($"'{given}' is no time; 30m and 2h are.");
        });
        command.SetAction((parsed, token) => parsed.GetValue(list)
            ? ListAsync(parsed.GetValue(state)!)
            : RunAsync(SoakRow.Find(parsed.GetValue(row)!)!, parsed.GetValue(seed), Time(parsed.GetValue(time)), parsed.GetValue(state)!, parsed.GetValue(noBuild), new TestProcess(parsed.GetValue(tests)!), token));
        return command;
    }

    private static async Task<int> ListAsync(string path)
    {
        var state = SoakState.Read(path);
        foreach (var row in SoakRow.All)
            await Console.Out.WriteLineAsync(SoakRun.Describe(row, state.Of(row))).ConfigureAwait(false);
        return ExitCodes.Done;
    }

    private static async Task<int> RunAsync(SoakRow row, int? seed, TimeSpan? time, string path, bool isBuilt, TestProcess tests, CancellationToken token)
    {
        try
        {
            if (!isBuilt && !await tests.BuildAsync(token).ConfigureAwait(false))
                return ExitCodes.Failed;
            var failed = await new SoakRun(path, tests.RoundAsync, Console.Error).RunAsync(row, seed, time, token).ConfigureAwait(false);
            await Console.Out.WriteLineAsync(SoakRun.Describe(row, SoakState.Read(path).Of(row))).ConfigureAwait(false);
            return failed == 0 ? ExitCodes.Done : ExitCodes.Failed;
        }
        catch (OperationCanceledException)
        {
            await Console.Out.WriteLineAsync(SoakRun.Describe(row, SoakState.Read(path).Of(row))).ConfigureAwait(false);
            return ExitCodes.Interrupted;
        }
    }

    private static TimeSpan? Time(string? text) => text is null ? null : Timeparser.ParseTimeSpan(text);

    private static bool IsTime(string text)
    {
        try
        {
            return Timeparser.ParseTimeSpan(text) > TimeSpan.Zero;
        }
        catch (Exception ex) when (ex is FormatException or OverflowException or ArgumentException)
        {
            return false;
        }
    }
}
