using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Profile;
using Duplicati.Benchmarks.Results;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>profile</c>: the share of the data layer in each operation, by samples of what the engine's processes are doing.</summary>
internal static class ProfileCommand
{
    private const string Help = """
        Shows what share of the processor time of each operation the data layer has: SQLite, the layer itself, and the system's work for them;
        and what the rest goes to. The operations are those of e2e on the same data, each in a process that perf samples (Linux; as root, or
        with kernel.perf_event_paranoid at 1 or lower, else the system's own work is missing).
        The output folder gets profile.table.json, which report shows.

        Examples:
          profile
          profile --only delete delete-all --repeat 5
          profile --total 2gb --preset throughput --temp /mnt/disk --output artifacts/results/profile
          report --results artifacts/results/profile --output profile.md

        Exit codes: 0 done; 2 wrong command line, or it could not begin; 3 perf is missing or may not sample, or an operation failed; 130 interrupted.
        """;

    private static readonly EndToEndOptions s_defaults = new();

    // An unchanged backup is none of those whose share is asked for, unless it is named.
    private static readonly string[] s_operations = [.. TimedOperation.All.Where(operation => operation != TimedOperation.Unchanged).Select(operation => operation.Key)];

    public static Command Create()
    {
        var total = EndToEndArguments.Size("--total", "Bytes to generate", s_defaults.TotalBytes);
        var preset = new Option<string>("--preset") { Description = "Preset of the engine", DefaultValueFactory = _ => ConnectionPreset.Default.Name };
        preset.AcceptOnlyFromAmong([.. ConnectionPreset.All.Select(known => known.Name)]);
        var only = new Option<string[]>("--only") { Description = "Only these operations; others that they need are run without being shown", AllowMultipleArgumentsPerToken = true };
        only.AcceptOnlyFromAmong([.. TimedOperation.All.Select(operation => operation.Key)]);
        var rounds = EndToEndArguments.Count("--repeat", "Rounds; their samples are added up", 1, 1);
        rounds.Aliases.Add("-r");
        var scratch = new Option<DirectoryInfo?>("--temp") { Description = "Folder for the data, which are removed; the system's temporary folder if not given" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the results", DefaultValueFactory = _ => new DirectoryInfo("artifacts/profile") };
        var command = new Command("profile", Help) { total, preset, only, rounds, scratch, output };
        command.SetAction((parsed, token) =>
        {
            var chosen = parsed.GetValue(only) ?? [];
            var options = s_defaults with
            {
                TotalBytes = parsed.GetValue(total),
                Presets = [parsed.GetValue(preset)!],
                Operations = chosen.Length == 0 ? s_operations : [.. chosen.Distinct()],
                Repeat = parsed.GetValue(rounds),
                Work = Path.Combine(parsed.GetValue(scratch)?.FullName ?? Path.GetTempPath(), $"duplicati-profile-{Guid.NewGuid():N}"),
                Output = parsed.GetValue(output)!.FullName,
            };
            return RunAsync(options, Environment.GetEnvironmentVariable("PATH"), Console.Out, Console.Error, token);
        });
        return command;
    }

    /// <summary>Runs it and writes the table.</summary>
    /// <param name="options">What to do.</param>
    /// <param name="path">Where perf is looked for, as the variable PATH has it.</param>
    /// <param name="output">Gets the table.</param>
    /// <param name="log">Gets progress and errors.</param>
    /// <param name="token">Interrupts.</param>
    /// <returns>The exit code.</returns>
    internal static async Task<int> RunAsync(EndToEndOptions options, string? path, TextWriter output, TextWriter log, CancellationToken token)
    {
        try
        {
            var environment = RunEnvironment.Current(options.Seed, $"preset {options.Presets[0]}: {ConnectionPreset.Find(options.Presets[0]).Summary}");
            var profiles = await new ProfileRun(options, PerfTool.Find(path), log).RunAsync(token).ConfigureAwait(false);
            var table = ProfileTable.Of(profiles, options, environment, CommandLine(options));
            table.Write(options.Output, "profile");
            await output.WriteLineAsync(table.Markdown()).ConfigureAwait(false);
            return ExitCodes.Done;
        }
        catch (ProfileException ex)
        {
            await log.WriteLineAsync(ex.Message).ConfigureAwait(false);
            return ExitCodes.Failed;
        }
        catch (EndToEndException ex)
        {
            await log.WriteLineAsync(ex.Message).ConfigureAwait(false);
            return ExitCodes.WrongCommandLine;
        }
        catch (OperationCanceledException)
        {
            await log.WriteLineAsync("Interrupted; nothing was written.").ConfigureAwait(false);
            return ExitCodes.Interrupted;
        }
    }

    private static string CommandLine(EndToEndOptions options)
    {
        var only = options.Operations.SequenceEqual(s_operations) ? "" : $" --only {string.Join(' ', options.Operations)}";
        return FormattableString.Invariant($"profile --total {options.TotalBytes}b --preset {options.Presets[0]} --repeat {options.Repeat}{only}");
    }
}
