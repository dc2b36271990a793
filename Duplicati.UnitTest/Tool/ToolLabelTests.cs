// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.IO.Compression;
using System.Text.Json;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>Labels of versions: in the database from schema 20 on, and in the newest file list.</summary>
[TestFixture]
[Contract("D 1.3")]
internal sealed class ToolLabelTests
{
    private ToolCase m_tool = null!;

    [SetUp]
    public void SetUp() => m_tool = new ToolCase();

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [TestCase(20)]
    [TestCase(21)]
    public async Task Labels_come_back_from_the_remote_folder(int schema)
    {
        await RunAsync(m_tool.BackUpAsync("--schema", $"{schema}", "--version-name", "first \"quoted\" é"));
        await BackUpChangedAsync("a");
        await LabelAsync(0, "second");
        await BackUpChangedAsync("b");
        var labels = new[] { null, "second", "first \"quoted\" é" };
        Assert.That(await LabelsAsync(), Is.EqualTo(labels));
        Assert.That((await ToolRun.RunAsync("list", "--dbpath", m_tool.Database)).Output, Does.Contain("  second"));
        Assert.That((await ToolRun.RunAsync("info", m_tool.Database)).Output, Does.Contain("; second\n"));
        Assert.That(Labels((await ToolRun.RunAsync("info", m_tool.Database, "--json")).Json.GetProperty("versions")), Is.EqualTo(labels));

        File.Delete(m_tool.Database);
        await RunAsync(m_tool.RunAsync("recreate", "--schema", $"{schema}"));
        Assert.That(await LabelsAsync(), Is.EqualTo(labels));

        File.Delete(m_tool.Database);
        await RunAsync(m_tool.RunAsync("recreate"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[3]), "schema 19 has none");
    }

    [Test]
    public async Task A_label_is_removed_by_an_empty_text()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await LabelAsync(0, "");
        await BackUpChangedAsync("a");
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[2]));
        using var list = ZipFile.OpenRead(NewestList());
        Assert.That(list.GetEntry("labels.json"), Is.Null);
    }

    [Test]
    public async Task A_purge_carries_labels_over_and_uploads_them()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await BackUpChangedAsync("a");
        await LabelAsync(0, "second");
        await RunAsync(m_tool.RunAsync("purge", Path.Combine(m_tool.Source, "folder", "1"), "--yes"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second", "first" }));

        File.Delete(m_tool.Database);
        await RunAsync(m_tool.RunAsync("recreate", "--schema", "20"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second", "first" }));
    }

    [Test]
    public async Task A_compact_leaves_lists_and_their_labels_as_they_are()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        File.Delete(Path.Combine(m_tool.Source, "folder", "0"));
        File.Delete(Path.Combine(m_tool.Source, "folder", "3"));
        await RunAsync(m_tool.BackUpAsync("--version-name", "second"));
        await RunAsync(m_tool.RunAsync("delete", "--version", "1", "--yes", "--no-compact"));
        var list = await File.ReadAllBytesAsync(NewestList());
        var run = await RunAsync(m_tool.RunAsync("compact", "--threshold", "1"));
        Assert.That(run.Json.GetProperty("deletedVolumes").GetInt32(), Is.Positive);
        Assert.That(await File.ReadAllBytesAsync(NewestList()), Is.EqualTo(list));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "second" }));
    }

    [Test]
    public async Task A_list_that_a_repair_makes_anew_has_the_labels()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        File.Delete(NewestList());
        await RunAsync(m_tool.RunAsync("repair"));
        File.Delete(m_tool.Database);
        await RunAsync(m_tool.RunAsync("recreate", "--schema", "20"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new[] { "first" }));
    }

    [Test]
    public async Task A_schema_without_labels_refuses_them_before_anything_is_done()
    {
        await RunAsync(m_tool.BackUpAsync());
        var volumes = Directory.GetFiles(m_tool.Remote);
        File.WriteAllText(Path.Combine(m_tool.Source, "new"), "new");
        var label = await ToolRun.RunAsync("label", "x", "--dbpath", m_tool.Database, "--version", "0", "--json");
        foreach (var run in new[] { await m_tool.BackUpAsync("--version-name", "x"), label })
        {
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "SchemaHasNoLabels")));
            Assert.That(run.Error, Does.Contain($"upgrade {m_tool.Database} --to 20"));
        }

        Assert.That(Directory.GetFiles(m_tool.Remote), Is.EquivalentTo(volumes));
    }

    [Test]
    public async Task The_command_that_is_advised_for_them_leads_there([Values] bool isBackup)
    {
        await RunAsync(m_tool.BackUpAsync());
        var refused = isBackup
            ? await m_tool.BackUpAsync("--version-name", "x")
            : await ToolRun.RunAsync("label", "x", "--dbpath", m_tool.Database, "--version", "0", "--json");
        var next = refused.Json.GetProperty("command").GetString()!;
        Assert.That(refused.Error, Does.Contain($"\n{ToolConsole.RUN}{next}\n"));

        await RunAsync(ToolRun.RunAsync([.. CommandLineParser.SplitCommandLine(next).Skip(1)]));

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
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        var run = await RecreateWithAsync(json);
        Assert.That(run.Error.Contains("label", StringComparison.OrdinalIgnoreCase), Is.EqualTo(isTold), run.Error);
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[1]));
    }

    [Test]
    public async Task Labels_larger_than_any_backup_has_are_a_warning()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        var run = await RecreateWithAsync("{" + new string(' ', 17 * 1024 * 1024) + "}");
        Assert.That(run.Error, Does.Contain("labels.json"));
        Assert.That(await LabelsAsync(), Is.EqualTo(new string?[1]));
    }

    [Test]
    public async Task The_last_label_of_a_time_counts_beside_keys_that_are_no_times_and_behind_a_byte_order_mark()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
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

        File.Delete(m_tool.Database);
        return await RunAsync(m_tool.RunAsync("recreate", "--schema", "20"));
    }

    private async Task BackUpChangedAsync(string name)
    {
        File.WriteAllText(Path.Combine(m_tool.Source, name), name);
        await RunAsync(m_tool.BackUpAsync());
    }

    private Task<ToolRun> LabelAsync(int version, string text) =>
        RunAsync(ToolRun.RunAsync("label", text, "--dbpath", m_tool.Database, "--version", $"{version}", "--json"));

    private async Task<string?[]> LabelsAsync() =>
        Labels((await RunAsync(ToolRun.RunAsync("list", "--dbpath", m_tool.Database, "--json"))).Json);

    private static string?[] Labels(JsonElement versions) =>
        [.. versions.EnumerateArray().Select(x => x.TryGetProperty("label", out var label) ? label.GetString() : null)];

    private string NewestList() => Directory.GetFiles(m_tool.Remote, "*.dlist.zip").Max(StringComparer.Ordinal)!;

    private static async Task<ToolRun> RunAsync(Task<ToolRun> running)
    {
        var run = await running;
        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Output + run.Error);
        return run;
    }
}
