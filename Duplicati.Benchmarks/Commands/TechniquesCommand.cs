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
    private const string Durability = RunEnvironment.WriteAheadLog + "; recreate: none";

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
        var blocks = command.Add<int>("--blocks -n", "Blocks of the data").Or(100_000).AtLeast(Technique.FewestBlocks);
        var rounds = command.Add<int>("--repeat -r", "Rounds, after one that is not counted").Or(3).AtLeast(1);
        var output = command.Add<DirectoryInfo?>("--output -o", "Folder for a result file, which report and compare read");
        command.SetAction(parsed => Run(parsed.GetValue(only)!, parsed.GetValue(blocks), parsed.GetValue(rounds), parsed.GetValue(output)));
        return command;
    }

    private static int Run(string[] only, int blocks, int rounds, DirectoryInfo? folder)
    {
        var chosen = Technique
            .All.Where(x => only.Length == 0 || only.Any(name => x.Name.Contains(name, StringComparison.OrdinalIgnoreCase)))
            .ToList();
        if (chosen.Count == 0)
        {
            Console.Error.WriteLine($"Choose one technique of: {string.Join("; ", Technique.All.Select(x => x.Name))}.");
            return ExitCodes.WrongCommandLine;
        }

        try
        {
            var environment = RunEnvironment.Current(BlockKeys.Seed, Durability);
            var results = new List<TechniqueResult>();
            foreach (var technique in chosen)
            {
                // All of it takes minutes.
                Console.Error.WriteLine(technique.Name);
                results.Add(new TechniqueRunner(blocks, rounds).Run(technique));
            }

            var names = only.Length == 0 ? "" : $" --only {string.Join(' ', only.Select(name => $"\"{name}\""))}";
            var table = new TableResults
            {
                Title = "What each technique gives",
                Command = FormattableString.Invariant($"techniques --blocks {blocks} -r {rounds}{names}"),
                Environment = environment,
                Note = Note,
                Texts = TechniqueResult.Texts,
                Figures = TechniqueResult.Figures,
                Rows = [.. results.Select(result => result.Row)],
                Ratios = [.. results.Select(result => result.Ratio)],
            };
            Console.Out.WriteLine(table.Markdown());
            if (folder is not null)
                TableResults.Write(folder.FullName, "techniques", [table]);
            return ExitCodes.Done;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }
}
