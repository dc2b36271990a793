using System.CommandLine;
using System.Globalization;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>delete-steps</c>: where the time of a deletion goes. The oldest versions, a tenth if nothing else is said, are deleted by plain statements, at
/// the door, and by changes of known rows alone; each step's processor time, rows and bytes written, up to the checkpoint.
/// </summary>
internal static class DeleteStepsCommand
{
    private const string Help = """
        Shows what each step of a deletion of versions takes: by the statements of the definition, at the door, and by the engine alone, which is told the rows that go.

        Example:
          delete-steps --versions 100 -r 5
          delete-steps --versions 100 --delete 50 -r 3

        Exit codes: 0 measured; 2 wrong command line. A wrong answer ends the run with an error.
        """;

    private static readonly string[] s_ways = [OperationWays.Plain, OperationWays.Door, OperationWays.Engine];

    public static Command Create()
    {
        var versions = new Option<int>("--versions", "-n") { Description = "Versions of the backup, as in the group operations", DefaultValueFactory = _ => 100 };
        var deleted = new Option<int?>("--delete", "-d") { Description = "Versions to delete, the oldest ones; a tenth of them if left out" };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds in turns; medians are reported", DefaultValueFactory = _ => 5 };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the results", DefaultValueFactory = _ => new DirectoryInfo("artifacts/delete-steps") };
        var command = new Command("delete-steps", Help) { versions, deleted, rounds, output };
        command.SetAction(parsed =>
        {
            var (count, repeat) = (parsed.GetValue(versions), Math.Max(1, parsed.GetValue(rounds)));
            var going = Math.Clamp(parsed.GetValue(deleted) ?? count / 10, 0, count);
            try
            {
                var table = Table(count, going, repeat, Measure(VersionedBackup.Template(count), going, repeat));
                table.Write(parsed.GetValue(output)!.FullName, "delete-steps");
                Console.Out.WriteLine(table.Markdown());
                return ExitCodes.Done;
            }
            finally
            {
                DatabaseTemplates.Remove();
            }
        });
        return command;
    }

    // The first round compiles and does not count.
    private static Dictionary<string, List<List<DeleteStepCost>>> Measure(string template, int going, int rounds)
    {
        var samples = s_ways.ToDictionary(way => way, _ => new List<List<DeleteStepCost>>());
        long? expected = null;
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var way in s_ways)
            {
                var (costs, answer) = DeleteSteps.Run(template, going, way);
                expected ??= answer;
                if (answer != expected)
                    throw new InvalidOperationException($"{way}: the answer is {answer}; it should be {expected}.");
                if (round > 0)
                    samples[way].Add(costs);
                Console.Error.WriteLine(FormattableString.Invariant($"round {round}, {way}: {costs.Sum(cost => cost.Milliseconds):F0} ms of processor time"));
            }
        }

        return samples;
    }

    private static TableResults Table(int versions, int going, int rounds, Dictionary<string, List<List<DeleteStepCost>>> samples)
    {
        var names = samples[OperationWays.Door][0].Select(cost => cost.Name).ToList();
        var changes = names.Where(name => name != DeleteStepNames.Commit).ToHashSet();
        var share = FormattableString.Invariant($"{going} of {versions} versions");
        return new TableResults
        {
            Title = $"Deleting the oldest {going} of {versions} versions, step by step",
            Command = FormattableString.Invariant($"delete-steps --versions {versions} --delete {going} -r {rounds}"),
            Environment = RunEnvironment.Current(0, RunEnvironment.WriteAheadLog),
            Note = $"Medians of processor time, ms; ratios are over {OperationWays.Plain}. \"{OperationWays.Engine}\" is told the rows that go and only changes them, by prepared statements through the C API, blocks in the order of their hashes: "
                + "it shows what is left when nothing has to be found out. MiB are those handed to the system for writing, in the log and, by the checkpoint, in the database.",
            Texts = ["step"],
            Figures = ["rows", .. s_ways.Select(way => $"{way}, ms"), "door, ratio", "engine, ratio", .. s_ways.Select(way => $"{way}, MiB")],
            Rows =
            [
                .. names.Select(name => Row(name, samples, name.Equals)),
                Row("all but the commit", samples, changes.Contains),
                Row("all", samples, _ => true),
            ],
            Ratios = [.. new[] { OperationWays.Door, OperationWays.Engine }.SelectMany(way => new[] { Ratio($"{share}, all but the commit", way, samples, changes.Contains), Ratio($"{share}, all", way, samples, _ => true) })],
        };
    }

    private static string[] Row(string title, Dictionary<string, List<List<DeleteStepCost>>> samples, Func<string, bool> counts)
    {
        var times = s_ways.Select(way => Median(samples[way], counts, cost => cost.Milliseconds)).ToArray();
        var rows = Median(samples[OperationWays.Engine], counts, cost => cost.Rows);
        return
        [
            title,
            Number(rows, "F0"),
            .. times.Select(time => Number(time, "F1")),
            .. times.Skip(1).Select(time => times[0] >= 1 && time > 0 ? Number(times[0] / time, "F2") : "–"),
            .. s_ways.Select(way => Number(Median(samples[way], counts, cost => cost.Written) / 1048576, "F1")),
        ];
    }

    private static SpeedUp Ratio(string title, string way, Dictionary<string, List<List<DeleteStepCost>>> samples, Func<string, bool> counts)
    {
        var (plain, other) = (Sums(samples[OperationWays.Plain], counts, cost => cost.Milliseconds), Sums(samples[way], counts, cost => cost.Milliseconds));
        return SpeedUp.Of($"delete-steps/{title}, {way} over {OperationWays.Plain}, cpu", $"SQLite {RunEnvironment.CurrentSqlite}", plain, other);
    }

    private static double Median(List<List<DeleteStepCost>> rounds, Func<string, bool> counts, Func<DeleteStepCost, double> value) => Numbers.Median(Sums(rounds, counts, value));

    private static double[] Sums(List<List<DeleteStepCost>> rounds, Func<string, bool> counts, Func<DeleteStepCost, double> value) =>
        [.. rounds.Select(costs => costs.Where(cost => counts(cost.Name)).Sum(value))];

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}
