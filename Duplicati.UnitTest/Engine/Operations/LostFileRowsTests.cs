// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>The database has lost files that several versions have, and lists of those cannot be read.</summary>
[TestFixture]
internal sealed class LostFileRowsTests : BackupTestBase
{
    private const string Whole = "whole";
    private const string Damaged = "damaged";
    private const string Missing = "missing";

    private string[] m_expected = [];

    [SetUp]
    public async Task MakeBackup()
    {
        Backup = new BackupCase();
        SourceTree.Write(Backup.Source, "kept", 3_000, new Random(0));
        for (var version = 0; version < 2; version++)
        {
            SourceTree.Write(Backup.Source, $"lost {version}", 3_000, new Random(version + 1));
            await Backup.BackUpAsync();
        }

        m_expected = await Backup.RestoredVersionsAsync(2);
    }

    // A file that is made anew could get the id of a lost one, which the other version still has: the lost ones are the last.
    [Test]
    public async Task What_is_left_of_each_version_stays(
        [Values] bool losesLast,
        [Values(Whole, Damaged, Missing)] string older,
        [Values(Whole, Damaged, Missing)] string newer
    )
    {
        Backup.Sql($"""DELETE FROM "FileLookup" WHERE "Path" LIKE 'lost {(losesLast ? "%" : "0")}'""");
        string[] states = [older, newer];
        var lists = Backup.Volumes("dlist");
        for (var i = 0; i < lists.Length; i++)
        {
            if (states[i] == Missing)
                File.Delete(lists[i]);
            else if (states[i] == Damaged)
                File.WriteAllBytes(lists[i], new byte[new FileInfo(lists[i]).Length]);
        }

        var report = await Backup.RepairAsync();

        Assert.That(
            report.Problems.Count(x => x.StartsWith("Lost of ", StringComparison.Ordinal)),
            Is.EqualTo(states.Count(x => x != Whole))
        );
        await Backup.AssertSoundAsync("after the repair");
        Assert.That(
            Backup.Rows("""SELECT group_concat("IsFullBackup") FROM (SELECT "IsFullBackup" FROM "Fileset" ORDER BY "ID")"""),
            Is.EqualTo(new[] { string.Join(',', states.Select(x => x == Whole ? "1" : "0")) })
        );
        await AssertRestoredAsync(states, losesLast);
        Assert.That((await Backup.RepairAsync()).Problems, Is.Empty);
        File.Delete(Backup.Options.DatabasePath);
        Assert.That((await Backup.RecreateAsync(Backup.Options.DatabasePath)).Problems, Is.Zero);
        await AssertRestoredAsync(states, losesLast);
    }

    private async Task AssertRestoredAsync(string[] states, bool losesLast)
    {
        for (var i = 0; i < states.Length; i++)
        {
            var lost = losesLast ? "file lost" : "file lost 0";
            var expected = m_expected[1 - i].Split('\n');
            Assert.That(
                await Backup.RestoredAsync(1 - i),
                Is.EqualTo(expected.Where(x => states[i] == Whole || !x.StartsWith(lost, StringComparison.Ordinal)))
            );
        }
    }
}
