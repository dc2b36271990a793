// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>What the tool tells of long work: on a terminal, without one, in a log file, and after a typing error.</summary>
[TestFixture]
internal sealed class ToolProgressTests
{
    [Test]
    public void A_line_has_units_percent_rate_time_left_and_the_file_at_hand()
    {
        var time = new Clock();
        var line = new ProgressLine(time) { Item = "Reading x.dlist.zip" };
        line.Advance("volumes", 10, 100);
        Assert.That(line.Text(200), Is.EqualTo("volumes: 10 of 100 (10 %)  Reading x.dlist.zip"), "there is no rate of no time");

        time.Seconds += 10;
        line.Advance("volumes", 30, 100);
        Assert.That(line.Text(200), Is.EqualTo("volumes: 30 of 100 (30 %), 2/s, 0:35 left  Reading x.dlist.zip"));
        Assert.That(line.Text(30), Is.EqualTo("volumes: 30 of 100 (30 %), 2/s"));

        line.Advance("backup", 7, 0);
        Assert.That(line.Text(200), Does.StartWith("backup: 7  "));

        line.Item = "";
        line.Advance("bytes", 0, 3 * 1024 * 1024);
        time.Seconds += 4;
        line.Advance("bytes", 1024 * 1024, 3 * 1024 * 1024);
        Assert.That(line.Text(200), Is.EqualTo("bytes: 1 MB of 3 MB (33 %), 256 KB/s, 0:08 left"));
    }

    [Test]
    public async Task A_backup_and_a_restore_come_to_all_of_their_bytes()
    {
        using var backup = new Engine.Operations.BackupCase();
        var random = new Random(4);
        for (var i = 0; i < 20; i++)
            Engine.Operations.SourceTree.Write(backup.Source, $"{i}", 20_000, random);
        var steps = new StepList();
        await new BackupOperation(backup.Options, steps).RunAsync([backup.Source], default);
        Assert.That(steps.Last, Is.EqualTo(("bytes", 400_000L)));
        Assert.That(steps.Total, Is.Zero.Or.EqualTo(400_000), "the counting may come too late for so little");

        steps = new StepList();
        await new RestoreOperation(backup.Options, steps).RunAsync(backup.File("restored"), 0, null, default);
        Assert.That((steps.Last, steps.Total), Is.EqualTo((("bytes", 400_000L), 400_000L)));
    }

    [Test]
    public void On_a_terminal_one_line_is_rewritten_and_gone_before_other_text()
    {
        var time = new Clock();
        using var error = new StringWriter();
        using (var progress = new ConsoleProgress(error, new ProgressOutput(false, false, null, () => 40), time))
        {
            time.Seconds += 1;
            progress.Advance("volumes", 1, 2);
            progress.Advance("volumes", 2, 2);
            progress.Working("a file");
            progress.Message("done");
        }

        Assert.That(
            error.ToString(),
            Is.EqualTo($"\rvolumes: 1 of 2 (50 %)\r{new string(' ', 22)}\rdone{Environment.NewLine}"),
            "the second step came too soon to be shown"
        );
    }

    [Test]
    public void Without_a_terminal_a_plain_line_is_written_every_ten_seconds()
    {
        var time = new Clock();
        using var error = new StringWriter();
        using var progress = new ConsoleProgress(error, new ProgressOutput(false, false, null, () => 0), time);
        for (var second = 1; second <= 25; second++)
        {
            time.Seconds += 1;
            progress.Advance("volumes", second, 100);
        }

        Assert.That(
            error.ToString().Split(Environment.NewLine),
            Is.EqualTo(new[] { "volumes: 10 of 100 (10 %), 1/s, 1:30 left", "volumes: 20 of 100 (20 %), 1/s, 1:20 left", "" })
        );
    }

    [TestCase(false, false, "message|Warning: careful|")]
    [TestCase(false, true, "file|message|Warning: careful|")]
    [TestCase(true, false, "Warning: careful|")]
    [TestCase(true, true, "Warning: careful|")]
    public void Quiet_and_verbose_choose_what_is_told_and_a_log_file_has_everything(bool quiet, bool verbose, string expected)
    {
        using var error = new StringWriter();
        using var log = new StringWriter();
        using var progress = new ConsoleProgress(error, new ProgressOutput(quiet, verbose, log, () => 0), new Clock());
        progress.Working("file");
        progress.Message("message");
        progress.Warning("careful");

        Assert.That(error.ToString().Replace(Environment.NewLine, "|", StringComparison.Ordinal), Is.EqualTo(expected));
        Assert.That(
            log.ToString().Split(Environment.NewLine).Select(x => x[Math.Min(x.Length, 25)..]),
            Is.EqualTo(new[] { "file", "message", "Warning: careful", "" })
        );
        Assert.That(log.ToString(), Does.StartWith("2026-01-01T00:00:00.000Z "));
    }

