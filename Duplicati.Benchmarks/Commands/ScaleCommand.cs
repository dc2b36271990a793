// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Globalization;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.Benchmarks.Scale;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>scale</c>: what a row costs with more blocks, or with more versions.</summary>
internal sealed class ScaleCommand(Command command, TextWriter output, TextWriter log)
{
    private const string Name = "scale";
    private const int FewestFiles = 100;
    private const int FewestVersions = 10;
    private const long BlocksPerFile = 1000;

    private const string Help = """
        Shows whether a row costs the same in a large database as in a small one. The data are made up, and there are no volumes.

        --blocks: a first backup, a second one half of whose blocks are known, a check, the deletion of a twentieth of all blocks,
        and a recreate of as many, each in a process of its own. Goals: 1 GiB of memory with preset default, 256 MiB with small;
        2.5 times the final file on the disk.
        --versions: what a backup with a long history is asked and made to do, through the API and by the statements of the
        definitions. Needs some 60 bytes of disk an entry (files × versions), five times over.

        Examples:
          scale --blocks 1000000 10000000
          scale --blocks 1000000 --preset default small --only recreate --way API "plain SQL"
          scale --versions 30 300
          scale --versions 100 --files 1000 --changed 1 --blocks-per-file 500 --only delete --delete 1 10 50 100

        Exit codes: 0 measured; 1 measured, and memory or disk miss their goal; 2 wrong command line; 3 a step failed, or an answer
        is wrong; 130 interrupted.
        """;

    private readonly Option<long[]> m_blocks = command
        .Many<long>("--blocks", "Numbers of blocks, smallest first")
        .AtLeast((int)SyntheticBackup.FewestBlocks);
    private readonly Option<int[]> m_versions = command
        .Many<int>("--versions", "Numbers of versions, fewest first; a database for each")
        .AtLeast(FewestVersions);
    private readonly Option<string[]> m_presets = command.Many<string>(
        "--preset",
        $"With --blocks: {string.Join(", ", ScaleGoals.Presets)}"
    );
    private readonly Option<string[]> m_only = command.Many<string>("--only", "Only operations whose name contains one of these");
    private readonly Option<string[]> m_ways = command.Many<string>(
        "--way",
        $"Only these ways: {string.Join(", ", ScaleWays.All)} [default: all, and API with --blocks]"
    );
    private readonly Option<long?> m_length = command
        .Add<long?>("--blocks-per-file", "Length of the files in blocks of 1 KB [default: 1000, and 1 with --versions]")
        .AtLeast(1);
    private readonly Option<int> m_files = command
        .Add<int>("--files", "With --versions: files of a version")
        .Or(100_000)
        .AtLeast(FewestFiles);
    private readonly Option<double> m_changed = command
        .Add<double>("--changed", "With --versions: percent of the files that change from one version to the next")
        .Or(2);
    private readonly Option<int[]> m_deleted = command
        .Many<int>("--delete", "With --versions: how many are deleted [default: a tenth, and one]")
        .AtLeast(1);
    private readonly Option<double> m_once = command
        .Add<double>("--once-above", "With --versions: plain statements that take more seconds are measured once")
        .Or(60);
    private readonly Option<int> m_rounds = command
        .Add<int>("--repeat -r", "Rounds, the ways in turns; medians are reported")
        .Or(3)
        .AtLeast(1);
    private readonly Option<DirectoryInfo?> m_scratch = command.Add<DirectoryInfo?>(
        "--temp",
        "Folder for the databases, which are removed"
    );
    private readonly Option<DirectoryInfo> m_output = command
        .Add<DirectoryInfo>("--output -o", "Folder for the results")
        .Or(new DirectoryInfo("artifacts/scale"));

    public static Command Create() => Create(Console.Out, Console.Error);

    /// <summary>The command.</summary>
    /// <param name="output">Gets the table.</param>
    /// <param name="log">Gets progress and errors.</param>
    internal static Command Create(TextWriter output, TextWriter log)
    {
        var command = new Command(Name, Help);
        var scale = new ScaleCommand(command, output, log);
        scale.m_presets.AcceptOnlyFromAmong(ScaleGoals.Presets);
        scale.m_ways.AcceptOnlyFromAmong(ScaleWays.All);
        command.SetAction((parsed, token) => scale.RunAsync(parsed, token));
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken token)
    {
        if (Problem(parsed) is { } problem)
        {
            await log.WriteLineAsync(problem);
            return ExitCodes.WrongCommandLine;
        }

        var scratch = Path.Combine(parsed.GetValue(m_scratch)?.FullName ?? Path.GetTempPath(), $"scale-{Guid.NewGuid():N}");
        Directory.CreateDirectory(scratch);
        var isBlocks = parsed.GetValue(m_blocks)!.Length > 0;
        IReadOnlyList<ScaleResult> results = [];
        try
        {
            if (isBlocks)
            {
                var run = new BlockScale(Blocks(parsed), scratch, log);
                results = run.Results;
                await run.RunAsync(token);
            }
            else
            {
                var request = Versions(parsed);
                // The first run compiles and does not count.
                var trial = request with
                {
                    Backups = [Backup(FewestFiles, FewestVersions, 2, 1)],
                    Rounds = 2,
                };
                new VersionScale(trial, scratch, TextWriter.Null).Run(token);
                var run = new VersionScale(request, scratch, log);
                results = run.Results;
                run.Run(token);
            }

            return Report(parsed, results, ExitCodes.Done);
        }
        catch (InvalidOperationException ex)
        {
            await log.WriteLineAsync(ex.Message);
            return Report(parsed, results, ExitCodes.Failed);
        }
        catch (OperationCanceledException)
        {
            await log.WriteLineAsync("Interrupted.");
            return Report(parsed, results, ExitCodes.Interrupted);
        }
        finally
        {
            Directory.Delete(scratch, recursive: true);
        }
    }

