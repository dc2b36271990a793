// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.IO.Compression;
using System.Text.Json;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Labels of versions: in the database from schema 20 on, and in the newest file list.</summary>
[TestFixture]
[Contract("D 1.3")]
internal sealed class ToolLabelTests : ToolTestBase
{
    [TestCase(20)]
    [TestCase(21)]
    public async Task Labels_come_back_from_the_remote_folder(int schema)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", $"{schema}", "--version-name", "first \"quoted\" é"));
        await BackUpChangedAsync("a");
        await LabelAsync(0, "second");
        await BackUpChangedAsync("b");
        var labels = new[] { null, "second", "first \"quoted\" é" };
        Assert.That(await LabelsAsync(), Is.EqualTo(labels));
        Assert.That((await ToolRun.RunAsync("list", "--dbpath", Tool.Database)).Output, Does.Contain("  second"));
        Assert.That((await ToolRun.RunAsync("info", Tool.Database)).Output, Does.Contain("; second\n"));
        Assert.That(Labels((await ToolRun.RunAsync("info", Tool.Database, "--json")).Json.GetProperty("versions")), Is.EqualTo(labels));

        File.Delete(Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("recreate", "--schema", $"{schema}"));
        Assert.That(await LabelsAsync(), Is.EqualTo(labels));

        File.Delete(Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("recreate"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[3]), "schema 19 has none");
    }

    [Test]
    public async Task A_label_is_removed_by_an_empty_text()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await LabelAsync(0, "");
        await BackUpChangedAsync("a");
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[2]));
        using var list = ZipFile.OpenRead(NewestList());
        Assert.That(list.GetEntry("labels.json"), Is.Null);
    }

    [Test]
    public async Task A_purge_carries_labels_over_and_uploads_them()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await BackUpChangedAsync("a");
        await LabelAsync(0, "second");
        await ToolRun.OkAsync(Tool.RunAsync("purge", Path.Combine(Tool.Source, "folder", "1"), "--yes"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second", "first" }));

        File.Delete(Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("recreate", "--schema", "20"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second", "first" }));
    }

    [Test]
    public async Task A_compact_leaves_lists_and_their_labels_as_they_are()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        File.Delete(Path.Combine(Tool.Source, "folder", "0"));
        File.Delete(Path.Combine(Tool.Source, "folder", "3"));
        await ToolRun.OkAsync(Tool.BackUpAsync("--version-name", "second"));
        await ToolRun.OkAsync(Tool.RunAsync("delete", "--version", "1", "--yes", "--no-compact"));
        var list = await File.ReadAllBytesAsync(NewestList());
        var run = await ToolRun.OkAsync(Tool.RunAsync("compact", "--threshold", "1"));
        Assert.That(run.Number("deletedVolumes"), Is.Positive);
        Assert.That(await File.ReadAllBytesAsync(NewestList()), Is.EqualTo(list));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second" }));
    }

    [Test]
    public async Task A_list_that_a_repair_makes_anew_has_the_labels()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        File.Delete(NewestList());
        await ToolRun.OkAsync(Tool.RunAsync("repair"));
        File.Delete(Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("recreate", "--schema", "20"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "first" }));
    }

    [Test]
    public async Task A_schema_without_labels_refuses_them_before_anything_is_done()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        var volumes = Directory.GetFiles(Tool.Remote);
        File.WriteAllText(Path.Combine(Tool.Source, "new"), "new");
        var label = await Tool.QueryAsync("label", "x", "--version", "0");
        foreach (var run in new[] { await Tool.BackUpAsync("--version-name", "x"), label })
        {
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "SchemaHasNoLabels")));
            Assert.That(run.Error, Does.Contain($"upgrade {Tool.Database} --to 20"));
        }

        Assert.That(Directory.GetFiles(Tool.Remote), Is.EquivalentTo(volumes));
    }

    [Test]
    public async Task The_command_that_is_advised_for_them_leads_there([Values] bool isBackup)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        var refused = isBackup ? await Tool.BackUpAsync("--version-name", "x") : await Tool.QueryAsync("label", "x", "--version", "0");
        var next = refused.Text("command");
        Assert.That(refused.Error, Does.Contain($"\n{ToolConsole.RUN}{next}\n"));

        await ToolRun.OkAsync([.. CommandLineParser.SplitCommandLine(next).Skip(1)]);

        await LabelAsync(0, "x");
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "x" }));
    }

    [TestCase("{", true)]
    [TestCase("[1]", true)]
    [TestCase("{\"20260101T000000Z\":\"\\ud800\"}", true)]
    [TestCase("null", false)]
    [TestCase("{\"x\":\"y\",\"20260101T000000Z\":5}", false)]
    [TestCase("{\"20010101T000000Z\":\"nobody's\"}", true)]
    public async Task Labels_that_cannot_be_used_are_a_warning_at_most(string json, bool isTold)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        var run = await RecreateWithAsync(json);
        Assert.That(run.Error.Contains("label", StringComparison.OrdinalIgnoreCase), Is.EqualTo(isTold), run.Error);
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[1]));
    }

    [Test]
    public async Task Labels_larger_than_any_backup_has_are_a_warning()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        var run = await RecreateWithAsync("{" + new string(' ', 17 * 1024 * 1024) + "}");
        Assert.That(run.Error, Does.Contain("labels.json"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[1]));
    }

    [Test]
    public async Task The_last_label_of_a_time_counts_beside_keys_that_are_no_times_and_behind_a_byte_order_mark()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        var time = NewestList().Split('.')[^3][^16..];
        var run = await RecreateWithAsync($"\ufeff{{\"x\":\"y\",\"{time}\":\"earlier\",\"z\":[{{}}],\"{time}\":\"later\",\"\":\"\"}}");
        Assert.That(run.Error, Does.Not.Contain("label"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "later" }));
    }

    private async Task<ToolRun> RecreateWithAsync(string labels)
    {
        using (var list = ZipFile.Open(NewestList(), ZipArchiveMode.Update))
        {
            list.GetEntry("labels.json")!.Delete();
            using var writer = new StreamWriter(list.CreateEntry("labels.json").Open());
            writer.Write(labels);
        }

        File.Delete(Tool.Database);
        return await ToolRun.OkAsync(Tool.RunAsync("recreate", "--schema", "20"));
    }

    private async Task BackUpChangedAsync(string name)
    {
        File.WriteAllText(Path.Combine(Tool.Source, name), name);
        await ToolRun.OkAsync(Tool.BackUpAsync());
    }

    private Task<ToolRun> LabelAsync(int version, string text) =>
        ToolRun.OkAsync(Tool.QueryAsync("label", text, "--version", $"{version}"));

    private async Task<string?[]> LabelsAsync() => Labels((await ToolRun.OkAsync(Tool.QueryAsync("list"))).Json);

    private static string?[] Labels(JsonElement versions) =>
        [.. versions.EnumerateArray().Select(x => x.TryGetProperty("label", out var label) ? label.GetString() : null)];

    private string NewestList() => Directory.GetFiles(Tool.Remote, "*.dlist.zip").Max(StringComparer.Ordinal)!;
}
