// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>A check names each thing that is wrong once, with the command that mends it.</summary>
[TestFixture]
internal sealed class ToolCheckTests : CopiedToolTestBase
{
    private const string Flag = "INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('{0}', 'true')";

    protected override async Task MakeAsync(ToolCase made)
    {
        SourceTree.Write(made.Source, "large", 900_000, new Random(3));
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        // Its first time would be in a block of one volume and, when that is lost, nowhere else.
        var time = Directory.GetLastWriteTimeUtc(made.Source);
        await File.WriteAllTextAsync(Path.Combine(made.Source, "new"), "new");
        Directory.SetLastWriteTimeUtc(made.Source, time);
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
    }

    [Test]
    public async Task A_sound_backup_is_told_to_be_sound_in_the_first_line()
    {
        foreach (var depth in new[] { "--quick", "--deep", "--quiet" })
        {
            var run = await Tool.RunAsync("check", depth);
            Assert.That((run.Code, run.Items("findings").Count), Is.EqualTo((0, 0)), run.Output);
        }

        var volumes = Directory.GetFiles(Tool.Remote).Length;
        var text = await Tool.LineAsync("check $REMOTE --dbpath $DB --no-encryption");
        Assert.That(text.Output.TrimEnd(), Is.EqualTo($"All is well with the database and {volumes} remote volumes."));
        text = await ToolRun.RunAsync("check", "--dbpath", Tool.Database);
        Assert.That(text.Output.TrimEnd(), Is.EqualTo("All is well with the database."));
    }

