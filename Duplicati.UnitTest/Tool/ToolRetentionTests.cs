// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Versions are deleted by the rules for those to keep, and the newest never.</summary>
[TestFixture]
internal sealed class ToolRetentionTests
{
    private static readonly DateTime s_now = DateTime.UtcNow;

    private static IEnumerable<TestCaseData> Rules =>
        [
            new TestCaseData("--keep-versions 2", "2,3,4,5"),
            new TestCaseData("--keep-versions 9", ""),
            new TestCaseData("--keep-time 9D", "3,4,5"),
            new TestCaseData("--keep-time now", "1,2,3,4,5"),
            new TestCaseData("--retention-policy 3D:0s,20D:6D", "2,5"),
            new TestCaseData("--retention-policy U:U", ""),
            new TestCaseData("--retention-policy 1s:U", "1,2,3,4,5"),
            new TestCaseData("--version 1,3-4", "1,3,4"),
        ];

    // Of ages 0, 2, 8, 10, 16 and 40 days.
    [TestCaseSource(nameof(Rules))]
    public async Task A_rule_deletes_what_it_does_not_keep(string rule, string gone)
    {
        using var tool = new ToolCase();
        var days = new[] { 40, 16, 10, 8, 2, 0 };
        for (var i = 0; i < days.Length; i++)
        {
            File.WriteAllText(Path.Combine(tool.Source, "day"), i.ToString(CultureInfo.InvariantCulture));
            Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        }

        var times = days.Select(x => new DateTimeOffset(s_now.AddDays(-x)).ToUnixTimeSeconds() - 60).ToList();
        using (var connection = SQLiteLoader.LoadConnection(tool.Database))
        {
            for (var i = 0; i < days.Length; i++)
                connection.Execute(
                    $"""UPDATE "Fileset" SET "Timestamp" = {times[i]} WHERE "ID" = (SELECT "ID" FROM "Fileset" ORDER BY "ID" LIMIT 1 OFFSET {i})"""
                );
        }

        var dry = await tool.RunAsync("delete", [.. rule.Split(' '), "--dry-run"]);
        var run = await tool.RunAsync("delete", [.. rule.Split(' '), "--yes"]);

        Assert.That((dry.Code, run.Code), Is.EqualTo((0, 0)), run.Error);
        var deleted = run.Items("times")
            .Select(x => times.Count - 1 - times.IndexOf(new DateTimeOffset(x.GetDateTime().ToUniversalTime()).ToUnixTimeSeconds()));
        Assert.That(string.Join(',', deleted), Is.EqualTo(gone));
        Assert.That(dry.Json.GetProperty("times").ToString(), Is.EqualTo(run.Json.GetProperty("times").ToString()));
        Assert.That((await tool.QueryAsync("list")).Json.GetArrayLength(), Is.EqualTo(6 - (gone.Length + 1) / 2));
    }

    [Test]
    public void A_partial_version_counts_for_nothing_and_the_newest_complete_one_stays()
    {
        List<Retention.Candidate> versions =
        [
            .. new[] { false, false, true, false, true, true }.Select((full, i) => new Retention.Candidate(s_now.AddHours(-i), full)),
        ];
        Assert.That(Retention.BeyondNewest(versions, 1), Is.EqualTo(new long[] { 3, 4, 5 }));
        Assert.That(Retention.OlderThan(versions, s_now.AddDays(1)), Is.EqualTo(new long[] { 1, 3, 4, 5 }));
        Assert.That(Retention.Thinned(versions, RetentionPolicy.Parse("1D:1D"), s_now), Is.EqualTo(new long[] { 1, 3, 4 }));
    }

    [Test]
    public void A_policy_run_every_day_leaves_what_it_promises()
    {
        var policy = RetentionPolicy.Parse("1W:1D,4W:1W,12M:1M");
        List<Retention.Candidate> versions = [];
        for (var day = 0; day < 500; day++)
        {
            var now = s_now.AddDays(day);
            versions.Insert(0, new Retention.Candidate(now, true));
            foreach (var version in Retention.Thinned(versions, policy, now).OrderDescending())
                versions.RemoveAt((int)version);
        }

        var ages = versions.ConvertAll(x => (s_now.AddDays(499) - x.Time).TotalDays);
        Assert.That(ages.Count(x => x <= 7), Is.EqualTo(8));
        Assert.That(ages.Count(x => x is > 7 and <= 28), Is.InRange(3, 4));
        Assert.That(ages.Count(x => x is > 28 and <= 360), Is.InRange(9, 12));
        Assert.That(ages.Max(), Is.InRange(300, 360));
    }

    [TestCase]
    [TestCase("--version", "1", "--keep-versions", "2")]
    [TestCase("--keep-versions", "0")]
    [TestCase("--keep-versions", "many")]
    [TestCase("--keep-time", "soon")]
    [TestCase("--retention-policy", "1W")]
    [TestCase("--retention-policy", "1W:1D,1W:2D")]
    [TestCase("--retention-policy", "1W:1X")]
    [TestCase("--retention-policy", "")]
    [TestCase("--version", "1-")]
    public async Task What_is_no_rule_is_refused_with_exit_code_2(params string[] rule)
    {
        var run = await ToolRun.RunAsync(["delete", "remote", "--dbpath", "x", "--no-encryption", .. rule]);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
    }
}
