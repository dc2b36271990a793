// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Rows that refer to nothing or contradict each other: every command works or says what helps, check and backup the same, and what is
/// advised comes to an end with all that was backed up.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class RowFaultTests
{
    private const int MostSteps = 3;
    private const string Gone = "987654";
    private const string CONTENT = """(SELECT "BlocksetID" FROM "FileLookup" WHERE "Path" = 'new')""";
    private const string OLDEST = """(SELECT MIN("ID") FROM "Fileset")""";
    private const string TIME = $"""UPDATE "Fileset" SET "Timestamp" = 9000000000000000000 WHERE "ID" = {OLDEST}""";

    private static readonly string[][] s_commands =
    [
        ["verify"],
        ["restore", "--target", "TARGET"],
        ["test"],
        ["list-broken-files"],
        ["compact"],
        ["delete", "--version", "2", "--yes"],
        ["purge", "*/purged", "--yes"],
        ["purge-broken-files", "--yes"],
        ["repair"],
    ];

    private VolumeStateCase m_case = null!;
    private int m_targets;

    [OneTimeSetUp]
    public async Task MakeBackups() => m_case = await VolumeStateCase.CreateAsync();

    [OneTimeTearDown]
    public void RemoveBackups() => m_case.Dispose();

    private static IEnumerable<TestCaseData> Faults()
    {
        yield return Fault(
            "a_block_of_a_file",
            "recreate",
            $"""DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT} AND "Index" = 7"""
        );
        yield return Fault(
            "a_block_too_many",
            "recreate",
            $"""INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT "BlocksetID", 1 + MAX("Index"), MAX("BlockID") FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT}"""
        );
        yield return Fault(
            "a_block",
            "recreate",
            $"""DELETE FROM "Block" WHERE "ID" = (SELECT MAX("BlockID") FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT})"""
        );
        // Of another list of blocks than the last.
        yield return Fault(
            "a_block_of_the_first_list",
            "recreate",
            $"""DELETE FROM "Block" WHERE "ID" = (SELECT "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT} AND "Index" = 7)"""
        );
        yield return Fault(
            "the_volume_of_blocks",
            "recreate",
            $"""UPDATE "Block" SET "VolumeID" = -1 WHERE "ID" IN (SELECT "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT} LIMIT 3)"""
        );
        yield return Fault(
            "a_row_of_a_block_volume",
            "recreate",
            """DELETE FROM "Remotevolume" WHERE "ID" = (SELECT "VolumeID" FROM "Block" GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1)"""
        );
        yield return Fault(
            "a_list_of_blocks_and_a_block_of_it",
            "recreate",
            $"""DELETE FROM "BlocklistHash" WHERE "BlocksetID" = {CONTENT} AND "Index" = 0; DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = {CONTENT} AND "Index" = 7"""
        );
        yield return Fault("the_content_of_a_file", "recreate", $"""UPDATE "FileLookup" SET "BlocksetID" = {Gone} WHERE "Path" = 'new'""");
        yield return Fault("the_metadata_of_a_file", "recreate", $"""UPDATE "FileLookup" SET "MetadataID" = {Gone} WHERE "Path" = 'new'""");
        yield return Fault(
            "the_content_of_metadata",
            "recreate",
            $"""UPDATE "Metadataset" SET "BlocksetID" = {Gone} WHERE "ID" = (SELECT "MetadataID" FROM "FileLookup" WHERE "Path" = 'new')"""
        );
        yield return Fault("the_folder_of_a_file", "recreate", $"""UPDATE "FileLookup" SET "PrefixID" = {Gone} WHERE "Path" = 'new'""");
        yield return Fault("a_file_of_complete_versions", "repair", """DELETE FROM "FileLookup" WHERE "Path" = 'new'""");
        yield return Fault(
            "a_file_of_an_unfinished_version",
            "repair",
            """DELETE FROM "FileLookup" WHERE "Path" = 'unfinished'""",
            isInterrupted: true
        );
        yield return Fault(
            "a_file_of_all_versions_beside_an_unfinished_one",
            "repair",
            """DELETE FROM "FileLookup" WHERE "Path" = 'purged'""",
            isInterrupted: true
        );
        yield return Fault("the_list_of_a_version", "repair", $"""UPDATE "Fileset" SET "VolumeID" = {Gone} WHERE "ID" = {OLDEST}""");
        yield return Fault(
            "the_list_of_a_version_beside_an_unfinished_one",
            "repair",
            $"""UPDATE "Fileset" SET "VolumeID" = {Gone} WHERE "ID" = {OLDEST}""",
            isInterrupted: true
        );
        yield return Fault(
            "a_row_of_a_list",
            "repair",
            """DELETE FROM "Remotevolume" WHERE "ID" = (SELECT MIN("VolumeID") FROM "Fileset")"""
        );
        yield return Fault("a_list_of_blocks", "repair", $"""DELETE FROM "BlocklistHash" WHERE "BlocksetID" = {CONTENT} AND "Index" = 0""");
        yield return Fault(
            "a_state_that_is_none",
            "repair",
            """UPDATE "Remotevolume" SET "State" = 'Uploadet' WHERE "ID" = (SELECT MIN("VolumeID") FROM "Block")"""
        );
        yield return Fault(
            "a_type_that_is_none",
            "repair",
            """UPDATE "Remotevolume" SET "Type" = 'Flles' WHERE "ID" = (SELECT MIN("VolumeID") FROM "Fileset")"""
        );
        yield return Fault("a_time_that_is_none", "repair", TIME);
    }

    [TestCaseSource(nameof(Faults))]
    public async Task Commands_name_what_helps_and_that_helps(string remedy, string change, bool isInterrupted)
    {
        m_case.Make(isInterrupted);
        m_case.Sql(change);
        var check = await m_case.RunAsync("check", "--deep");
        Assert.That(check.Code, Is.EqualTo(ExitCode.Found), check.Output);
        Assert.That(
            check.Json.GetProperty("findings")[0].GetProperty("command").GetString(),
            Does.StartWith("duplicati-db repair "),
            check.Output
        );

        foreach (var command in s_commands.Prepend(["backup"]))
        {
            m_case.Make(isInterrupted);
            m_case.Sql(change);
            var files = m_case.Files();
            var run =
                command[0] == "backup"
                    ? await m_case.BackUpAsync()
                    : await m_case.RunAsync(command[0], [.. command[1..].Select(x => x == "TARGET" ? m_case.Target($"{++m_targets}") : x)]);
            var text = $"{string.Join(' ', command)} ends with {run.Code}: {run.Output} {run.Error}";
            TestContext.Out.WriteLine($"{command[0]} {run.Code}");
            Assert.That(run.Code, Is.AnyOf(ExitCode.Ok, ExitCode.Found, ExitCode.Failed), text);
            if (run.Code == ExitCode.Failed)
                Assert.That(
                    string.Join('\n', m_case.Files().Select(x => $"{x.Key} {x.Value}").Order()),
                    Is.EqualTo(string.Join('\n', files.Select(x => $"{x.Key} {x.Value}").Order())),
                    text
                );
            if (run.Code == ExitCode.Failed || command[0] == "verify" || (command[0] == "repair" && remedy == "recreate"))
                Assert.That(run.Output + run.Error, Does.Contain($"`duplicati-db {(command[0] == "repair" ? remedy : "repair")}"), text);
        }

        m_case.Make(isInterrupted);
        m_case.Sql(change);
        var (steps, isWell) = await m_case.FollowAsync(MostSteps);
        TestContext.Out.WriteLine(string.Join('\n', steps));
        Assert.That(isWell, Is.True);
        Assert.That(await m_case.DifferenceAsync(), Is.Empty);
    }

    // What only the database knows is made anew before a recreate is named. What it knew of the file with the fault is gone.
    [TestCaseSource(nameof(FaultsBesideAnAbsentVolume))]
    public async Task What_is_absent_is_made_anew_before_a_recreate(string change, VolumeKind absent)
    {
        var cell = new VolumeCell(RemoteVolumeState.Verified, FileThere.Absent, NeededBy.Complete, absent, IsForgotten: false);
        m_case.Make(cell);
        _ = await m_case.FollowAsync(MostSteps);
        // The sources may have what the volume held no longer.
        var expected = await m_case.DifferenceAsync(without: "new");
        m_case.Make(cell);
        m_case.Sql(change);
        var before = FolderState.Contents(m_case[""]);
        _ = await m_case.RunAsync("repair", "--rebuild-missing-dblock-files", "--dry-run");
        Assert.That(FolderState.Contents(m_case[""]), Is.EqualTo(before), "a dry run changes nothing");
        var (steps, isWell) = await m_case.FollowAsync(MostSteps + 3);
        TestContext.Out.WriteLine(string.Join('\n', steps));
        Assert.That(isWell, Is.True);
        Assert.That(await m_case.DifferenceAsync(without: "new"), Is.EqualTo(expected));
        if (absent != VolumeKind.Blocks)
            Assert.That(expected, Is.Empty);
    }

    // Where nothing is recorded of a list that is there, rows could be taken for the better record of its version.
    [TestCaseSource(nameof(FaultsThatARecreateMends))]
    public async Task A_list_that_is_there_is_not_made_of_rows_that_contradict_each_other(string change)
    {
        m_case.Make(
            new VolumeCell(RemoteVolumeState.Verified, FileThere.Whole, NeededBy.Complete, VolumeKind.OlderList, IsForgotten: true)
        );
        m_case.Sql(change);
        var (steps, isWell) = await m_case.FollowAsync(MostSteps);
        TestContext.Out.WriteLine(string.Join('\n', steps));
        Assert.That(isWell, Is.True);
        Assert.That(await m_case.DifferenceAsync(), Is.Empty);
    }

    // A recreate would forget what their disk has of the blocks.
    [TestCaseSource(nameof(FaultsThatLeaveSources))]
    public async Task Sources_that_are_not_there_are_named_before_a_recreate(string change)
    {
        var cell = new VolumeCell(RemoteVolumeState.Verified, FileThere.Absent, NeededBy.Complete, VolumeKind.Blocks, IsForgotten: false);
        m_case.Make(cell);
        _ = await m_case.FollowAsync(MostSteps);
        var expected = await m_case.DifferenceAsync(without: "new");
        m_case.Make(cell);
        m_case.Sql(change);
        var away = m_case["away"];
        Directory.Move(m_case.Source, away);
        try
        {
            var run = await m_case.RunAsync("repair", "--rebuild-missing-dblock-files");
            var text = run.Output + run.Error;
            Assert.That(text, Does.Contain("mount it"));
            if (text.Contains("recreate --overwrite", StringComparison.Ordinal))
                Assert.That(
                    text.IndexOf("mount it", StringComparison.Ordinal),
                    Is.LessThan(text.IndexOf("recreate --overwrite", StringComparison.Ordinal))
                );
        }
        finally
        {
            Directory.Move(away, m_case.Source);
        }

        var (steps, isWell) = await m_case.FollowAsync(MostSteps + 3);
        TestContext.Out.WriteLine(string.Join('\n', steps));
        Assert.That(isWell, Is.True);
        Assert.That(await m_case.DifferenceAsync(without: "new"), Is.EqualTo(expected));
    }

    private static IEnumerable<TestCaseData> FaultsThatARecreateMends() =>
        from fault in Faults()
        where fault.Arguments[0] is "recreate"
        select new TestCaseData(fault.Arguments[1]).SetArgDisplayNames(fault.ArgDisplayNames![0]);

    // The row may be that of the absent volume, and nobody knows what file has the blocks.
    private static IEnumerable<TestCaseData> FaultsThatLeaveSources() =>
        FaultsThatARecreateMends()
            .Where(x => x.ArgDisplayNames![0] is not ("a_row_of_a_block_volume" or "the_content_of_a_file" or "the_folder_of_a_file"));

    private static IEnumerable<TestCaseData> FaultsBesideAnAbsentVolume() =>
        from fault in Faults()
        where fault.Arguments[0] is "recreate" || fault.ArgDisplayNames![0].EndsWith("_that_is_none", StringComparison.Ordinal)
        from absent in new[] { VolumeKind.Blocks, VolumeKind.Index, VolumeKind.OlderList }
        // Other files of the version may have the same metadata, and the row may be that of the absent volume.
        where
            (fault.ArgDisplayNames![0], absent)
                is not (("the_content_of_metadata", VolumeKind.OlderList) or ("a_row_of_a_block_volume", VolumeKind.Blocks))
        select new TestCaseData(fault.Arguments[1], absent).SetArgDisplayNames(fault.ArgDisplayNames![0], $"{absent}");

    [TestCase("list --dbpath $DB")]
    [TestCase("info $DB")]
    [TestCase("volumes --dbpath $DB")]
    [TestCase("find --dbpath $DB --path */new")]
    [TestCase("report --dbpath $DB --json")]
    [TestCase("databases $FOLDER")]
    [TestCase("check --dbpath $DB")]
    public async Task A_time_that_no_calendar_has_ends_no_reading_command(string line)
    {
        m_case.Make(isInterrupted: false);
        m_case.Sql(TIME);

        var run = await m_case.LineAsync(line);

        Assert.That(run.Code, Is.AnyOf(ExitCode.Ok, ExitCode.Found, ExitCode.Failed), run.Error);
        if (run.Code == ExitCode.Failed)
            Assert.That(run.Error, Does.Contain("which no calendar has").And.Contain("`duplicati-db repair"));
    }

    private static TestCaseData Fault(string name, string remedy, string change, bool isInterrupted = false) =>
        new TestCaseData(remedy, change, isInterrupted).SetArgDisplayNames(name);
}
