using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.History;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Results;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Operations on a backup with many versions, with little data: both ways must find and leave the same, which the run holds.</summary>
[TestFixture]
public class HistoryCommandTests
{
    private static readonly HistoryRequest s_request = new(200, [10, 30], 2, [], 1, TimeSpan.FromMinutes(1));

    [Test]
    public void All_operations_are_answered_alike_and_stand_in_the_table_with_each_number_of_versions()
    {
        using var folder = new TestFolder();
        using var progress = new StringWriter();
        HistoryCommand.Run(s_request, folder.Path, folder.File("results"), TextWriter.Null, progress, default);

        var table = ResultFile.Read<TableResults>(folder.File("results/history.table.json"));
        var names = HistoryOperations.All.Select(operation => operation.Name).ToList();
        Assert.That(table.Rows.Select(row => $"{row[0]}, {row[2]}"), Is.EqualTo(names.SelectMany(name => new[] { $"{name}, 10", $"{name}, 30" })));
        Assert.That(table.Rows.Select(row => long.Parse(row[3])), Is.All.Positive);
        Assert.That(table.Ratios, Has.Count.EqualTo(2 * names.Count).And.All.Matches<SpeedUp>(ratio => ratio.Name.StartsWith("history/", StringComparison.Ordinal)));
        Assert.That(table.Command, Is.EqualTo("history --files 200 --versions 10 30 --changed 2 -r 1 --once-above 60"));
        Assert.That(progress.ToString(), Does.Contain($"10 versions: {(200 + VersionedBackup.Folders) * 10} entries"));
        Assert.That(Directory.GetDirectories(folder.Path).Select(Path.GetFileName), Is.EqualTo(new[] { "results" }), "the databases are removed");
    }

    [Test]
    public void Slow_statements_are_measured_once_and_the_table_says_so()
    {
        using var folder = new TestFolder();
        var table = HistoryCommand.Run(s_request with { Versions = [10], Only = ["restore", "VACUUM"], Rounds = 2, Once = TimeSpan.Zero }, folder.Path, folder.File("results"), TextWriter.Null, TextWriter.Null, default);
        Assert.That(table.Rows.Select(row => $"{row[0]}: {row[^1]}"), Is.EqualTo(new[] { "lists of a restore: 2, plain 1", "vacuum: 2, plain 1" }));
    }

    [Test]
    public void A_row_that_costs_more_with_more_versions_is_seen_and_a_wrong_answer_is_an_error()
    {
        var (few, many) = (Result(10, 100, 1, 2), Result(100, 1000, 10, 40));
        var row = new HistoryReport([few, many]).Table("", "", 1).Rows[1];
        Assert.That(row.Skip(2), Is.EqualTo(new[] { "100", "1000", "10.0", "40.0", "0.25", "10.0", "40.0", "0.25", "10000.00", "40000.00", "1.00", "2.00", "1" }));
        Assert.That(() => many.Add(OperationWays.Door, default, 8), Throws.InvalidOperationException.With.Message.EndsWith("the answer is 8; it should be 7."));
    }

    [TestCase(99, 10, 2, "vacuum", ExpectedResult = "At least 100 files, 10 versions and one round are needed.")]
    [TestCase(100, 9, 2, "vacuum", ExpectedResult = "At least 100 files, 10 versions and one round are needed.")]
    [TestCase(100, 10, 0, "vacuum", ExpectedResult = "More than 0 and up to 100 percent of the files can change.")]
    [TestCase(100, 10, 2, "VACUUM", ExpectedResult = null)]
    public string? A_request_that_cannot_be_measured_is_refused(int files, int versions, double changed, string only) =>
        HistoryCommand.Problem(s_request with { Files = files, Versions = [versions], Changed = changed, Only = [only] });

    [Test]
    public void An_unknown_name_is_answered_with_all_names() =>
        Assert.That(HistoryCommand.Problem(s_request with { Only = ["nothing like it"] }), Does.Contain("vacuum").And.Contain("list of all versions"));

    private static HistoryResult Result(int versions, long rows, double plain, double door)
    {
        var result = new HistoryResult(HistoryOperations.All[0], versions, rows);
        result.Add(OperationWays.Plain, new HistoryCost(plain, plain), 7);
        result.Add(OperationWays.Door, new HistoryCost(door, door), 7);
        return result;
    }
}
