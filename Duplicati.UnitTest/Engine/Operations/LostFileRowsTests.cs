// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>The database has lost files that several versions have, and lists of those cannot be read.</summary>
[TestFixture]
internal sealed class LostFileRowsTests : BackupTestBase
{
    private const string Whole = "whole";
    private const string Damaged = "damaged";
    private const string Missing = "missing";
    private const string WithoutRow = "whole, its row lost";
    private const string Gone = "missing, its row lost";

    private string[] m_expected = [];

    [SetUp]
    public async Task MakeBackup()
    {
        Backup = new BackupCase();
        SourceTree.Write(Backup.Source, "kept", 3_000, new Random(0));
        for (var version = 0; version < 2; version++)
            await Backup.BackUpAsync($"lost {version}", 3_000, version + 1);
        m_expected = await Backup.RestoredVersionsAsync(2);
    }

    // A file that is made anew could get the id of a lost one, which the other version still has: the lost ones are the last.
    [Test]
    public async Task What_is_left_of_each_version_stays(
        [Values] bool losesLast,
        [Values(Whole, Damaged, Missing, WithoutRow, Gone)] string older,
        [Values(Whole, Damaged, Missing, WithoutRow, Gone)] string newer
    )
    {
        LoseFiles(losesLast);
        string[] states = [older, newer];
        var lists = Backup.Volumes("dlist");
        for (var i = 0; i < lists.Length; i++)
        {
            if (states[i] is Missing or Gone)
                File.Delete(lists[i]);
            else if (states[i] == Damaged)
                File.WriteAllBytes(lists[i], new byte[new FileInfo(lists[i]).Length]);
            if (states[i] is WithoutRow or Gone)
                LoseRow(lists[i]);
        }

        await AssertRepairedAsync([.. states.Select(x => x is Whole or WithoutRow)], losesLast);
    }

    [Test]
    public async Task A_list_in_the_place_of_one_that_is_gone_is_read_and_gets_its_name_again(
        [Values] bool losesLast,
        [Values] bool isOlder
    )
    {
        LoseFiles(losesLast);
        var lists = Backup.Volumes("dlist");
        File.Move(lists[isOlder ? 0 : 1], lists[isOlder ? 1 : 0], overwrite: true);

        await AssertRepairedAsync([isOlder, !isOlder], losesLast);
    }

    // It has less than is left of the version, or cannot be read, so that it is not its list. It may be the one record of what was lost.
    [Test]
    public async Task An_unknown_list_of_the_time_of_a_version_that_has_lost_entries_stays_until_a_recreate([Values] bool isRead)
    {
        LoseFiles(losesLast: false);
        var list = Backup.Volumes("dlist")[1];
        LoseRow(list);
        if (isRead)
            VolumeEdit.RewriteList(
                list,
                all => all.Remove(all.First(x => x!["path"]!.GetValue<string>().EndsWith("/kept", StringComparison.Ordinal)))
            );
        else
            File.WriteAllBytes(list, new byte[new FileInfo(list).Length]);
        var content = await File.ReadAllBytesAsync(list);
        var choices = new RepairChoices { DeleteUnknownFiles = true };

        var report = await Backup.RepairAsync(choices);

        Assert.That(report.Problems, Has.One.StartsWith("Lost of the version of "));
        AssertKept(report);
        report = await Backup.RepairAsync(choices);
        Assert.That(report.Problems, Is.Empty);
        AssertKept(report);
        await AssertRestoredAsync([true, false], losesLast: false);
        await Backup.RecreateInPlaceAsync();
        Assert.That((await Backup.RepairAsync(choices)).UnknownFiles, Is.Empty);

        void AssertKept(RepairReport report)
        {
            Assert.That(
                Backup.Warnings.Texts.Last(x => x.Contains("left as it is", StringComparison.Ordinal)),
                Does.EndWith(Advice.RecreateDatabase())
            );
            Assert.That(report.UnknownFiles, Is.EqualTo(new[] { Path.GetFileName(list) }));
            Assert.That(File.ReadAllBytes(list), Is.EqualTo(content));
        }
    }

    // Where the entries are gone, and the list has its size, nothing else tells that it is damaged.
    [Test]
    public async Task A_list_that_a_repair_could_neither_read_nor_replace_is_replaced_by_the_next_one()
    {
        LoseFiles(losesLast: false);
        var list = Backup.Volumes("dlist")[1];
        File.WriteAllBytes(list, new byte[new FileInfo(list).Length]);
        RemoteFolder.Through.Value = folder => new FullFolder(folder);
        Assert.ThrowsAsync<IOException>(() => Backup.RepairAsync());
        RemoteFolder.Through.Value = null;
        Assert.That(File.Exists(list), Is.True);
        Assert.That(Backup.Rows("""SELECT 1 FROM "Fileset" WHERE "IsFullBackup" = 0"""), Has.Length.EqualTo(1), "the drop is committed");

        await Backup.RepairAsync();

        Assert.That(File.Exists(list), Is.False);
        await Backup.AssertSoundAsync("after the second repair");
        await Backup.AssertRecreateEqualsAsync("after the second repair");
        await AssertRestoredAsync([true, false], losesLast: false);
    }