    [Test]
    public async Task A_backup_tells_each_file_in_the_log_file_and_not_on_the_error_stream()
    {
        using var tool = new ToolCase();
        var run = await ToolRun.OkAsync(tool.BackUpAsync("--log-file", tool["messages.log"]));
        Assert.That(run.Error, Does.Not.Contain("Uploading"));
        var log = File.ReadAllText(tool["messages.log"]);
        Assert.That(log, Does.Contain("Uploading"));
        Assert.That((await tool.RunAsync("verify", "--log-file", tool["messages.log"])).Code, Is.Zero);
        Assert.That(File.ReadAllText(tool["messages.log"]), Does.StartWith(log).And.Length.GreaterThan(log.Length));

        (
            await ToolRun.RunAsync("info", tool.Database, "--json", "--log-file", Path.Combine(tool["no-such-folder"], "x.log"))
        ).AssertRefused("LogFileNotAccessible");
    }

    [Test]
    public async Task A_typing_error_shows_what_is_wrong_and_one_line_of_usage()
    {
        var run = await ToolRun.RunAsync("restore", "remote", "--target", "x", "--no-such-option");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Output, Is.Empty);
        Assert.That(run.Error, Does.Contain("--no-such-option").And.Contain("Usage: duplicati-db restore REMOTE"));
        Assert.That(run.Error.TrimEnd().Split('\n').Last(), Does.StartWith("Usage: "));

        Assert.That((await ToolRun.RunAsync("bakcup")).Error, Does.Contain("Usage: duplicati-db COMMAND"));
    }

    [TestCase("purge $REMOTE *.txt --dbpath $DB --yes --dryrun")]
    [TestCase("purge $REMOTE --include *.txt --dryrun --dbpath $DB --yes")]
    [TestCase("backup $REMOTE source -dry --dbpath $DB")]
    [TestCase("search --dbpath $DB --dryrun 1")]
    public async Task A_mistyped_option_is_no_path(string line)
    {
        using var tool = new ToolCase();
        var run = await tool.LineAsync(line);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
        Assert.That(
            run.Error,
            Does.StartWith(line.Contains(" -dry ", StringComparison.Ordinal) ? "Unknown option -dry. A path" : "Unknown option --dryrun. ")
        );

        await tool.BackUpAsync();
        run = await tool.QueryAsync("search", "--", "--odd");
        Assert.That((run.Code, run.Number("total")), Is.EqualTo((0, 0L)), run.Error);
    }

    [TestCase("chek", "check")]
    [TestCase("restor", "restore")]
    [TestCase("nothing-like-it", null)]
    public async Task A_mistyped_command_names_the_one_that_is_near(string typed, string? meant)
    {
        var run = await ToolRun.RunAsync(typed, "remote", "--dbpath", "x.sqlite");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Does.StartWith($"Unknown command {typed}."));
        Assert.That(run.Error, meant is null ? Does.Not.Contain("Did you mean") : Does.Contain($"Did you mean {meant}?"));
        Assert.That(run.Error, Does.Not.Contain("--dbpath"));
    }

    [TestCase("--dbpth", "--dbpath")]
    [TestCase("--keep-version", "--keep-versions")]
    [TestCase("--dryrun", "--dry-run")]
    [TestCase("--nothing-like-it", null)]
    public async Task A_mistyped_option_names_the_one_that_is_near(string typed, string? meant)
    {
        var run = await ToolRun.RunAsync("delete", "remote", "--dbpath", "x.sqlite", typed, "1");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Does.StartWith($"Unknown option {typed}. "));
        Assert.That(
            run.Error,
            meant is null ? Does.Not.Contain("Did you mean").And.Contain("goes after --") : Does.Contain($"Did you mean {meant}?")
        );
    }

    [Test]
    public async Task A_variable_that_is_not_set_is_named()
    {
        var run = await ToolRun.RunAsync("list", "remote", "--passphrase-env", "NO_SUCH_VARIABLE_HERE", "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.WrongPassphrase, "MissingPassphrase")));
        Assert.That(run.Error, Does.Contain("NO_SUCH_VARIABLE_HERE is not set"));
    }

    [Test]
    public void Failures_of_the_file_system_say_what_to_do()
    {
        Assert.That(FileFailure.Describe(new IOException("No space left on device", 28)).HelpId, Is.EqualTo("DiskIsFull"));
        Assert.That(FileFailure.Describe(new IOException("Read-only file system", 30)).HelpId, Is.EqualTo("FileIsReadOnly"));
        Assert.That(FileFailure.Describe(new UnauthorizedAccessException("denied")).HelpId, Is.EqualTo("AccessDenied"));
        Assert.That(FileFailure.Describe(new DirectoryNotFoundException("x")).HelpId, Is.EqualTo("FileMissing"));
        Assert.That(FileFailure.Describe(new ArgumentException("x")).HelpId, Is.EqualTo("InvalidArgument"));
    }

    // The furthest step, of threads that may overtake each other.
    private sealed class StepList : IEngineProgress
    {
        private readonly Lock m_lock = new();

        internal (string Phase, long Done) Last { get; private set; }

        internal long Total { get; private set; }

        public void Message(string text) { }

        public void Warning(string text) => Assert.Fail(text);

        public void Advance(string phase, long done, long total)
        {
            lock (m_lock)
                (Last, Total) = ((phase, Math.Max(done, phase == Last.Phase ? Last.Done : 0)), total);
        }
    }

    private sealed class Clock : TimeProvider
    {
        internal double Seconds { get; set; }

        public override long TimestampFrequency => 1000;

        public override long GetTimestamp() => (long)(Seconds * 1000);

        public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).AddSeconds(Seconds);
    }
}
