using System.CommandLine;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Benchmarks.Processes;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>recreate-scale</c>: rebuilds databases of growing size and of files of growing length, and prints what a block costs: processor
/// time by phase and in all, then time on the clock, medians of several rounds in turn, each in a process of its own.
/// </summary>
internal static class RecreateScaleCommand
{
    private const long BlockBytes = 1024;

    private const string Help = """
        Shows what a recreate's data layer costs for a block: with more blocks, with longer files, against the provider's commands row by row,
        and how much of it is the engine's own: the same rows through the C API alone, and what building each index takes.

        Examples:
          recreate-scale                                              100,000 and 1,000,000 blocks in files of 1 MB
          recreate-scale -n 100000 1000000 10000000 -w layer          the layer alone up to ten million (5 GB of disk)
          recreate-scale -n 10000000 --provider-repeat 1              once by the provider, which takes long
          recreate-scale -n 1048576 -f 1mb 1gb -w layer               the same blocks in files of 1 MB and in one of 1 GB

        Exit codes: 0 measured; 2 wrong command line. A rebuild with a wrong answer ends the run with an error.
        """;

    public static Command Create()
    {
        var blocks = new Option<long[]>("--blocks", "-n") { Description = "Blocks to rebuild, one table of cases for each", DefaultValueFactory = _ => [100_000, 1_000_000], AllowMultipleArgumentsPerToken = true };
        var files = new Option<string[]>("--file-size", "-f") { Description = "Lengths of the files (1 KB blocks)", DefaultValueFactory = _ => ["1mb"], AllowMultipleArgumentsPerToken = true };
        var ways = new Option<string[]>("--way", "-w") { Description = "provider, layer, engine", DefaultValueFactory = _ => [ScaleWays.Provider, ScaleWays.Layer, ScaleWays.Engine], AllowMultipleArgumentsPerToken = true };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds; medians are reported", DefaultValueFactory = _ => 3 };
        var providerRounds = new Option<int?>("--provider-repeat") { Description = "Rounds of the provider, if not as many" };
        var providerMost = new Option<long>("--provider-max") { Description = "The provider sits out with more blocks than this", DefaultValueFactory = _ => long.MaxValue };
        var scratch = new Option<DirectoryInfo?>("--temp") { Description = "Folder for the databases, which are removed; the system's temporary folder if not given" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the results", DefaultValueFactory = _ => new DirectoryInfo("artifacts/recreate-scale") };
        var command = new Command("recreate-scale", Help) { blocks, files, ways, rounds, providerRounds, providerMost, scratch, output };
        command.SetAction(parsed =>
        {
            var cases = Cases(parsed.GetValue(blocks)!, parsed.GetValue(files)!, parsed.GetValue(ways)!, parsed.GetValue(providerMost));
            var most = Math.Max(1, parsed.GetValue(rounds));
            var samples = Measure(cases, most, parsed.GetValue(providerRounds) ?? most, parsed.GetValue(scratch)?.FullName ?? Path.GetTempPath());
            Console.Out.WriteLine(new RecreateScaleReport(samples).Write(parsed.GetValue(output)!.FullName, CommandLine(parsed.GetValue(blocks)!, parsed.GetValue(files)!, parsed.GetValue(ways)!, most, parsed.GetValue(providerRounds))));
            return ExitCodes.Done;
        });
        return command;
    }

    private static string CommandLine(long[] blocks, string[] files, string[] ways, int rounds, int? providerRounds) => FormattableString.Invariant(
        $"recreate-scale -n {string.Join(' ', blocks)} -f {string.Join(' ', files)} -w {string.Join(' ', ways)} -r {rounds}{(providerRounds is { } count ? FormattableString.Invariant($" --provider-repeat {count}") : "")}");

    private static List<ScaleCase> Cases(long[] sizes, string[] lengths, string[] ways, long providerMost) =>
    [
        .. from size in sizes
           from length in lengths
           from way in ways
           where way != ScaleWays.Provider || size <= providerMost
           select new ScaleCase(way, size, Math.Max(1, Sizer.ParseSize(length, "b") / BlockBytes)),
    ];

    private static List<(ScaleCase Case, List<ScaleSample> Samples)> Measure(List<ScaleCase> cases, int rounds, int providerRounds, string scratch)
    {
        var results = cases.Select(item => (item, new List<ScaleSample>())).ToList();
        // In turn, so that what else the machine does meets all of them alike.
        for (var round = 0; round < rounds; round++)
        {
            foreach (var (item, samples) in results)
            {
                if (item.Way != ScaleWays.Provider || round < providerRounds)
                    samples.Add(Measure(item, scratch));
            }
        }

        return results;
    }

    private static ScaleSample Measure(ScaleCase item, string scratch)
    {
        var folder = Directory.CreateDirectory(Path.Combine(scratch, $"recreate-scale-{Guid.NewGuid():N}"));
        try
        {
            var sample = ScaleRunner.RunInChild(item, folder.FullName);
            Console.Error.WriteLine(FormattableString.Invariant($"{item.Way}, {item.Blocks} blocks, files {item.Files}: {sample.Processor / item.Blocks:F2} µs of processor a block, {sample.Clock / item.Blocks:F2} on the clock, {sample.PeakBytes >> 20} MB"));
            // A fast wrong answer must not pass as a fast one.
            var expected = new SyntheticBackup(item.Blocks, item.BlocksPerFile).ExpectedRows;
            return sample.Rows == expected ? sample : throw new InvalidOperationException($"The rebuilt database has {sample.Rows} rows instead of {expected}.");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}

/// <summary><c>recreate-case</c>: one rebuild of a <c>recreate-scale</c> run, started by that run.</summary>
internal static class RecreateCaseCommand
{
    public static Command Create()
    {
        var item = new Argument<string>("case") { Description = "The case, as JSON" };
        var folder = new Argument<string>("folder") { Description = "An existing folder for the database" };
        var command = new Command("recreate-case", "Runs one rebuild; used by recreate-scale") { item, folder };
        command.Hidden = true;
        command.SetAction(parsed => ScaleRunner.Run(parsed.GetValue(item)!, parsed.GetValue(folder)!, Console.Out));
        return command;
    }
}
