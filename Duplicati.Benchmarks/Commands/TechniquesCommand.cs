using System.CommandLine;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Reports;
using Duplicati.Benchmarks.Techniques;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>techniques</c>: what each technique of the layer gives, the same work with it and without it in turns within one run.</summary>
internal static class TechniquesCommand
{
    private const string Durability = "WAL, synchronous NORMAL (a power loss may drop the last commits); queue for durable commits: FULL; rebuild: none";

    public static Command Create()
    {
        var only = new Option<string[]>("--only") { Description = "Only techniques whose name contains one of these", AllowMultipleArgumentsPerToken = true };
        var blocks = new Option<int>("--blocks", "-n") { Description = "Blocks of the data", DefaultValueFactory = _ => 100_000 };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds, after one that is not counted", DefaultValueFactory = _ => 3 };
        var results = new Option<DirectoryInfo?>("--results") { Description = "Folder for the table and a file with all figures" };
        var list = new Option<bool>("--list") { Description = "Only lists the techniques" };
        var command = new Command("techniques", "Shows what each technique gives: processor time with and without it, memory, and when it is off") { only, blocks, rounds, results, list };
        command.SetAction(parsed => parsed.GetValue(list)
            ? List()
            : Run(parsed.GetValue(only) ?? [], parsed.GetValue(blocks), parsed.GetValue(rounds), parsed.GetValue(results)));
        return command;
    }

    private static int List()
    {
        foreach (var technique in TechniqueList.All)
            Console.Out.WriteLine($"{technique.Name} (without: {technique.Without})");
        return ExitCodes.Done;
    }

    private static int Run(string[] only, int blocks, int rounds, DirectoryInfo? folder)
    {
        var chosen = TechniqueList.All.Where(x => only.Length == 0 || only.Any(name => x.Name.Contains(name, StringComparison.OrdinalIgnoreCase))).ToList();
        if (chosen.Count == 0 || blocks < TechniqueList.FewestBlocks || rounds < 1)
        {
            Console.Error.WriteLine($"Choose at least one technique (--list names them), {TechniqueList.FewestBlocks} blocks and one round.");
            return ExitCodes.WrongCommandLine;
        }

        try
        {
            var environment = RunEnvironment.Current(BlockKeys.Seed, Durability);
            Console.Out.Write(TechniqueResults.Header);
            var measured = new List<TechniqueResult>();
            foreach (var technique in chosen)
            {
                measured.Add(new TechniqueRunner(blocks, rounds).Run(technique));
                Console.Out.Write(TechniqueResults.Row(measured[^1]));
            }

            if (folder is not null)
                new TechniqueResults(CommandLine(only, blocks, rounds), rounds, environment, measured).Write(folder.FullName);
            return ExitCodes.Done;
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private static string CommandLine(string[] only, int blocks, int rounds) =>
        string.Concat($"techniques --blocks {blocks} -r {rounds}", only.Length == 0 ? "" : " --only", string.Concat(only.Select(name => $" \"{name}\"")));
}
