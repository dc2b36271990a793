// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>Versions are chosen by time: the newest that is not younger.</summary>
[TestFixture]
internal sealed class ToolTimeTests : CopiedToolTestBase
{
    protected override async Task MakeAsync(ToolCase made)
    {
        await made.BackUpAsync();
        SourceTree.Write(made.Source, "added", 1000, new Random(1));
        await made.BackUpAsync();
        made.Sql(
            """UPDATE "Fileset" SET "Timestamp" = CASE WHEN "ID" = (SELECT MIN("ID") FROM "Fileset") THEN 1600000000 ELSE 1600000100 END"""
        );
    }

    [TestCase("2020-09-13T12:26:40Z", 1, Description = "the very second of the older version")]
    [TestCase("1600000099", 1)]
    [TestCase("20200913T122820Z", 0, Description = "the very second of the newer version")]
    [TestCase("3D", 0)]
    [TestCase("now", 0)]
    public async Task The_newest_version_that_is_not_younger_is_restored(string time, int version)
    {
        var run = await Tool.RestoreAsync("target", "--time", time);

        Assert.That((run.Code, run.Number("version")), Is.EqualTo((ExitCode.Ok, version)), run.Error);
        Assert.That(File.Exists(Path.Combine(Tool["target"], "added")), Is.EqualTo(version == 0));
    }

    [Test]
    public async Task If_all_are_younger_the_newest_is_restored_with_a_warning()
    {
        var run = await Tool.RestoreAsync("target", "--time", "2020-01-01");

        Assert.That((run.Code, run.Number("version")), Is.EqualTo((ExitCode.Ok, 0)));
        Assert.That(run.Error, Does.Contain("No version is as old as"));
    }

    [Test]
    public async Task A_version_and_a_time_together_are_refused()
    {
        (await Tool.RestoreAsync("target", "--time", "now", "--version", "1")).AssertRefused("InvalidVersion");
    }

    [Test]
    public async Task What_is_no_time_is_refused()
    {
        var run = await Tool.RestoreAsync("target", "--time", "yesterday");

        Assert.That(run.Code, Is.Not.Zero);
        Assert.That(run.Error, Does.Contain("\"yesterday\" is not a time"));
        Assert.That(Directory.Exists(Tool["target"]), Is.False);
    }
}