    // Or the version would stay short, and a compact free what only the list names.
    [Test]
    public async Task A_missing_list_that_is_put_back_after_a_repair_that_could_not_replace_it_is_the_record_of_its_version(
        [Values] bool losesMetadata
    )
    {
        if (losesMetadata)
            Backup.Sql("""UPDATE "FileLookup" SET "MetadataID" = 987654 WHERE "Path" = 'lost 0'""");
        else
            LoseFiles(losesLast: false);
        var list = Backup.Volumes("dlist")[1];
        var copy = Backup.File("copy");
        File.Move(list, copy);
        RemoteFolder.Through.Value = folder => new FullFolder(folder);
        Assert.ThrowsAsync<IOException>(() => Backup.RepairAsync());
        RemoteFolder.Through.Value = null;
        File.Move(copy, list);

        Backup.Options = Backup.Options with { CompactThreshold = 0 };
        BackupCase.Refused("VersionsAreNotKnown", Backup.CompactAsync);
        var report = await Backup.RepairAsync();
        Assert.That(report.Problems, Has.Some.Contains("recreate --overwrite"));
        await Backup.RecreateInPlaceAsync();

        Assert.That(await Backup.RestoredVersionsAsync(2), Is.EqualTo(m_expected));
    }

    [Test]
    public async Task A_closed_list_of_another_time_does_not_stop_the_repair_of_a_version_that_has_lost_its_list()
    {
        LoseFiles(losesLast: false);
        var list = Backup.Volumes("dlist")[1];
        LoseRow(list);
        File.Move(list, Path.Combine(Backup.Remote, "duplicati-19990101T000000Z.dlist.zip.gpg"));

        var report = await Backup.RepairAsync();

        Assert.That(report.Problems, Has.One.StartsWith("Lost of the version of "));
        await AssertRestoredAsync([true, false], losesLast: false);
    }

    // Of a version that nobody knows, and first in the folder; or the one that is looked for. By its name it is encrypted, or as nobody here
    // can read it.
    [Test]
    public async Task A_list_that_is_kept_back_or_closed_stops_the_repair_only_where_no_other_is_the_one(
        [Values] bool isTheOne,
        [Values("", ".aes", ".gpg")] string ending
    )
    {
        LoseFiles(losesLast: false);
        var list = Backup.Volumes("dlist")[1];
        LoseRow(list);
        var kept = (isTheOne ? list : Path.Combine(Backup.Remote, "duplicati-19990101T000000Z.dlist.zip")) + ending;
        if (!isTheOne)
            File.Copy(list, kept);
        else if (kept != list)
            File.Move(list, kept);
        if (ending == "")
            WatchedFolder.KeepBack(Path.GetFileName(kept));

        if (isTheOne)
            Assert.That(
                Assert.CatchAsync(() => Backup.RepairAsync()),
                ending switch
                {
                    "" => Is.InstanceOf<RemoteFileUnreadableException>(),
                    ".aes" => Is.InstanceOf<MissingPassphraseException>(),
                    _ => Is.InstanceOf<UnsupportedVolumeException>(),
                }
            );
        else
            await Backup.RepairAsync();
        RemoteFolder.Through.Value = null;
        if (!isTheOne)
            File.Delete(kept);
        else if (kept != list)
            File.Move(kept, list);
        await AssertRepairedAsync([true, true], losesLast: false);
    }

    private void LoseFiles(bool losesLast) =>
        Backup.Sql($"""DELETE FROM "FileLookup" WHERE "Path" LIKE 'lost {(losesLast ? "%" : "0")}'""");

    private void LoseRow(string volume) => Backup.Sql($"""DELETE FROM "Remotevolume" WHERE "Name" = '{Path.GetFileName(volume)}'""");

    private async Task AssertRepairedAsync(bool[] isWhole, bool losesLast)
    {
        var report = await Backup.RepairAsync();

        Assert.That(
            report.Problems.Count(x => x.StartsWith("Lost of ", StringComparison.Ordinal)),
            Is.EqualTo(isWhole.Count(x => !x)),
            string.Join('\n', report.Problems)
        );
        await Backup.AssertSoundAsync("after the repair");
        Assert.That(
            Backup.Rows("""SELECT group_concat("IsFullBackup") FROM (SELECT "IsFullBackup" FROM "Fileset" ORDER BY "ID")"""),
            Is.EqualTo(new[] { string.Join(',', isWhole.Select(x => x ? "1" : "0")) })
        );
        await AssertRestoredAsync(isWhole, losesLast);
        Assert.That((await Backup.RepairAsync()).Problems, Is.Empty);
        File.Delete(Backup.Options.DatabasePath);
        Assert.That((await Backup.RecreateAsync(Backup.Options.DatabasePath)).Problems, Is.Zero);
        await AssertRestoredAsync(isWhole, losesLast);
    }

    private async Task AssertRestoredAsync(bool[] isWhole, bool losesLast)
    {
        for (var i = 0; i < isWhole.Length; i++)
        {
            var lost = losesLast ? "file lost" : "file lost 0";
            var expected = m_expected[1 - i].Split('\n');
            Assert.That(
                await Backup.RestoredAsync(1 - i),
                Is.EqualTo(expected.Where(x => isWhole[i] || !x.StartsWith(lost, StringComparison.Ordinal)))
            );
        }
    }

    private sealed class FullFolder(IRemoteFolder folder) : ForwardingFolder(folder)
    {
        public override Task PutAsync(string name, string localPath, CancellationToken token) => throw new IOException("No space.");
    }
}
