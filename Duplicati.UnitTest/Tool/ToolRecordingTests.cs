// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary><c>--metrics</c> and <c>--trace</c>, and whose files they and <c>--log-file</c> leave alone. Both hear everything in the process, so nothing else may work meanwhile.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class ToolRecordingTests : ToolTestBase
{
    [Test]
    public async Task A_backup_writes_what_the_database_did_and_when()
    {
        var run = await ToolRun.OkAsync(Tool.BackUpAsync("--metrics", Tool["metrics.json"], "--trace", Tool["trace.json"]));
        Assert.That(run.Flag("newVersion"), Is.True, "the result is told as without them");

        var metrics = ToolRecord.Read(Tool["metrics.json"]);
        Assert.That((metrics.GetProperty("command").GetString(), metrics.GetProperty("exitCode").GetInt32()), Is.EqualTo(("backup", 0)));
        Assert.That(ToolRecord.Value(metrics, "duplicati.db.commits"), Is.Positive);
        Assert.That(
            ToolRecord.Value(metrics, "duplicati.db.rows.changed"),
            Is.GreaterThan(SampleDatabase.Rows(Tool.Database, "SELECT \"ID\" FROM \"Block\"").Length)
        );
        var commits = ToolRecord
            .Points(metrics, "db.client.operation.duration")
            .Single(x => x.GetProperty("attributes").GetProperty("db.operation.name").GetString() == "COMMIT");
        Assert.That(
            commits.GetProperty("count").GetInt64(),
            Is.EqualTo(commits.GetProperty("buckets").EnumerateArray().Sum(x => x.GetInt64()))
        );

        var events = ToolRecord.Events(Tool["trace.json"]);
        Assert.That(events.Select(x => x.GetProperty("name").GetString()), Is.SupersetOf(new[] { "backup", "COMMIT", "put" }));
        Assert.That(
            events.Single(x => x.GetProperty("name").GetString() == "backup").GetProperty("args").GetProperty("exitCode").GetInt32(),
            Is.Zero
        );
        Assert.That(
            events.Count(x => x.GetProperty("ph").GetString() == "b"),
            Is.EqualTo(events.Count(x => x.GetProperty("ph").GetString() == "e")).And.Positive
        );
    }

    [Test]
    public async Task A_recreate_answers_its_look_ups_from_memory()
    {
        await Tool.BackUpAsync();
        await ToolRun.OkAsync(Tool.LineAsync("recreate $REMOTE --dbpath $new.sqlite --no-encryption --metrics $metrics.json"));

        var metrics = ToolRecord.Read(Tool["metrics.json"]);
        Assert.That(
            ToolRecord.Value(
                metrics,
                "duplicati.db.cache.requests",
                ("duplicati.db.cache.name", "blocks"),
                ("duplicati.db.cache.result", "hit")
            ),
            Is.GreaterThan(SampleDatabase.Rows(Tool.Database, "SELECT \"ID\" FROM \"Block\"").Length)
        );
        Assert.That(
            ToolRecord.Value(
                metrics,
                "duplicati.db.cache.requests",
                ("duplicati.db.cache.name", "blocks"),
                ("duplicati.db.cache.result", "miss")
            ),
            Is.Zero
        );
    }

    [Test]
    public async Task A_command_that_fails_writes_them_too_and_a_later_one_replaces_them()
    {
        await Tool.BackUpAsync("--metrics", Tool["metrics.json"], "--trace", Tool["trace.json"]);
        File.Delete(Tool.Database);
        var run = await Tool.RunAsync("verify", "--metrics", Tool["metrics.json"], "--trace", Tool["trace.json"]);
        Assert.That(run.Code, Is.EqualTo(ExitCode.NoBackup));

        var metrics = ToolRecord.Read(Tool["metrics.json"]);
        Assert.That(
            (metrics.GetProperty("command").GetString(), metrics.GetProperty("exitCode").GetInt32()),
            Is.EqualTo(("verify", ExitCode.NoBackup))
        );
        var command = ToolRecord.Events(Tool["trace.json"]).Single(x => x.GetProperty("cat").GetString() == "duplicati-db");
        Assert.That(command.GetProperty("args").GetProperty("exitCode").GetInt32(), Is.EqualTo(ExitCode.NoBackup));
    }

    [TestCase("--metrics")]
    [TestCase("--trace")]
    public async Task A_file_that_cannot_be_written_is_one_error_and_nothing_is_done(string option)
    {
        var run = await Tool.BackUpAsync(option, Path.Combine(Tool["no such folder"], "file.json"));
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "RecordingFileNotAccessible")));
        Assert.That(run.Error, Does.Contain(option).And.Contain("no such folder").And.Contain("nothing was done"));
        Assert.That(run.Error.TrimEnd().Split('\n'), Has.Length.EqualTo(2), run.Error);
        Assert.That((File.Exists(Tool.Database), Directory.Exists(Tool.Remote)), Is.EqualTo((false, false)));
    }

    [TestCase("--log-file", "LogFileNotAccessible")]
    [TestCase("--metrics", "RecordingFileExists")]
    [TestCase("--trace", "RecordingFileExists")]
    public async Task A_file_of_another_kind_stays_as_it_is(string option, string helpId)
    {
        await Tool.BackUpAsync();
        File.Copy(Tool.Database, Tool["copy.sqlite"]);
        File.WriteAllText(Tool["short"], "2026-01-01T00:00:00.000Z");
        foreach (
            var file in (string[])
                [
                    Tool["copy.sqlite"],
                    Tool["short"],
                    Tool.Passphrase,
                    Path.Combine(Tool.Source, "folder", "0"),
                    .. Directory.GetFiles(Tool.Remote),
                ]
        )
        {
            var before = File.ReadAllBytes(file);
            var run = await Tool.RunAsync("verify", option, file);
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, helpId)), file);
            Assert.That(run.Error, Does.Contain(file).And.Contain("nothing was done"));
            Assert.That(File.ReadAllBytes(file), Is.EqualTo(before), file);
        }
    }

    // An empty one, and one that is not there: SQLite would take what stands in them for a database, or for its log.
    [Test]
    public async Task A_file_that_the_command_works_on_is_a_wrong_command_line(
        [Values("--log-file", "--metrics", "--trace")] string option,
        [Values("", "-wal", "-shm", "-journal", ".lock")] string ending,
        [Values] bool isThere
    )
    {
        var file = Tool.Database + ending;
        if (isThere)
            File.WriteAllText(file, "");
        foreach (var run in new[] { await Tool.BackUpAsync(option, file), await ToolRun.RunAsync("info", Tool.Database, option, file) })
        {
            Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
            Assert.That(run.Error, Does.Contain($"{file} is a file that the command works on"));
        }

        Assert.That(Directory.Exists(Tool.Remote), Is.False);
        Assert.That(
            new DirectoryInfo(Tool["."]).GetFiles("backup.sqlite*").Select(x => (x.FullName, x.Length)),
            Is.EqualTo(isThere ? new[] { (file, 0L) } : [])
        );
    }

    [TestCase("--log-file")]
    [TestCase("--metrics")]
    [TestCase("--trace")]
    [Platform("Linux")]
    public async Task So_is_one_that_another_option_names_or_a_link_leads_to(string option)
    {
        File.CreateSymbolicLink(Tool["link"], Tool.Database);
        foreach (
            var words in (string[][])
                [
                    ["report", "--dbpath", Tool.Database, "--output", Tool["page"], option, Tool["page"]],
                    ["bug-report", Tool["page"], "--dbpath", Tool.Database, option, Tool["page"]],
                    ["compare", Tool["first"], Tool.Database, option, Tool["link"]],
                    ["restore", "remote", "--target", "x", "--dbpath", Tool.Database, "--no-encryption", option, Tool["link"]],
                    ["verify", "remote", "--dbpath", Tool["link"], "--passphrase-file", Tool["page"], option, Tool["page"]],
                    ["verify", "remote", "--dbpath", Tool["link"], "--no-encryption", option, Tool.Database],
                ]
        )
        {
            var run = await ToolRun.RunAsync(words);
            Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
            Assert.That(run.Error, Does.Contain(" is a file that the command works on"));
            Assert.That((File.Exists(Tool.Database), File.Exists(Tool["page"])), Is.EqualTo((false, false)));
        }
    }

    [TestCase("--log-file", "LogFileNotAccessible")]
    [TestCase("--metrics", "RecordingFileNotAccessible")]
    [TestCase("--trace", "RecordingFileNotAccessible")]
    [Platform("Linux")]
    public async Task A_pipe_that_nobody_reads_is_not_waited_for(string option, string helpId)
    {
        Assert.That(ChildProcess.Run("mkfifo", Tool["pipe"]).ExitCode, Is.Zero);
        File.CreateSymbolicLink(Tool["link"], Tool["pipe"]);
        foreach (var file in new[] { Tool["pipe"], Tool["link"] })
        {
            var run = await Tool.BackUpAsync(option, file);
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, helpId)), run.Error);
            Assert.That(File.Exists(Tool.Database), Is.False);
        }

        Assert.That((await Tool.BackUpAsync(option, "/dev/null")).Code, Is.Zero);
    }

    [TestCase("--metrics")]
    [TestCase("--trace")]
    [Platform("Linux")]
    public async Task A_full_disk_is_told_at_the_end_and_the_command_is_done(string option)
    {
        var run = await Tool.BackUpAsync(option, "/dev/full");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed));
        Assert.That(run.Flag("newVersion"), Is.True);
        Assert.That(run.Error, Does.Contain($"The file of {option} is not complete").And.Contain("ended with 0"));
    }

    [Test]
    public async Task One_file_for_both_is_a_wrong_command_line()
    {
        var run = await Tool.BackUpAsync("--metrics", Tool["both"], "--trace", Tool["both"]);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Does.Contain("need a file each"));
    }

    [Test]
    public async Task The_help_of_a_command_explains_both()
    {
        var run = await ToolRun.RunAsync("help", "backup");
        Assert.That(run.Output, Does.Contain("--metrics").And.Contain("--trace"));
    }
}

