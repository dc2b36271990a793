using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Reports;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

[TestFixture]
public class CompareTests
{
    [TestCase(4.0, 0.01, "PASS", 0)]
    [TestCase(9.0, 0.01, "PASS", 0)]
    [TestCase(3.4, 0.01, "WARN", 1)]
    [TestCase(2.0, 0.01, "FAIL", 3)]
    [TestCase(2.0, 0.30, "WARN", 1)]
    public void A_ratio_is_held_against_the_pinned_one(double milliseconds, double spread, string verdict, int exitCode)
    {
        using var folder = new TestFolder();
        Pin(folder, providerMilliseconds: 4);
        SampleResults.WriteMicro(folder.File("run"), milliseconds, spread: spread);

        var (code, output, _) = Compare(folder);

        Assert.That(code, Is.EqualTo(exitCode));
        Assert.That(Line(output, SampleResults.Door10), Does.StartWith(verdict).And.Contain("pinned 4.00"));
    }

    [Test]
    public void A_manifest_has_ratios_and_their_origin_and_no_times()
    {
        using var folder = new TestFolder();
        Pin(folder, providerMilliseconds: 4);
        var manifest = ResultFolder.ReadFile<Manifest>(folder.File("manifest.json"));

        Assert.That(manifest.Ratios.Select(ratio => ratio.Ratio), Is.EqualTo(new[] { 4.0, 4.0 }));
        Assert.That(File.ReadAllText(folder.File("manifest.json")), Does.Not.Contain("Nanoseconds").And.Not.Contain("Seconds"));
        Assert.That((manifest.Machine, manifest.Sqlite, manifest.Commit, manifest.Seed), Is.EqualTo(("2 processors", "3.35.5", "abc", 7L)));
    }

    [Test]
    public void What_cannot_be_compared_is_skipped_with_its_reason()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("pinned"), 4, group: "gone");
        SampleResults.WriteMicro(folder.File("pinned"), 4, group: "other");
        Pin(folder, providerMilliseconds: 4);
        SampleResults.WriteMicro(folder.File("run"), 4);
        SampleResults.WriteMicro(folder.File("run"), 4, group: "other", isQuick: false);
        SampleResults.WriteMicro(folder.File("run"), 4, group: "new");

        var (code, output, _) = Compare(folder);

        Assert.That(code, Is.Zero);
        Assert.That(Line(output, "gone/SelectBlocks(TableRows=10,"), Does.StartWith("SKIP").And.EndsWith("not in this run"));
        Assert.That(Line(output, "other/SelectBlocks(TableRows=10,"), Does.StartWith("SKIP").And.EndsWith("pinned with 'quick, seed 7', run with 'full, seed 7'"));
        Assert.That(Line(output, "new/SelectBlocks(TableRows=10,"), Does.StartWith("SKIP").And.EndsWith("not pinned"));
        Assert.That(output, Does.EndWith("2 PASS, 6 SKIP, 0 WARN, 0 FAIL\n"));
    }

    [Test]
    public void Nothing_in_common_is_no_success()
    {
        using var folder = new TestFolder();
        Pin(folder, providerMilliseconds: 4);
        SampleResults.WriteMicro(folder.File("run"), 4, isQuick: false);

        var (code, _, errors) = Compare(folder);

        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("nothing in common"));
    }

    [Test]
    public void A_manifest_that_is_missing_or_broken_is_an_error()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("run"), 4);
        Assert.That(Compare(folder).Code, Is.EqualTo(2));

        File.WriteAllText(folder.File("manifest.json"), "[]");
        var (code, _, errors) = Compare(folder);
        Assert.That(code, Is.EqualTo(2));
        Assert.That(errors, Does.Contain("manifest.json cannot be read"));
    }

    [Test]
    public void Results_of_different_commits_are_not_pinned_together()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("pinned"), 4);
        SampleResults.WriteMicro(folder.File("pinned"), 4, group: "other", commit: "def");
        using var errors = new StringWriter();

        Assert.That(CompareCommand.Run(folder.File("pinned"), folder.File("manifest.json"), true, TextWriter.Null, errors), Is.EqualTo(2));
        Assert.That(errors.ToString(), Does.Contain("several machines, commits or SQLite versions"));
        Assert.That(File.Exists(folder.File("manifest.json")), Is.False);
    }

    [Test]
    public void An_end_to_end_run_agrees_with_itself()
    {
        using var folder = new TestFolder();
        SampleResults.WriteEndToEnd(folder.File("run"));

        Assert.That(CompareCommand.Run(folder.File("run"), folder.File("manifest.json"), true, TextWriter.Null, TextWriter.Null), Is.Zero);
        var (code, output, _) = Compare(folder);

        Assert.That(code, Is.Zero);
        Assert.That(output, Does.EndWith("12 PASS, 0 SKIP, 0 WARN, 0 FAIL\n"));
    }

    private static void Pin(TestFolder folder, double providerMilliseconds)
    {
        SampleResults.WriteMicro(folder.File("pinned"), providerMilliseconds);
        Assert.That(CompareCommand.Run(folder.File("pinned"), folder.File("manifest.json"), true, TextWriter.Null, TextWriter.Null), Is.Zero);
    }

    private static (int Code, string Output, string Errors) Compare(TestFolder folder)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var code = CompareCommand.Run(folder.File("run"), folder.File("manifest.json"), false, output, errors);
        return (code, output.ToString(), errors.ToString());
    }

    private static string Line(string output, string name) => output.Split('\n').Single(line => line.Contains(name, StringComparison.Ordinal));
}
