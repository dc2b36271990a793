// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Globalization;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.Benchmarks.Scale;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The benchmark <c>scale</c> with little data: all ways must find and leave the same, which the run holds.</summary>
[TestFixture]
internal sealed class ScaleTests : FolderTestBase
{
    private const string Indexes =
        "SELECT group_concat(name || ' ' || sql) FROM (SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name)";

    [Test]
    public async Task Each_step_on_blocks_is_measured_and_the_databases_are_removed()
    {
        var code = await RunAsync("--blocks 2000 -r 1 --way \"plain SQL\" API");
        // Of so few blocks, the log may take more than the file.
        Assert.That(code, Is.EqualTo(ExitCodes.Done).Or.EqualTo(ExitCodes.Warned));

        var table = Table();
        Assert.That(table.Rows.Select(row => row[0]), Is.EqualTo(BlockSteps.All.Append(BlockSteps.Recreate)), "the last one in both ways");
        foreach (var head in new[] { "cpu µs/row", "memory, MiB", "disk, MiB", "file, MiB" })
            Assert.That(Column(table, head).Select(cell => double.Parse(cell, CultureInfo.InvariantCulture)), Is.All.Positive, head);
        Assert.That(
            Column(table, "of the file").Select(cell => double.Parse(cell, CultureInfo.InvariantCulture)),
            Is.All.GreaterThanOrEqualTo(1)
        );
        Assert.That(table.Note, Does.Contain("- recreate, API, 2000 blocks, µs a row: filelist"));
        Assert.That(table.Ratios.Single().Name, Is.EqualTo("scale/recreate, 2000 blocks, API over plain SQL, cpu"));
        Assert.That(Directory.EnumerateFileSystemEntries(Folder.File("scratch")), Is.Empty);
    }

    [Test]
    public async Task All_operations_on_versions_are_answered_alike_and_stand_in_the_table_with_each_number_of_versions()
    {
        Assert.That(await RunAsync("--versions 10 30 --files 200 -r 1"), Is.EqualTo(ExitCodes.Done));

        var table = Table();
        var places = table.Rows.Select(row => (Operation: row[0], Versions: row[3])).Distinct().ToList();
        Assert.That(places.Select(x => x.Operation).Distinct().Count(), Is.EqualTo(12));
        Assert.That(places, Has.Count.EqualTo(24));
        Assert.That(
            table.Rows.GroupBy(row => (row[0], row[3])).Select(x => x.Select(row => row[1])),
            Is.All.SupersetOf(new[] { ScaleWays.Plain, ScaleWays.Api })
        );
        Assert.That(table.Command, Is.EqualTo("scale --versions 10 30 --files 200 -r 1"));
        Assert.That(Directory.EnumerateFileSystemEntries(Folder.File("scratch")), Is.Empty);
    }

    [Test]
    public async Task Deletions_of_any_number_of_versions_leave_the_same()
    {
        Assert.That(
            await RunAsync("--versions 12 --files 100 --blocks-per-file 70 -r 1 --only DELETE --delete 1 5 12"),
            Is.EqualTo(ExitCodes.Done)
        );
        var names = new[] { "delete of the oldest version", "delete of the oldest 5 versions", "delete of the oldest 12 versions" };
        Assert.That(Table().Rows.Select(row => row[0]).Distinct(), Is.EqualTo(names));
    }

    [Test]
    public async Task Slow_statements_are_measured_once()
    {
        await RunAsync("--versions 10 --files 100 --only restore -r 2 --once-above 0");
        Assert.That(Table().Rows.Select(row => $"{row[1]} {row[^1]}"), Is.EqualTo(new[] { "plain SQL 1", "API 2" }));
    }

    [TestCase("", "--blocks or --versions")]
    [TestCase("--blocks 1000 --versions 10", "--blocks or --versions")]
    [TestCase("--blocks 1000 --only unheard", "first-backup")]
    [TestCase("--versions 10 --changed 0", "More than 0")]
    [TestCase("--versions 10 --delete 11", "--delete")]
    [TestCase("--versions 10 --only unheard", "report of a compact")]
    public async Task What_cannot_be_measured_is_a_wrong_command_line(string line, string reason)
    {
        using var errors = new StringWriter();
        Assert.That(await RunAsync(line, errors), Is.EqualTo(ExitCodes.WrongCommandLine));
        Assert.That(errors.ToString(), Does.Contain(reason));
        Assert.That(Directory.Exists(Folder.File("results")), Is.False);
    }

    [TestCase("--blocks 1000 99", "--blocks 99: give 100 or more.")]
    [TestCase("--blocks 1000 -r 0", "--repeat 0: give 1 or more.")]
    [TestCase("--versions 9", "--versions 9: give 10 or more.")]
    [TestCase("--versions 10 --files 99", "--files 99: give 100 or more.")]
    [TestCase("--blocks 1000 --preset durable", "durable")]
    [TestCase("--blocks 1000 --way provider", "provider")]
    [TestCase("--blocks many", "many")]
    public void What_there_is_not_is_a_wrong_command_line(string line, string reason) =>
        Assert.That(ScaleCommand.Create().Parse(line).Errors.Select(error => error.Message), Has.Some.Contains(reason));

    [TestCase(100)]
    [TestCase(4321)]
    public void A_deletion_of_the_first_version_takes_a_twentieth_of_all_blocks(long blocks)
    {
        var deleted = BlockSteps.BlocksOf(new ScaleCase(BlockSteps.Delete, ScaleWays.Api, "default", blocks, 1000));
        Assert.That(deleted * 20.0 / blocks, Is.EqualTo(1).Within(0.25));
    }

