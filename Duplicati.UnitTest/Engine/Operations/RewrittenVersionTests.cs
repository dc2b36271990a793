// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Volumes;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Versions one second apart, as backups make them that find the newest one ahead of the clock, are rewritten and stay in their order.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class RewrittenVersionTests
{
    private const string SECRET = "secret";

    [TestCase(2, 1)]
    [TestCase(2, 0, 1)]
    [TestCase(3, 1)]
    [TestCase(5, 1, 2)]
    [TestCase(5, 0, 1, 2, 3, 4)]
    public async Task A_purge_leaves_every_version_where_it_is(int versions, params int[] purged)
    {
        using var backup = await SuccessiveAsync(versions);
        var times = await TimesAsync(backup);
        var expected = await RestoredAsync(backup, versions);
        foreach (var version in purged)
            expected[version] = [.. expected[version].Where(x => !x.Contains(SECRET, StringComparison.Ordinal))];

        var report = await backup.PurgeAsync("*/" + SECRET, [.. purged.Select(x => (long)x)]);

        Assert.That(report.Rewritten.Count(x => x.RemovedFiles > 0), Is.EqualTo(purged.Length));
        Assert.That(report.Rewritten.Select(x => x.Time), Is.SubsetOf(times).And.Unique);
        Assert.That(report.Rewritten.Select(x => x.NewTime), Is.SubsetOf(await TimesAsync(backup)).And.Ordered);
        Assert.That(await RestoredAsync(backup, versions), Is.EqualTo(expected));
        await backup.AssertRecreateEqualsAsync("after the purge");
    }

    [Test]
    public async Task A_purge_of_all_that_a_version_has_leaves_no_mark_of_an_interrupted_one()
    {
        using var backup = await SuccessiveAsync(1);
        var settings = Settings();
        Assert.CatchAsync(() => backup.PurgeAsync("*"));
        Assert.That(Settings(), Is.EqualTo(settings));

        string[] Settings() => [.. backup.Rows("""SELECT "Key" || '=' || "Value" FROM "Configuration" ORDER BY 1""")];
    }

    [Test]
    [Platform("Linux")]
    public async Task Of_the_hour_that_comes_twice_a_time_chooses_one_version()
    {
        using var backup = await SuccessiveAsync(3);
        var first = new DateTimeOffset(2026, 10, 25, 0, 30, 0, TimeSpan.Zero).ToUnixTimeSeconds();
        backup.Sql($"""UPDATE "Fileset" SET "Timestamp" = {first} + 3600 * ("ID" - (SELECT MIN("ID") FROM "Fileset"))""");
        var start = new ProcessStartInfo(
            ToolProgram.Words[0],
            [
                .. ToolProgram.Words[1..],
                "delete",
                backup.Remote,
                "--dbpath",
                backup.Options.DatabasePath,
                "--no-encryption",
                "--time",
                "2026-10-25T00:30:00Z",
                "--yes",
                "--no-compact",
            ]
        )
        {
            Environment = { ["TZ"] = "Europe/Berlin" },
        };

        var (code, output, error) = ChildProcess.Run(start);

        Assert.That(code, Is.Zero, output + error);
        Assert.That(
            backup.Rows("""SELECT "Timestamp" FROM "Fileset" ORDER BY 1"""),
            Is.EqualTo(new[] { $"{first + 3600}", $"{first + 7200}" })
        );
    }

    [Test]
    public async Task A_partial_version_stays_partial_in_the_database_and_in_its_list()
    {
        using var backup = await SuccessiveAsync(2);
        backup.Sql("""UPDATE "Fileset" SET "IsFullBackup" = 0 WHERE "ID" = (SELECT MIN("ID") FROM "Fileset")""");

        var report = await backup.PurgeAsync("*/" + SECRET);

        Assert.That(report.Rewritten, Has.Count.EqualTo(2));
        Assert.That(backup.Dump().Filesets.OrderBy(x => x.Timestamp).Select(x => x.IsFull), Is.EqualTo(new long?[] { 0, 1 }));
        await backup.AssertRecreateEqualsAsync("after the purge");
    }

    [Test]
    public async Task A_purge_refuses_a_version_that_could_not_stay_where_it_is()
    {
        using var backup = await SuccessiveAsync(2);
        var before = await RestoredAsync(backup, 2);
        TakeMinute(backup);

        BackupCase.Refused("NoFreeFilelistName", () => backup.PurgeAsync("*/" + SECRET, 1));
        Assert.That((await backup.PurgeAsync("*/no such file", 1)).Rewritten, Is.Empty);
        Assert.That(await RestoredAsync(backup, 2), Is.EqualTo(before));
        await backup.AssertSoundAsync("after the refusal");
    }

    // Of the middle one of three, only its own second is free.
    [TestCase(2, false, 0)]
    [TestCase(3, false, 1)]
    [TestCase(3, true, 1)]
    [TestCase(3, false, 0, 1, 2)]
    public async Task A_repair_makes_lists_anew_where_their_versions_are(int versions, bool isCut, params int[] lost)
    {
        using var backup = await SuccessiveAsync(versions);
        var before = await RestoredAsync(backup, versions);
        Lose(backup, isCut, lost);

        var report = await backup.RepairAsync();

        Assert.That((report.Problems.Count, report.Uploaded.Count, report.KeptDamaged.Count), Is.EqualTo((0, lost.Length, isCut ? 1 : 0)));
        Assert.That(await RestoredAsync(backup, versions), Is.EqualTo(before));
        await backup.AssertRecreateEqualsAsync("after the repair");
        Assert.That((await backup.RepairAsync()).Uploaded, Is.Empty);
    }

    [Test]
    public async Task A_list_that_keeps_its_name_is_made_by_the_next_repair_if_its_upload_is_interrupted([Values] bool isCut)
    {
        using var backup = await SuccessiveAsync(3);
        var before = await RestoredAsync(backup, 3);
        Lose(backup, isCut, 1);
        Assert.That(await backup.StopAsync(() => backup.RepairAsync(), "^Uploading "));

        Assert.That((await backup.RepairAsync()).Problems, Is.Empty);

        Assert.That(await RestoredAsync(backup, 3), Is.EqualTo(before));
        await backup.AssertRecreateEqualsAsync("after the second repair");
    }

    private static async Task<List<DateTime>> TimesAsync(BackupCase backup) =>
        [.. (await new DatabaseListing(backup.Options.DatabasePath, "default").VersionsAsync(default)).Select(x => x.Time.ToLocalTime())];

    // By their order, oldest first, which is that of the names.
    private static void Lose(BackupCase backup, bool isCut, params int[] lost)
    {
        var lists = backup.Volumes("dlist");
        foreach (var list in lost.Select(x => lists[x]))
        {
            if (isCut)
                File.WriteAllBytes(list, File.ReadAllBytes(list)[..^100]);
            else
                File.Delete(list);
        }
    }

    private static async Task<List<string[]>> RestoredAsync(BackupCase backup, int versions)
    {
        var restored = new List<string[]>();
        for (var version = 0; version < versions; version++)
            restored.Add(await backup.RestoredAsync(version));
        return restored;
    }

    private static async Task<BackupCase> SuccessiveAsync(int versions)
    {
        var backup = new BackupCase();
        SourceTree.Write(backup.Source, SECRET, 3000, new Random(0));
        await backup.BackUpAsync("kept", 3000, 1);
        MoveAhead(backup);
        for (var version = 1; version < versions; version++)
        {
            SourceTree.Write(backup.Source, "kept", 3000 + version, new Random(version));
            await backup.BackUpAsync($"new {version}", 3000, -version);
        }

        var times = backup.Dump().Filesets.Select(x => x.Timestamp).ToList();
        Assert.That(times.Select(x => x - times[0]), Is.EqualTo(Enumerable.Range(0, versions)));
        return backup;
    }

    // Lists that were deleted a moment ago, of every second of the minute before the oldest version.
    private static void TakeMinute(BackupCase backup)
    {
        var oldest = VolumeName.Parse(Path.GetFileName(backup.Volumes("dlist")[0]))!.Time;
        using var connection = SQLiteLoader.LoadConnection(backup.Options.DatabasePath);
        for (var second = 1; second <= 60; second++)
        {
            connection.Execute(
                $"""
                INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
                VALUES (1, '{VolumeName.ForFilelist(
                    oldest.AddSeconds(-second)
                ).FileName}', 'Files', -1, 'Deleted', 0, {DateTimeOffset.UtcNow.ToUnixTimeSeconds() + 3600}, 0, 0)
                """
            );
        }
    }

    private static void MoveAhead(BackupCase backup)
    {
        var time = DateTimeOffset.FromUnixTimeSeconds(DateTimeOffset.UtcNow.ToUnixTimeSeconds() + 3600);
        var list = backup.Volumes("dlist")[0];
        var name = VolumeName.ForFilelist(time.UtcDateTime, VolumeName.DEFAULT_PREFIX, null).FileName;
        File.Move(list, Path.Combine(backup.Remote, name));
        backup.Sql(
            $"""
            UPDATE "Fileset" SET "Timestamp" = {time.ToUnixTimeSeconds()};
            UPDATE "Remotevolume" SET "Name" = '{name}' WHERE "Type" = 'Files'
            """
        );
    }
}