/// <summary>Reads what the two options wrote.</summary>
internal static class ToolRecord
{
    /// <summary>The content of a file, which must be valid.</summary>
    internal static JsonElement Read(string path)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(path));
        return document.RootElement.Clone();
    }

    /// <summary>The events of a trace; each has what the format asks for.</summary>
    internal static IReadOnlyList<JsonElement> Events(string path)
    {
        var events = Read(path).GetProperty("traceEvents").EnumerateArray().ToList();
        foreach (var x in events)
        {
            Assert.That(x.GetProperty("ph").GetString(), Is.AnyOf("X", "b", "e"));
            Assert.That(x.GetProperty("ts").GetDouble(), Is.Not.Negative);
            Assert.That(x.GetProperty("pid").GetInt64(), Is.Positive);
            Assert.That(x.TryGetProperty(x.GetProperty("ph").GetString() == "X" ? "dur" : "id", out _), Is.True);
        }

        return events;
    }

    /// <summary>The points of an instrument.</summary>
    internal static IReadOnlyList<JsonElement> Points(JsonElement metrics, string name) =>
        [
            .. metrics
                .GetProperty("instruments")
                .EnumerateArray()
                .Single(x => x.GetProperty("name").GetString() == name)
                .GetProperty("points")
                .EnumerateArray(),
        ];

    /// <summary>The sum of the points with these attributes.</summary>
    internal static double Value(JsonElement metrics, string name, params (string Name, string Value)[] attributes) =>
        Points(metrics, name)
            .Where(x =>
                attributes.All(a => x.GetProperty("attributes").TryGetProperty(a.Name, out var value) && value.GetString() == a.Value)
            )
            .Sum(x => x.GetProperty("value").GetDouble());
}
