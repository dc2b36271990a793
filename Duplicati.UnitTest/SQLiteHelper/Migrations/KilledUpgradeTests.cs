// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

/// <summary>
/// A process that is killed during an upgrade leaves a database of the old or of a newer version that opens and upgrades, without a lost
/// row.
/// The kill leaves the page cache intact: this proves atomicity against the death of a process, not against a loss of power.
/// </summary>
/// <remarks>
/// The long version kills at every statement of every version and with many volumes:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "FullyQualifiedName~Upgrade_killed_at_every_statement"</c>.
/// </remarks>
[TestFixture]
public sealed class KilledUpgradeTests : FolderTestBase
{
    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public void Killed_upgrade_leaves_the_old_or_a_newer_version(string name)
    {
        var random = new Random(LongRun.Seed());
        // Each run meets the versions at other places, half of them between two statements.
        var what = random.Next(2) == 0 ? KilledUpgrade.Statements : KilledUpgrade.Instructions;
        KillAndReopen(name, what, random.Next(1, CountOf(name, what) + 1), volumes: 0);
    }

    [TestCase("handmade-v00")]
    [TestCase("downgraded-v18")]
    public void Upgrade_killed_while_the_safety_copy_is_made_leaves_the_old_version_and_the_next_one_clears_up(string name)
    {
        var steps = CountOf(name, KilledUpgrade.Copy);
        var random = new Random(LongRun.Seed());
        foreach (var step in (ReadOnlySpan<int>)[1, random.Next(2, steps), steps])
        {
            var (path, version) = KillAndReopen(name, KilledUpgrade.Copy, step, volumes: 0);
            Assert.That(version, Is.EqualTo(Databases.VersionIn(name)));
            Assert.That(
                Directory.GetFiles(Path.GetDirectoryName(path)!).Where(x => x.Contains(".incomplete", StringComparison.Ordinal)),
                Is.Empty
            );
        }
    }

    /// <summary>Every statement of the first step from every version; the later steps are the first ones of later versions.</summary>
    [Explicit("kills about 250 processes"), Category(LongRun.Category)]
    [TestCase(1_000)]
    [TestCase(40_000)]
    public void Upgrade_killed_at_every_statement(int volumes)
    {
        var kills = 0;
        foreach (var name in GoldenData.OldSchemas)
        {
            var count = CountOf(name, KilledUpgrade.Statements);
            for (var statement = 1; statement <= count; statement++)
            {
                kills++;
                if (KillAndReopen(name, KilledUpgrade.Statements, statement, volumes).Version > Databases.VersionIn(name))
                    break;
            }
        }
        TestContext.Out.WriteLine($"{volumes} volumes: {kills} kills, all reopened, no row lost");
    }

    private int CountOf(string name, string what)
    {
        var path = Unpack(name, volumes: 0);
        var count = what == KilledUpgrade.Copy ? InChild() : KilledUpgrade.CountOf(path, what);
        Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
        return count;

        // Where files are watched.
        int InChild()
        {
            var (code, output, error) = ChildProcess.Run<KilledUpgrade>(path, what, "0");
            Assert.That(code, Is.Zero, error);
            return int.Parse(output);
        }
    }

    private (string Path, int Version) KillAndReopen(string name, string what, int at, int volumes)
    {
        var path = Unpack(name, volumes);
        var (code, _, error) = ChildProcess.Run<KilledUpgrade>(path, what, $"{at}");
        var where = $"{name}, killed at {at} {what}";
        Assert.That(code, Is.Not.Zero, where);
        Assert.That(error, Is.Empty, where);
        var version = Databases.VersionOf(path);
        Assert.That(version, Is.InRange(Databases.VersionIn(name), 19), where);
        Databases.AssertSound(path, where);

        Databases.Upgrade(path);
        Assert.That(Databases.Query(path, "SELECT COUNT(*) FROM Remotevolume WHERE Name LIKE 'many-%'"), Is.EqualTo($"{volumes}"), where);
        if (volumes > 0)
            Databases.Execute(path, "DELETE FROM Remotevolume WHERE Name LIKE 'many-%'");
        Assert.That(Databases.DifferencesFromExpected(path, name), Is.Empty, where);
        return (path, version);
    }

    private string Unpack(string name, int volumes)
    {
        var folder = Directory.CreateDirectory(Folder.File(Guid.NewGuid().ToString("N"))).FullName;
        var path = Databases.UnpackOld(name, folder);
        if (volumes == 0)
            return path;
        var version = Databases.VersionIn(name);
        var columns = (version >= 3 ? ", 0" : "") + (version >= 15 ? ", 0" : "") + (version >= 18 ? ", 0" : "");
        Databases.Execute(
            path,
            $"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {volumes}) INSERT INTO Remotevolume SELECT i + 100000, 1, 'many-' || i, 'Blocks', 50000000, 'hash', 'Verified', 0{columns} FROM n"
        );
        return path;
    }
}
