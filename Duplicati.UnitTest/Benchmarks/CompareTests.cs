// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

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
    [TestCase(2.0, 0.60, "WARN", 1)]
    public void A_ratio_is_held_against_the_pinned_one(double ratio, double spread, string verdict, int exitCode)
    {
        Pin(SampleResults.Table(4));

        var (code, output, _) = Compare(SampleResults.Table(ratio, spread));

        Assert.That(code, Is.EqualTo(exitCode));
        Assert.That(Line(output, SampleResults.Ratio), Does.StartWith(verdict).And.Contain("pinned 4.00"));
    }

    [Test]
    public void A_manifest_has_ratios_and_their_origin()
    {
        Pin(SampleResults.Table(4));
        var manifest = ResultFile.Read<Manifest>(Folder.File("manifest.json"));

        Assert.That(manifest.Ratios, Is.EqualTo(new[] { new PinnedRatio(SampleResults.Ratio, "seed 7", 4) }));
        Assert.That(
            (manifest.Machine, manifest.Runtime, manifest.Provider, manifest.Sqlite, manifest.Commit, manifest.Seed),
            Is.EqualTo(("2 processors", ".NET", "6.0.7", "3.35.5", "abc", 7L))
        );
    }

    [Test]
    public void What_cannot_be_compared_is_skipped_with_its_reason()
    {
        string[] names = ["same", "gone", "other", "twice", "few", "zero"];
        Pin([.. names.Select(name => SampleResults.Table(4, name: name))]);

        var (code, output, _) = Compare(
            SampleResults.Table(4, name: "same"),
            SampleResults.Table(4, name: "new"),
            SampleResults.Table(4, name: "other", setting: "seed 8"),
            SampleResults.Table(4, name: "twice"),
            SampleResults.Table(4, name: "twice"),
            SampleResults.Table(4, name: "few", repetitions: 2),
            SampleResults.Table(0, name: "zero")
        );

        Assert.That(code, Is.Zero);
        Assert.That(Line(output, "gone"), Does.StartWith("SKIP").And.EndsWith("not in this run"));
        Assert.That(Line(output, "other"), Does.StartWith("SKIP").And.EndsWith("pinned with 'seed 7', run with 'seed 8'"));
        Assert.That(Line(output, "new"), Does.StartWith("SKIP").And.EndsWith("not pinned"));
        Assert.That(Line(output, "twice"), Does.StartWith("SKIP").And.EndsWith("in the folder more than once"));
        Assert.That(Line(output, "few"), Does.StartWith("SKIP").And.EndsWith("2 of 3 repetitions: too few for a median"));
        Assert.That(Line(output, "zero"), Does.StartWith("SKIP").And.EndsWith("the run has no time for it, or none for its baseline"));
        Assert.That(output, Does.EndWith("1 PASS, 6 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [Test]
    public void Another_machine_is_compared_and_named()
    {
        Pin(SampleResults.Table(4) with { Environment = SampleResults.Environment with { Machine = "64 processors" } });

        var (code, output, _) = Compare(SampleResults.Table(4));

        Assert.That(code, Is.Zero);
        Assert.That(
            output,
            Does.StartWith(
                "Pinned on 64 processors, .NET, Microsoft.Data.Sqlite 6.0.7, SQLite 3.35.5, commit abc, seed 7.\nRun on 2 processors: "
            )
        );
    }

    [Test]
    public void Nothing_in_common_is_no_success()
    {
        Pin(SampleResults.Table(4));

        var (code, _, errors) = Compare(SampleResults.Table(4, setting: "seed 8"));

        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("nothing in common"));
    }

    [Test]
    public void A_manifest_that_is_missing_is_an_error()
    {
        var (code, _, errors) = Compare(SampleResults.Table(4));

        Assert.That((code, errors), Is.EqualTo((2, $"There is no manifest {Folder.File("manifest.json")}; --pin writes one.\n")));
    }

    [Test]
    public void What_is_not_of_one_commit_or_has_no_ratio_is_not_pinned()
    {
        var other = SampleResults.Table(4) with { Environment = SampleResults.Environment with { Commit = "def" } };

        Assert.That(Pinned(SampleResults.Table(4), other).Errors, Does.Contain("several machines, commits or versions"));
        Assert.That(Pinned(SampleResults.Table(0)).Errors, Does.Contain("no baseline to compare with"));
        Assert.That(File.Exists(Folder.File("manifest.json")), Is.False);
    }

    [Test]
    public void An_end_to_end_run_agrees_with_itself()
    {
        var tables = Duplicati.Benchmarks.EndToEnd.EndToEndTables.Of(SampleResults.EndToEnd());
        Pin([.. tables]);

        var (code, output, _) = Compare([.. tables]);

        Assert.That(code, Is.Zero);
        Assert.That(output, Does.EndWith("36 PASS, 0 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [TestCase(0, 0.9)]
    [TestCase(0.95, 0.9)]
    [TestCase(0.75, 1.5)]
    public void Tolerances_that_make_no_sense_are_an_error(double failBelow, double warnBelow)
    {
        Pin(SampleResults.Table(4));
        (ResultFile.Read<Manifest>(Folder.File("manifest.json")) with { FailBelow = failBelow, WarnBelow = warnBelow }).Write(
            Folder.File("manifest.json")
        );

        var (code, _, errors) = Compare(SampleResults.Table(4));

        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("manifest.json cannot be read: FailBelow must be above 0"));
    }

    private void Pin(params TableResults[] tables) => Assert.That(Pinned(tables).Code, Is.Zero);

    private (int Code, string Output, string Errors) Pinned(params TableResults[] tables) => Run(true, tables);

    private (int Code, string Output, string Errors) Compare(params TableResults[] tables) => Run(false, tables);

    private (int Code, string Output, string Errors) Run(bool pin, TableResults[] tables)
    {
        TableResults.Write(Folder.File("run"), "some", tables);
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var code = ReportCommands.Compare(Folder.File("run"), Folder.File("manifest.json"), pin, output, errors);
        return (code, output.ToString(), errors.ToString());
    }

    private static string Line(string output, string name) =>
        output.Split('\n').First(line => line.Contains($" {name}:", StringComparison.Ordinal));
}