    // What there is of it is told, too, when it was stopped.
    private int Report(ParseResult parsed, IReadOnlyList<ScaleResult> results, int code)
    {
        if (!results.Any(result => result.Costs.Count > 0))
            return code;
        var isBlocks = parsed.GetValue(m_blocks)!.Length > 0;
        var report = new ScaleReport(results, isBlocks ? "blocks" : "versions");
        var title = isBlocks
            ? "What a block costs in large databases"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"Long histories: {parsed.GetValue(m_files):N0} files, {parsed.GetValue(m_changed)} % changed a version"
            );
        var words = parsed.Tokens.Select(word => word.Value).SkipWhile(word => word == Name).ToList();
        var table = report.Table(title, $"{Name} {EndToEndCommand.Repeated(words)}");
        TableResults.Write(parsed.GetValue(m_output)!.FullName, Name, [table]);
        output.WriteLine(table.Markdown());
        foreach (var line in report.Missed)
            log.WriteLine(line);
        return code == ExitCodes.Done && report.Missed.Any() ? ExitCodes.Warned : code;
    }

    // What does not fit together; null if all does.
    private string? Problem(ParseResult parsed)
    {
        var (blocks, versions) = (parsed.GetValue(m_blocks)!, parsed.GetValue(m_versions)!);
        return blocks.Length > 0 == versions.Length > 0 ? "Give --blocks or --versions."
            : blocks.Length > 0 && Steps(parsed).Length == 0
                ? $"No operation has such a name; there are: {string.Join(", ", BlockSteps.All)}."
            : versions.Length > 0 && Operations(parsed).Count == 0
                ? $"No operation has such a name; there are: {string.Join("; ", All(parsed).Select(operation => operation.Name))}."
            : parsed.GetValue(m_changed) is not (> 0 and <= 100) ? "More than 0 and up to 100 percent of the files can change."
            : versions.Length > 0 && parsed.GetValue(m_deleted)!.Any(count => count > versions.Min())
                ? "--delete: no more than there are can go."
            : null;
    }

    private BlockRequest Blocks(ParseResult parsed) =>
        new(
            [.. parsed.GetValue(m_blocks)!.Distinct()],
            parsed.GetValue(m_presets) is { Length: > 0 } presets ? [.. presets.Distinct()] : [ScaleGoals.Presets[0]],
            Steps(parsed),
            parsed.GetValue(m_ways) is { Length: > 0 } ways ? [.. ways.Distinct()] : [ScaleWays.Api],
            parsed.GetValue(m_length) ?? BlocksPerFile,
            parsed.GetValue(m_rounds)
        );

    private VersionRequest Versions(ParseResult parsed)
    {
        var length = (int)(parsed.GetValue(m_length) ?? 1);
        var backups = parsed
            .GetValue(m_versions)!
            .Distinct()
            .Order()
            .Select(count => Backup(parsed.GetValue(m_files), count, parsed.GetValue(m_changed), length));
        var ways = parsed.GetValue(m_ways) is { Length: > 0 } chosen ? chosen : ScaleWays.All;
        return new VersionRequest(
            [.. backups],
            Operations(parsed),
            ways,
            parsed.GetValue(m_rounds),
            TimeSpan.FromSeconds(parsed.GetValue(m_once))
        );
    }

    private static VersionedBackup Backup(int files, int versions, double changed, int length) =>
        new(versions, files, Math.Clamp((int)(files * changed / 100), 1, files), length);

    private string[] Steps(ParseResult parsed) => [.. BlockSteps.All.Where(name => IsChosen(parsed, name))];

    private List<VersionOperation> Operations(ParseResult parsed) => [.. All(parsed).Where(operation => IsChosen(parsed, operation.Name))];

    private IEnumerable<VersionOperation> All(ParseResult parsed) => VersionOperation.All(parsed.GetValue(m_deleted)!);

    private bool IsChosen(ParseResult parsed, string name) =>
        parsed.GetValue(m_only) is not { Length: > 0 } only || only.Any(part => name.Contains(part, StringComparison.OrdinalIgnoreCase));
}
