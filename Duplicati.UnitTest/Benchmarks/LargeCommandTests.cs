using System.CommandLine;
using System.Globalization;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Large;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The benchmark <c>large</c>, with few blocks.</summary>
[TestFixture]
internal sealed class LargeCommandTests
{
    private TestFolder m_folder = null!;

    [SetUp]
    public void SetUp() => m_folder = new TestFolder();

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [Test]
    public async Task Each_step_is_measured_and_the_databases_are_removed()
    {
        var code = await RunAsync("-n 2000");

        // Of so few blocks, the log may take more than the file.
        Assert.That(code, Is.EqualTo(ExitCodes.Done).Or.EqualTo(ExitCodes.Warned));
        var table = Table();
        Assert.That(table.Rows.Select(row => row[0]), Is.EqualTo(LargeSteps.All));
        foreach (var head in new[] { "cpu µs/block", "clock µs/block", "memory, MiB", "disk, MiB", "file, MiB" })
            Assert.That(Column(table, head).Select(cell => double.Parse(cell, CultureInfo.InvariantCulture)), Is.All.Positive, head);
        Assert.That(Column(table, "ratio").Select(cell => double.Parse(cell, CultureInfo.InvariantCulture)), Is.All.GreaterThanOrEqualTo(1));
        Assert.That(Directory.EnumerateFileSystemEntries(m_folder.File("scratch")), Is.Empty);
    }

    [Test]
    public async Task Flushes_are_counted_where_a_program_can_and_left_out_elsewhere()
    {
        await RunAsync("-n 500 --preset small --only check find-or-insert --slow-disk");

        var table = Table();
        Assert.That(table.Rows.Select(row => (row[0], row[1])), Is.EqualTo(new[] { (LargeSteps.FindOrInsert, "small"), (LargeSteps.Check, "small") }));
        Assert.That(table.Figures.Contains("flushes"), Is.EqualTo(FlushCount.Program is not null));
        if (FlushCount.Program is not null)
            Assert.That(int.Parse(Column(table, "flushes").First(), CultureInfo.InvariantCulture), Is.Positive, "new rows are flushed at the end");
    }

    [TestCase("-n 99")]
    [TestCase("-n 1000 -r 0")]
    public async Task Too_little_is_a_wrong_command_line(string line)
    {
        Assert.That(await RunAsync(line), Is.EqualTo(ExitCodes.WrongCommandLine));
        Assert.That(Directory.Exists(m_folder.File("results")), Is.False);
    }

    [TestCase("--preset durable")]
    [TestCase("--only backup")]
    [TestCase("-n many")]
    public void What_there_is_not_is_a_wrong_command_line(string line) => Assert.That(LargeCommand.Create().Parse(line).Errors, Is.Not.Empty);

    [TestCase(100)]
    [TestCase(4321)]
    public async Task A_deletion_of_the_first_version_takes_a_twentieth_of_all_blocks(long blocks)
    {
        var backup = new LargeBackup(blocks);
        foreach (var step in LargeSteps.Chain)
        {
            await LargeWork.RunAsync(step, backup, m_folder.File("db.sqlite"), new LayerClock(), default);
            Assert.That(RebuiltRows.Count(m_folder.File("db.sqlite")), Is.EqualTo(backup.ExpectedRows(step)), step);
        }

        Assert.That(backup.BlocksOf(LargeSteps.Delete) * 20.0 / blocks, Is.EqualTo(1).Within(0.25));
        Assert.That(backup.BlocksOf(LargeSteps.FindOrInsert), Is.EqualTo(2 * backup.BlocksOf(LargeSteps.Delete)));
    }

    [Test]
    [Platform("Linux")]
    public void A_file_without_a_name_counts_while_it_is_open()
    {
        using var file = new FileStream(m_folder.File("unlinked"), FileMode.CreateNew);
        file.SetLength(1 << 20);
        File.Delete(file.Name);
        File.WriteAllBytes(m_folder.File("named"), new byte[1000]);
        var use = new DiskUse(m_folder.Path, Environment.ProcessId);
        use.Look();

        Assert.That(use.Most, Is.EqualTo((1 << 20) + 1000));
    }

    [Test]
    public void Only_flushes_between_two_times_count()
    {
        string[] log =
        [
            "71    1700000000.000001 fsync(3) = 0",
            "12345 1700000001.500000 fdatasync(12 <unfinished ...>",
            "71    1700000001.600000 <... fdatasync resumed>) = 0",
            "12345 1700000002.000000 fsync(5) = 0",
            "71    1700000003.000001 fsync(3) = 0",
            "71    1700000003.100000 +++ exited with 0 +++",
        ];
        Assert.That(FlushCount.Count(log, 1700000001, 1700000003), Is.EqualTo(2));
    }

    private Task<int> RunAsync(string line)
    {
        var scratch = Directory.CreateDirectory(m_folder.File("scratch")).FullName;
        return LargeCommand.Create().Parse($"{line} --temp {scratch} --output {m_folder.File("results")}").InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
    }

    private TableResults Table() => ResultFile.Read<TableResults>(Path.Combine(m_folder.File("results"), "large" + TableResults.Suffix));

    private static IEnumerable<string> Column(TableResults table, string head)
    {
        var place = table.Texts.Concat(table.Figures).ToList().IndexOf(head);
        return table.Rows.Select(row => row[place]);
    }
}