    [TestCase(2)]
    [TestCase(70)]
    [TestCase(5000)]
    public void Both_ways_to_rebuild_leave_the_same_rows_and_the_same_indexes(long blocksPerFile)
    {
        var backup = new SyntheticBackup(2500, blocksPerFile);
        foreach (var way in new[] { ScaleWays.Plain, ScaleWays.Api })
        {
            var path = Folder.File(way);
            BlockSteps.Rebuild(backup, way, path, new ScaleClock());
            Assert.That(BlockContent.Count(path), Is.EqualTo(backup.ExpectedRows), way);
            Assert.That(BlockContent.Of(path), Is.EqualTo(BlockContent.Of(Folder.File(ScaleWays.Plain))), way);
            Assert.That(Databases.Query(path, Indexes), Is.EqualTo(Databases.Query(Folder.File(ScaleWays.Plain), Indexes)), way);
            Assert.That(Databases.Query(path, "PRAGMA integrity_check"), Is.EqualTo("ok"), way);
        }
    }

    [Test]
    [Platform("Linux")]
    public void A_file_without_a_name_counts_while_it_is_open()
    {
        using var file = new FileStream(Folder.File("unlinked"), FileMode.CreateNew);
        file.SetLength(1 << 20);
        File.Delete(file.Name);
        File.WriteAllBytes(Folder.File("named"), new byte[1000]);

        var use = new DiskUse(Folder.Path, Environment.ProcessId);
        use.Look();
        Assert.That(use.Most, Is.EqualTo((1 << 20) + 1000));
    }

    private async Task<int> RunAsync(string line, TextWriter? errors = null)
    {
        var scratch = Directory.CreateDirectory(Folder.File("scratch")).FullName;
        var parsed = ScaleCommand
            .Create(TextWriter.Null, errors ?? TextWriter.Null)
            .Parse($"{line} --temp {scratch} --output {Folder.File("results")}");
        return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
    }

    private TableResults Table() => TableResults.Load(Folder.File("results")).Single();

    private static IEnumerable<string> Column(TableResults table, string head)
    {
        var place = table.Texts.Concat(table.Figures).ToList().IndexOf(head);
        return table.Rows.Select(row => row[place]);
    }
}

/// <summary>How figures of a scale are put together and held to the goals.</summary>
[TestFixture]
internal sealed class ScaleReportTests
{
    private const long MiB = 1 << 20;

    [Test]
    public void Growth_is_over_the_smallest_size_of_the_same_operation_way_and_preset()
    {
        var table = Report([
            Result("default", 1000, 0.002),
            Result("default", 2000, 0.008),
            Result("small", 1000, 0.004),
            Result("small", 2000, 0.012),
        ]);
        Assert.That(
            table.Rows.Select(row => $"{row[2]} {row[3]} {row[7]} {row[8]}"),
            Is.EqualTo(new[] { "default 1000 2.00 –", "default 2000 4.00 2.00", "small 1000 4.00 –", "small 2000 6.00 1.50" })
        );
        Assert.That(table.Rows.Select(row => row.Count), Is.All.EqualTo(table.Texts.Count + table.Figures.Count));
    }

    [Test]
    public void Times_are_medians_and_memory_is_the_most_of_all_rounds()
    {
        var result = Result("small", 1000, 0.001);
        result.Add(new ScaleCost(0.009, 0.009) { PeakBytes = 128 * MiB, FileBytes = MiB }, 7, []);
        result.Add(new ScaleCost(0.002, 0.002) { PeakBytes = MiB, FileBytes = MiB }, 7, []);
        var row = Report([result]).Rows.Single();
        Assert.That(row, Has.Member("2.00").And.Member("0.002 (0.001–0.009)").And.Member("128.0").And.Member("50 %"));
        Assert.That(row[^1], Is.EqualTo("3"));
    }

    [TestCase("default", 1024, 25, 0)]
    [TestCase("default", 1025, 25, 1)]
    [TestCase("small", 256, 25, 0)]
    [TestCase("small", 257, 26, 2)]
    public void Memory_and_disk_have_goals_and_time_has_none(string preset, int memory, int disk, int missed)
    {
        var report = new ScaleReport([Result(preset, 1000, 1e-6), Result(preset, 2000, 1e3, memory * MiB, disk * MiB)], "blocks");
        Assert.That(report.Missed.Count(), Is.EqualTo(missed));
        Assert.That(report.Missed, Is.All.StartWith($"recreate, {preset}, 2000 blocks: "));
    }

    [Test]
    public void A_way_is_held_against_plain_statements_and_a_wrong_answer_is_an_error()
    {
        var (plain, api) = (Result("default", 1000, 0.008, way: ScaleWays.Plain), Result("default", 1000, 0.002));
        var rows = Report([plain, api]).Rows;
        Assert.That(rows.Select(row => row[9]), Is.EqualTo(new[] { "–", "4.00" }));
        Assert.That(
            () => api.Add(new ScaleCost(1, 1), 8, [plain, api]),
            Throws.InvalidOperationException.With.Message.EndsWith("the answer is 8, not 7.")
        );
    }

    private static TableResults Report(IReadOnlyList<ScaleResult> results) => new ScaleReport(results, "blocks").Table("title", "scale");

    private static ScaleResult Result(
        string preset,
        long size,
        double seconds,
        long peak = MiB,
        long disk = 10 * MiB,
        string way = ScaleWays.Api
    )
    {
        var result = new ScaleResult(new ScaleCase("recreate", way, preset, size, 1000), "block", size);
        result.Add(
            new ScaleCost(seconds, seconds)
            {
                PeakBytes = peak,
                DiskBytes = disk,
                FileBytes = 10 * MiB,
            },
            7,
            []
        );
        return result;
    }
}
