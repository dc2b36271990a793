// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.Engine.Access;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A version has a time of its own: its list may have the name of another second, and other versions the same time.</summary>
[TestFixture]
[Contract("D 1.4")]
internal sealed class FilesetTimeTests
{
    [TestCase(2)]
    [TestCase(1, Description = "the older list alone is lost")]
    [Contract("D 3.5")]
    public async Task A_version_keeps_its_time_when_its_list_gets_another_name(int lost)
    {
        using var backup = await TwoVersionsAsync();
        var versions = new[] { await backup.RestoredAsync(0), await backup.RestoredAsync(1) };
        var times = Times(backup);
        var lists = backup.Volumes("dlist");
        foreach (var list in lists.Take(lost))
            File.Delete(list);

        await backup.RepairAsync();

        Assert.That(Times(backup), Is.EqualTo(times));
        Assert.That(backup.Volumes("dlist").Except(lists).Count(), Is.EqualTo(lost));
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(2));
        await backup.AssertRecreateEqualsAsync("after the repair");
        var newestFirst = times.Select(x => DateTime.UnixEpoch.AddSeconds(x.Time)).OrderDescending().ToList();
        for (var version = 0; version < 2; version++)
        {
            foreach (
                var choices in new RestoreChoices[]
                {
                    new() { Versions = [version] },
                    new() { Time = newestFirst[version] },
                }
            )
            {
                var target = backup.File($"direct-{version}-{choices.Time is null}");
                await backup.RestoreDirectlyAsync(target, choices);
                Assert.That(SourceTree.Describe(target), Is.EqualTo(versions[version]));
            }
        }
    }

    // A repair has made a list of what was left of the version, and the list that was missing has come back.
    [Test]
    public async Task Of_two_lists_of_one_time_a_restore_without_a_database_takes_the_full_one()
    {
        using var backup = await TwoVersionsAsync();
        var expected = await backup.RestoredAsync(0);
        var time = DateTime.UnixEpoch.AddSeconds(Times(backup).Max(x => x.Time));
        var list = backup.Volumes("dlist")[^1];
        var copy = backup.File("copy");
        File.Move(list, copy);
        backup.Sql("""UPDATE "Fileset" SET "IsFullBackup" = 0 WHERE "ID" = (SELECT MAX("ID") FROM "Fileset")""");
        backup.Sql(
            """DELETE FROM "FilesetEntry" WHERE "FilesetID" = (SELECT MAX("ID") FROM "Fileset") AND "FileID" = (SELECT MAX("FileID") FROM "FilesetEntry")"""
        );
        await backup.RepairAsync();
        File.Move(copy, list);

        var target = backup.File("direct");
        await backup.RestoreDirectlyAsync(target, new RestoreChoices { Time = time });

        Assert.That(SourceTree.Describe(target), Is.EqualTo(expected));
    }

    [Test]
    public async Task In_a_database_of_schema_19_a_version_gets_the_time_of_its_new_list()
    {
        using var backup = await TwoVersionsAsync(schema: 19);
        File.Delete(backup.Volumes("dlist")[0]);

        await backup.RepairAsync();

        var names = backup
            .Volumes("dlist")
            .Select(x => new DateTimeOffset(VolumeName.Parse(Path.GetFileName(x))!.Time).ToUnixTimeSeconds());
        Assert.That(Times(backup).Select(x => x.Time), Is.EquivalentTo(names));
        await backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task A_list_of_another_second_is_found_again_by_the_version_that_has_lost_it()
    {
        using var backup = await TwoVersionsAsync();
        File.Delete(backup.Volumes("dlist")[0]);
        await backup.RepairAsync();
        var lists = backup.Volumes("dlist");
        var times = Times(backup);
        backup.Sql(
            """DELETE FROM "Remotevolume" WHERE "Type" = 'Files' AND "Name" = (SELECT MIN("Name") FROM "Remotevolume" WHERE "Type" = 'Files' AND "State" <> 'Deleted')"""
        );

        await backup.RepairAsync();

        Assert.That(backup.Volumes("dlist"), Is.EqualTo(lists));
        Assert.That(Times(backup), Is.EqualTo(times));
        await backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task A_list_says_no_time_where_its_name_says_it()
    {
        using var backup = await TwoVersionsAsync();
        foreach (var path in backup.Volumes("dlist"))
        {
            using var list = ZipFile.OpenRead(path);
            using var text = new StreamReader(list.GetEntry("fileset")!.Open());
            Assert.That(await text.ReadToEndAsync(), Is.EqualTo("{\"IsFullBackup\":true}"));
        }
    }

    [Test]
    public async Task Versions_of_one_second_are_told_apart_by_their_numbers()
    {
        using var backup = await TwoVersionsAsync();
        await backup.BackUpAsync("more", 5000, 3);
        var versions = new List<string[]>();
        for (var version = 0; version < 3; version++)
            versions.Add(await backup.RestoredAsync(version));
        backup.Sql("""UPDATE "Fileset" SET "Timestamp" = (SELECT MAX("Timestamp") FROM "Fileset")""");

        var check = await backup.CheckAsync(CheckDepth.Names);
        Assert.That(check.HasProblems, Is.False, check.Verdict);
        await backup.AssertSoundAsync("with three versions of one second");
        for (var version = 0; version < 3; version++)
            Assert.That(await backup.RestoredAsync(version), Is.EqualTo(versions[version]), $"version {version}");
        var deleted = await backup.DeleteAsync(1);
        Assert.That(deleted.DeletedVersions, Is.EqualTo(1));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(versions[0]));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(versions[2]));

        var purged = await backup.PurgeAsync("*/secret");
        Assert.That(purged.Rewritten, Has.Count.EqualTo(2));
        Assert.That(Times(backup), Is.Unique);
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(versions[2].Where(x => !x.Contains("secret", StringComparison.Ordinal))));
        await backup.BackUpAsync();
        await backup.AssertRecreateEqualsAsync("after the backup");
    }

    [Test]
    public async Task Lists_that_name_one_time_make_two_versions_of_it()
    {
        using var backup = await TwoVersionsAsync();
        var versions = new[] { await backup.RestoredAsync(0), await backup.RestoredAsync(1) };
        var lists = backup.Volumes("dlist");
        using (var list = ZipFile.Open(lists[0], ZipArchiveMode.Update))
        {
            list.GetEntry("fileset")!.Delete();
            using var text = new StreamWriter(list.CreateEntry("fileset").Open());
            await text.WriteAsync($"{{\"IsFullBackup\":true,\"Timestamp\":\"{Path.GetFileName(lists[1]).Split('-', '.')[1]}\"}}");
        }

        File.Delete(backup.Options.DatabasePath);
        await backup.RecreateAsync(backup.Options.DatabasePath);

        Assert.That(Times(backup).Distinct().Count(), Is.EqualTo(1));
        Assert.That(
            new[] { string.Join('\n', await backup.RestoredAsync(0)), string.Join('\n', await backup.RestoredAsync(1)) },
            Is.EquivalentTo(versions.Select(x => string.Join('\n', x)))
        );
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the backup");
        await backup.RepairAsync();
        Assert.That(backup.Volumes("dlist"), Is.SupersetOf(lists));
    }

    private static async Task<BackupCase> TwoVersionsAsync(int schema = 20)
    {
        var backup = new BackupCase(x => x with { Schema = schema });
        SchemaState.Make(backup.Options.DatabasePath, schema);
        SourceTree.Make(backup.Source, new Random(1));
        await backup.BackUpAsync("secret", 3000, 4);
        SourceTree.Change(backup.Source, new Random(2));
        await backup.BackUpAsync();
        return backup;
    }

    private static (long Time, long? IsFull)[] Times(BackupCase backup) => [.. backup.Dump().Filesets.Select(x => (x.Timestamp, x.IsFull))];
}
