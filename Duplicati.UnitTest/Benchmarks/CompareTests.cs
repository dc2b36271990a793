// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.Results;

namespace Duplicati.UnitTest.Benchmarks;

[TestFixture]
public class CompareTests : FolderTestBase
{
    [TestCase(4.0, 0.01, "PASS", 0)]
    [TestCase(9.0, 0.01, "PASS", 0)]
    [TestCase(3.4, 0.01, "WARN", 1)]
    [TestCase(2.0, 0.01, "FAIL", 3)]
    [TestCase(2.0, 0.30, "WARN", 1)]
    public void A_ratio_is_held_against_the_pinned_one(double milliseconds, double spread, string verdict, int exitCode)
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), milliseconds, spread: spread);

        var (code, output, _) = Compare();

        Assert.That(code, Is.EqualTo(exitCode));
        Assert.That(Line(output, SampleResults.Api10), Does.StartWith(verdict).And.Contain("pinned 4.00"));
    }

    [Test]
    public void A_manifest_has_ratios_and_their_origin_and_no_times()
    {
        Pin(providerMilliseconds: 4);
        var manifest = ResultFile.Read<Manifest>(Folder.File("manifest.json"));

        Assert.That(
            manifest.Ratios.Select(ratio => ratio.Ratio),
            Is.EqualTo(new[] { 4.0, 4.0, 4.0, 4.0 }),
            "by the clock, and by processor time"
        );
        Assert.That(File.ReadAllText(Folder.File("manifest.json")), Does.Not.Contain("Nanoseconds").And.Not.Contain("Seconds"));
        Assert.That(
            (manifest.Machine, manifest.Runtime, manifest.Provider, manifest.Sqlite, manifest.Commit, manifest.Seed),
            Is.EqualTo(("2 processors", ".NET", "6.0.7", "3.35.5", "abc", 7L))
        );
    }

    [Test]
    public void What_cannot_be_compared_is_skipped_with_its_reason()
    {
        SampleResults.WriteMicro(Folder.File("pinned"), 4, group: "gone");
        SampleResults.WriteMicro(Folder.File("pinned"), 4, group: "other");
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4);
        SampleResults.WriteMicro(Folder.File("run"), 4, group: "other", isQuick: false);
        SampleResults.WriteMicro(Folder.File("run"), 4, group: "new");

        var (code, output, _) = Compare();

        Assert.That(code, Is.Zero);
        Assert.That(Line(output, "gone/SelectBlocks(TableRows=10,"), Does.StartWith("SKIP").And.EndsWith("not in this run"));
        Assert.That(
            Line(output, "other/SelectBlocks(TableRows=10,"),
            Does.StartWith("SKIP")
                .And.EndsWith("pinned with 'quick, 1000 rows, seed 7, SQLite 3.35.5', run with 'full, 1000 rows, seed 7, SQLite 3.35.5'")
        );
        Assert.That(Line(output, "new/SelectBlocks(TableRows=10,"), Does.StartWith("SKIP").And.EndsWith("not pinned"));
        Assert.That(output, Does.EndWith("4 PASS, 12 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [Test]
    public void Another_version_of_SQLite_is_skipped()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4, sqlite: "3.53.3");

        var (code, output, _) = Compare();

        Assert.That(code, Is.EqualTo(2));
        Assert.That(
            Line(output, SampleResults.Api10),
            Does.StartWith("SKIP").And.Contain("SQLite 3.35.5', run with").And.EndsWith("SQLite 3.53.3'")
        );
    }

    [Test]
    public void Another_machine_is_compared_and_named()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4);
        Edit(Folder.File("manifest.json"), "2 processors", "64 processors");

        var (code, output, _) = Compare();

        Assert.That(code, Is.Zero);
        Assert.That(
            output,
            Does.StartWith(
                "Pinned on 64 processors, .NET, Microsoft.Data.Sqlite 6.0.7, SQLite 3.35.5, commit abc, seed 7.\nRun on 2 processors: "
            )
        );
    }

    [Test]
    public void Two_repetitions_have_no_median()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 1, repetitions: 2);
        SampleResults.WriteTable(Folder.File("run"));

        Assert.That(
            Line(Compare().Output, SampleResults.Api10),
            Does.StartWith("SKIP").And.EndsWith("2 of 3 repetitions: too few for a median")
        );
    }

    [Test]
    public void A_time_of_zero_is_no_figure()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 0);

        Assert.That(
            Line(Compare().Output, SampleResults.Api10),
            Does.StartWith("SKIP").And.EndsWith("the run has no time for it, or none for its baseline")
        );

        using var errors = new StringWriter();
        Assert.That(CompareCommand.Run(Folder.File("run"), Folder.File("new.json"), true, TextWriter.Null, errors), Is.EqualTo(2));
        Assert.That(errors.ToString(), Does.Contain("no baseline to compare with"));
    }

    [Test]
    public void A_pinned_ratio_of_zero_is_skipped()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4);
        Edit(Folder.File("manifest.json"), "\"Ratio\": 4", "\"Ratio\": 0");

        var (code, output, _) = Compare();

        Assert.That(code, Is.EqualTo(2), "nothing was compared");
        Assert.That(Line(output, SampleResults.Api10), Does.StartWith("SKIP").And.EndsWith("the manifest has no ratio for it"));
    }

    [Test]
    public void Ratios_of_threads_are_compared_with_as_many_processors_only()
    {
        SampleResults.WriteThreads(Folder.File("pinned"));
        Pin(providerMilliseconds: 4);
        SampleResults.WriteThreads(Folder.File("run"));
        SampleResults.WriteMicro(Folder.File("run"), 4);
        Edit(Path.Combine(Folder.File("run"), "commits", MicroResults.FileName), "\"Processors\": 2", "\"Processors\": 8");

        var (code, output, _) = Compare();

        Assert.That(code, Is.Zero);
        Assert.That(Line(output, "Writers=8"), Does.StartWith("SKIP").And.Contain("2 processors', run with").And.EndsWith("8 processors'"));
        Assert.That(output, Does.EndWith("4 PASS, 4 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [TestCase(2.5, 0)]
    [TestCase(1.0, 3)]
    public void Ratios_of_a_table_are_held_too(double ratio, int exitCode)
    {
        SampleResults.WriteTable(Folder.File("pinned"));
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4);
        SampleResults.WriteTable(Folder.File("run"), ratio);

        Assert.That(Compare().Code, Is.EqualTo(exitCode));
    }

    [Test]
    public void Nothing_in_common_is_no_success()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4, isQuick: false);

        var (code, _, errors) = Compare();

        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("nothing in common"));
    }

    [Test]
    public void A_manifest_that_is_missing_is_an_error()
    {
        SampleResults.WriteMicro(Folder.File("run"), 4);
        Assert.That(Compare().Code, Is.EqualTo(2));
        Assert.That(Compare().Errors, Does.Contain("--pin writes one"));
    }

    [Test]
    public void Results_of_different_commits_are_not_pinned_together()
    {
        SampleResults.WriteMicro(Folder.File("pinned"), 4);
        SampleResults.WriteMicro(Folder.File("pinned"), 4, group: "other", commit: "def");
        using var errors = new StringWriter();

        Assert.That(CompareCommand.Run(Folder.File("pinned"), Folder.File("manifest.json"), true, TextWriter.Null, errors), Is.EqualTo(2));
        Assert.That(errors.ToString(), Does.Contain("several machines, commits or versions"));
        Assert.That(File.Exists(Folder.File("manifest.json")), Is.False);
    }

    [Test]
    public void An_end_to_end_run_agrees_with_itself()
    {
        SampleResults.WriteEndToEnd(Folder.File("run"));

        Assert.That(CompareCommand.Run(Folder.File("run"), Folder.File("manifest.json"), true, TextWriter.Null, TextWriter.Null), Is.Zero);
        var (code, output, _) = Compare();

        Assert.That(code, Is.Zero);
        Assert.That(output, Does.EndWith("36 PASS, 0 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [Test]
    public void A_comparison_can_be_read_by_programs()
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 2);
        using var output = new StringWriter();

        Assert.That(
            CompareCommand.Run(Folder.File("run"), Folder.File("manifest.json"), false, output, TextWriter.Null, asJson: true),
            Is.EqualTo(3)
        );

        var json = JsonDocument.Parse(output.ToString()).RootElement;
        Assert.That(json.GetProperty("pinned").GetProperty("sqlite").GetString(), Is.EqualTo("3.35.5"));
        Assert.That(
            json.GetProperty("machines").EnumerateArray().Select(machine => machine.GetString()),
            Is.EqualTo(new[] { "2 processors" })
        );
        Assert.That(json.GetProperty("counts").GetProperty("FAIL").GetInt32(), Is.EqualTo(4));
        var line = json.GetProperty("lines")[0];
        Assert.That(
            (line.GetProperty("verdict").GetString(), line.GetProperty("name").GetString()),
            Is.EqualTo(("FAIL", SampleResults.Api10))
        );
        Assert.That(line.GetProperty("reason").GetString(), Does.Contain("pinned 4.00"));
    }

    [TestCase(0, 0.9)]
    [TestCase(0.95, 0.9)]
    [TestCase(0.75, 1.5)]
    public void Tolerances_that_make_no_sense_are_an_error(double failBelow, double warnBelow)
    {
        Pin(providerMilliseconds: 4);
        SampleResults.WriteMicro(Folder.File("run"), 4);
        (ResultFile.Read<Manifest>(Folder.File("manifest.json")) with { FailBelow = failBelow, WarnBelow = warnBelow }).Write(
            Folder.File("manifest.json")
        );

        var (code, _, errors) = Compare();

        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("manifest.json cannot be read: FailBelow must be above 0"));
    }

    private void Pin(double providerMilliseconds)
    {
        SampleResults.WriteMicro(Folder.File("pinned"), providerMilliseconds);
        Assert.That(
            CompareCommand.Run(Folder.File("pinned"), Folder.File("manifest.json"), true, TextWriter.Null, TextWriter.Null),
            Is.Zero
        );
    }

    private static void Edit(string path, string from, string to)
    {
        var text = File.ReadAllText(path);
        Assert.That(text, Does.Contain(from));
        File.WriteAllText(path, text.Replace(from, to, StringComparison.Ordinal));
    }

    private (int Code, string Output, string Errors) Compare()
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var code = CompareCommand.Run(Folder.File("run"), Folder.File("manifest.json"), false, output, errors);
        return (code, output.ToString(), errors.ToString());
    }

    // By the clock; that by processor time stands below it.
    private static string Line(string output, string name) =>
        output.Split('\n').First(line => line.Contains(name, StringComparison.Ordinal));
}
