// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.Benchmarks.Techniques;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>techniques</c>: what each technique of the layer gives, the same work with it and without it in turns within one run.
/// </summary>
internal static class TechniquesCommand
{
    private const string Durability = RunEnvironment.WriteAheadLog + "; queue for durable commits: FULL; recreate: none";

    private const string Note = """
        The same work with and without a technique, in turns in one process; both must give the same answer. "Before" and
        "after" are medians of processor time an entry, and "ratio" is theirs; where waiting is what a technique saves, the
        clock's ratio is the one to read. "Bytes an entry" is the extra memory held per entry at
        the end; what is let go of before that, and what the engine takes, is named in the text.
        """;

    private const string Help = """
        Shows what each technique gives: processor time with it and without it, memory, and when it is off.

        Examples:
          techniques --only restore
          techniques --blocks 1000000 --output artifacts/results/techniques
          report --results artifacts/results/techniques --output docs/performance.md

        Exit codes: 0 done; 2 wrong command line. Different answers of the two ways are an error that ends it.
        """;

    public static Command Create()
    {
        var command = new Command("techniques", Help);
        var only = command.Many<string>("--only", "Only techniques whose name contains one of these");
        var blocks = command.Add<int>("--blocks -n", "Blocks of the data").Or(100_000);
        var rounds = command.Add<int>("--repeat -r", "Rounds, after one that is not counted").Or(3);
        var output = command.Add<DirectoryInfo?>("--output -o", "Folder for a result file, which report and compare read");
        command.SetAction(parsed => Run(parsed.GetValue(only)!, parsed.GetValue(blocks), parsed.GetValue(rounds), parsed.GetValue(output)));
        return command;
    }

    private static int Run(string[] only, int blocks, int rounds, DirectoryInfo? folder)
    {
        var chosen = Technique
            .All.Where(x => only.Length == 0 || only.Any(name => x.Name.Contains(name, StringComparison.OrdinalIgnoreCase)))
            .ToList();
        if (chosen.Count == 0 || blocks < Technique.FewestBlocks || rounds < 1)
        {
            Console.Error.WriteLine(
                $"Choose at least {Technique.FewestBlocks} blocks, one round, and one technique of: {string.Join("; ", Technique.All.Select(x => x.Name))}."
            );
            return ExitCodes.WrongCommandLine;
        }

        try
        {
            var environment = RunEnvironment.Current(BlockKeys.Seed, Durability);
            var results = Measure(chosen, blocks, rounds);
            if (folder is not null)
                Table(only, blocks, rounds, environment, results).Write(folder.FullName, "techniques");
            return ExitCodes.Done;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    // A line as soon as it is known: all of it takes minutes.
    private static List<TechniqueResult> Measure(List<Technique> chosen, int blocks, int rounds)
    {
        Console.Out.WriteLine($"| {string.Join(" | ", TechniqueResult.Texts.Concat(TechniqueResult.Figures))} |");
        Console.Out.WriteLine(
            $"|{string.Concat(TechniqueResult.Texts.Select(_ => "---|"))}{string.Concat(TechniqueResult.Figures.Select(_ => "---:|"))}"
        );
        var results = new List<TechniqueResult>();
        foreach (var technique in chosen)
        {
            results.Add(new TechniqueRunner(blocks, rounds).Run(technique));
            Console.Out.WriteLine($"| {string.Join(" | ", results[^1].Row)} |");
        }

        return results;
    }

    private static TableResults Table(string[] only, int blocks, int rounds, RunEnvironment environment, List<TechniqueResult> results) =>
        new()
        {
            Title = "What each technique gives",
            Command = string.Concat(
                $"techniques --blocks {blocks} -r {rounds}",
                only.Length == 0 ? "" : " --only",
                string.Concat(only.Select(name => $" \"{name}\""))
            ),
            Environment = environment,
            Note = Note,
            Texts = TechniqueResult.Texts,
            Figures = TechniqueResult.Figures,
            Rows = [.. results.Select(result => result.Row)],
            Ratios = [.. results.Select(result => result.Ratio)],
        };
}
