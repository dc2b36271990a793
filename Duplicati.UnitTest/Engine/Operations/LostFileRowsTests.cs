// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>The database has lost files that several versions have, and lists of those cannot be read.</summary>
[TestFixture]
internal sealed class LostFileRowsTests
{
    private const string Whole = "whole";
    private const string Damaged = "damaged";
    private const string Missing = "missing";

    private BackupCase m_backup = null!;
    private string[] m_expected = [];

    [SetUp]
    public async Task MakeBackup()
    {
        m_backup = new BackupCase();
        SourceTree.Write(m_backup.Source, "kept", 3_000, new Random(0));
        for (var version = 0; version < 2; version++)
        {
            SourceTree.Write(m_backup.Source, $"lost {version}", 3_000, new Random(version + 1));
            await m_backup.BackUpAsync();
        }

        m_expected = await m_backup.RestoredVersionsAsync(2);
    }

    [TearDown]
    public void RemoveBackup() => m_backup.Dispose();

    // A file that is made anew could get the id of a lost one, which the other version still has: the lost ones are the last.
    [Test]
    public async Task What_is_left_of_each_version_stays(
        [Values] bool losesLast,
        [Values(Whole, Damaged, Missing)] string older,
        [Values(Whole, Damaged, Missing)] string newer
    )
    {
        Databases.Execute(
            m_backup.Options.DatabasePath,
            $"""DELETE FROM "FileLookup" WHERE "Path" LIKE 'lost {(losesLast ? "%" : "0")}'"""
        );
        string[] states = [older, newer];
        var lists = m_backup.Volumes("dlist");
        for (var i = 0; i < lists.Length; i++)
        {
            if (states[i] == Missing)
                File.Delete(lists[i]);
            else if (states[i] == Damaged)
                File.WriteAllBytes(lists[i], new byte[new FileInfo(lists[i]).Length]);
        }

        var report = await m_backup.RepairAsync();

        Assert.That(
            report.Problems.Count(x => x.StartsWith("Lost of ", StringComparison.Ordinal)),
            Is.EqualTo(states.Count(x => x != Whole))
        );
        await m_backup.AssertSoundAsync("after the repair");
        Assert.That(
            Databases.Query(
                m_backup.Options.DatabasePath,
                """SELECT group_concat("IsFullBackup") FROM (SELECT "IsFullBackup" FROM "Fileset" ORDER BY "ID")"""
            ),
            Is.EqualTo(string.Join(',', states.Select(x => x == Whole ? "1" : "0")))
        );
        await AssertRestoredAsync(states, losesLast);
        Assert.That((await m_backup.RepairAsync()).Problems, Is.Empty);
        File.Delete(m_backup.Options.DatabasePath);
        Assert.That((await m_backup.RecreateAsync(m_backup.Options.DatabasePath)).Problems, Is.Zero);
        await AssertRestoredAsync(states, losesLast);
    }

    private async Task AssertRestoredAsync(string[] states, bool losesLast)
    {
        for (var i = 0; i < states.Length; i++)
        {
            var lost = losesLast ? "file lost" : "file lost 0";
            var expected = m_expected[1 - i].Split('\n');
            Assert.That(
                await m_backup.RestoredAsync(1 - i),
                Is.EqualTo(expected.Where(x => states[i] == Whole || !x.StartsWith(lost, StringComparison.Ordinal)))
            );
        }
    }
}