    // Consistent in itself: the version is one of fewer files.
    [TestCase("DELETE FROM \"FilesetEntry\" WHERE \"FileID\" IN (SELECT \"ID\" FROM \"FileLookup\" WHERE \"Path\" = 'large')", "large")]
    [TestCase("UPDATE \"FileLookup\" SET \"Path\" = 'renamed' WHERE \"Path\" = 'large'", "/renamed")]
    public async Task A_version_that_lacks_entries_is_found_by_its_list(string damage, string named)
    {
        Tool.Sql(damage);
        Assert.That((await Tool.RunAsync("check")).Code, Is.Zero, "the rows fit each other, and so do the volumes");

        var run = await Tool.RunAsync("check", "--deep");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Output);
        var findings = run.Items("findings");
        Assert.That(findings.Select(x => x.GetProperty("kind").GetString()), Is.EqualTo(new[] { "DifferentVersion", "DifferentVersion" }));
        Assert.That(findings[0].GetProperty("what").GetString(), Does.Contain(named));
        Assert.That((await Tool.RunAsync("verify")).Code, Is.EqualTo(ExitCode.Found));
        Assert.That((await Tool.RunAsync("recreate", "--overwrite")).Code, Is.Zero);
        Assert.That((await Tool.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    [Test]
    public async Task What_is_damaged_in_one_way_is_told_once_with_how_often()
    {
        using var tool = new ToolCase();
        for (var i = 0; i < 300; i++)
            SourceTree.Write(tool.Source, $"many/{i}", 3000, new Random(i));
        await tool.BackUpAsync();
        LoseRowsOfAnIndex(tool.Database);

        var run = await ToolRun.RunAsync("check", "--dbpath", tool.Database, "--deep");
        Assert.That((run.Code, run.Output.Split('\n').Length < 60), Is.EqualTo((ExitCode.Found, true)), run.Output);
        Assert.That(run.Output, Does.Match("and [0-9]{2,} more of the same kind"));
        run = await tool.RunAsync("verify");
        Assert.That((run.Code, run.Items("problems").Count < 12), Is.EqualTo((ExitCode.Found, true)), run.Output);
    }

    [Test]
    public async Task Volumes_that_are_damaged_alike_are_told_once()
    {
        var volumes = VolumeFiles.Of(Tool.Remote, "dblock");
        foreach (var volume in volumes)
            File.AppendAllText(volume, "x");
        var run = await Tool.LineAsync("check $REMOTE --dbpath $DB --no-encryption");
        Assert.That(
            (run.Code, run.Output.Split('\n').Count(x => x.StartsWith("Problem", StringComparison.Ordinal))),
            Is.EqualTo((ExitCode.Found, 1)),
            run.Output
        );
        Assert.That(run.Output, Does.Contain($"and {volumes.Length - 10} more").And.Contain("alike for the others"));
        Assert.That((await Tool.RunAsync("check")).Items("findings"), Has.Count.EqualTo(volumes.Length));
    }

    // Somebody has written to the table who did not know of the index.
    private static void LoseRowsOfAnIndex(string database)
    {
        const string Index = "BlocksetEntry_BlocksetID";
        string? sql,
            page;
        using (var connection = SQLiteLoader.LoadConnection(database))
        {
            (sql, page) = (
                connection.Scalar($"SELECT \"sql\" FROM sqlite_master WHERE \"name\" = '{Index}'"),
                connection.Scalar($"SELECT \"rootpage\" FROM sqlite_master WHERE \"name\" = '{Index}'")
            );
            connection.Execute(
                $"PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE \"name\" = '{Index}'; PRAGMA schema_version = 1000"
            );
        }

        using (var connection = SQLiteLoader.LoadConnection(database))
        {
            connection.Execute(
                "DELETE FROM \"BlocksetEntry\" WHERE \"BlocksetID\" % 3 = 0; INSERT INTO \"BlocksetEntry\" SELECT \"BlocksetID\", \"Index\" + 1000000, \"BlockID\" FROM \"BlocksetEntry\" LIMIT 300"
            );
            connection.Execute(
                $"PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('index', '{Index}', 'BlocksetEntry', {page}, '{sql!.Replace("'", "''", StringComparison.Ordinal)}'); PRAGMA schema_version = 1001"
            );
        }
    }

    [TestCase("MissingBlockVolume", "dblock")]
    [TestCase("MissingIndexVolume", "dindex")]
    [TestCase("MissingFileList", "dlist")]
    public async Task A_missing_volume_is_named_and_made_anew(string kind, string type)
    {
        File.Delete(First(type));
        await AssertNamedAndMendedAsync(kind, ExitCode.Found);
    }

    [TestCase("dblock", false)]
    [TestCase("dindex", true)]
    [TestCase("dlist", false)]
    public async Task A_damaged_volume_is_named_once_whether_its_size_or_its_content_tells(string type, bool cut)
    {
        var file = First(type);
        var bytes = await File.ReadAllBytesAsync(file);
        bytes[bytes.Length / 2] ^= 0x20;
        await File.WriteAllBytesAsync(file, cut ? bytes[..^10] : bytes);
        foreach (var depth in new[] { "--quiet", "--deep" })
        {
            var run = await Tool.RunAsync("check", depth);
            Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
            Assert.That(run.Kinds, Is.EqualTo(new[] { "DamagedVolume" }), run.Output);
            Assert.That(run.Json.GetProperty("findings")[0].GetProperty("where").GetString(), Is.EqualTo(Path.GetFileName(file)));
        }

        Assert.That((await Tool.RunAsync("check", "--quick")).Code, Is.EqualTo(cut ? ExitCode.Found : ExitCode.Ok));
        var verify = await Tool.RunAsync("verify");
        Assert.That(verify.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(verify.Output, Does.Contain(Path.GetFileName(file)));
    }

    [Test]
    public async Task An_index_volume_that_the_database_does_not_know_is_taken_in()
    {
        Tool.Sql(
            "DELETE FROM \"IndexBlockLink\" WHERE \"IndexVolumeID\" = (SELECT MIN(\"ID\") FROM \"Remotevolume\" WHERE \"Type\" = 'Index'); DELETE FROM \"Remotevolume\" WHERE \"ID\" = (SELECT MIN(\"ID\") FROM \"Remotevolume\" WHERE \"Type\" = 'Index')"
        );
        await AssertNamedAndMendedAsync("UnknownVolume", ExitCode.Found);
    }

    [TestCase("DanglingRows", "DELETE FROM \"FileLookup\" WHERE \"ID\" = (SELECT MAX(\"ID\") FROM \"FileLookup\")")]
    [TestCase("UnfinishedRecreate", "repair-in-progress")]
    [TestCase("PartialRecreate", "partially-recreated")]
    [TestCase(
        "InconsistentDatabase",
        "DELETE FROM \"BlocklistHash\" WHERE \"BlocksetID\" = (SELECT MIN(\"BlocksetID\") FROM \"BlocklistHash\")"
    )]
    public async Task A_database_that_is_wrong_is_named_and_mended(string kind, string change)
    {
        Tool.Sql(change.Contains(' ', StringComparison.Ordinal) ? change : Flag.Replace("{0}", change, StringComparison.Ordinal));
        await AssertNamedAndMendedAsync(kind, ExitCode.Found);
    }

    [Test]
    public async Task Damaged_pages_are_named_and_nothing_else_is_looked_at()
    {
        using (var file = new FileStream(Tool.Database, FileMode.Open, FileAccess.ReadWrite))
        {
            file.Position = file.Length / 2 / 4096 * 4096;
            file.Write(new byte[4096]);
        }

        await AssertNamedAndMendedAsync("DamagedDatabase", ExitCode.Found);
    }

    [TestCase(
        "InterruptedOperation",
        "INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('terminated-with-active-uploads', 'true')"
    )]
    [TestCase("OldSchema", "ALTER TABLE \"Metadataset\" DROP COLUMN \"Content\"; UPDATE \"Version\" SET \"Version\" = 18")]
    [TestCase("FreePages", "CREATE TABLE \"Filler\" (\"x\"); INSERT INTO \"Filler\" VALUES (zeroblob(2000000)); DROP TABLE \"Filler\"")]
    [TestCase("StaleStatistics", "DELETE FROM \"sqlite_stat1\"")]
    public async Task What_could_be_better_is_a_hint_with_its_command(string kind, string change)
    {
        Tool.Sql(change);
        await AssertNamedAndMendedAsync(kind, ExitCode.Ok);
    }

    [Test]
    public async Task A_log_that_was_left_is_a_hint()
    {
        var working = Tool["working.sqlite"];
        File.Move(Tool.Database, working);
        using (var connection = SQLiteLoader.LoadConnection(working))
        {
            connection.Execute("""CREATE TABLE "Written" ("ID"); DROP TABLE "Written" """);
            foreach (var beside in new[] { "", "-wal", "-shm" })
                File.Copy(working + beside, Tool.Database + beside);
        }

        await AssertNamedAndMendedAsync("LogLeft", ExitCode.Ok);
    }

    [Test]
    public async Task The_text_has_each_part_of_a_finding_on_a_line()
    {
        var file = First("dblock");
        File.Delete(file);
        var run = await Tool.LineAsync("check $REMOTE --dbpath $DB --no-encryption");
        var lines = run.Output.Split('\n');
        Assert.That(lines[0], Does.StartWith("1 problem was found"));
        Assert.That(
            lines[1..],
            Has.One.EqualTo("Problem: A block volume is missing.").And.One.EqualTo($"  where:  {Path.GetFileName(file)}")
        );
        Assert.That(
            lines,
            Has.One.EqualTo(
                $"  run:    duplicati-db repair {Tool.Remote} --dbpath {Tool.Database} --no-encryption --rebuild-missing-dblock-files"
            )
        );
    }

    private async Task AssertNamedAndMendedAsync(string kind, int code)
    {
        var run = await Tool.RunAsync("check");
        Assert.That(run.Code, Is.EqualTo(code), run.Output);
        Assert.That(run.Kinds, Is.EqualTo(new[] { kind }), run.Output);
        var finding = run.Json.GetProperty("findings")[0];
        Assert.That(new[] { "what", "where", "meaning", "mend" }.Select(x => finding.GetProperty(x).GetString()), Has.All.Not.Empty);

        await ToolRun.OkAsync(finding.GetProperty("command").GetString()!.Split(' ')[1..]);
        run = await Tool.RunAsync("check", "--deep");
        Assert.That((run.Code, run.Kinds.Length), Is.EqualTo((0, 0)), run.Output);
    }

    private string First(string type) => VolumeFiles.Of(Tool.Remote, type)[0];
}
