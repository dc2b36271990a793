// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.TwoReleases;

/// <summary>
/// Two releases take turns on one file, and each is killed at random moments. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~TwoReleasesTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class TwoReleasesTests
{
    // To settle what was killed and to read all volumes takes a second or two.
    private const int SETTLED = 8;
    private const int MOST_MILLISECONDS = 1500;

    private const int TOLD = 50;

    // 128 and the number of SIGKILL.
    private const int KILLED = 137;

    // Its contents are not those of the one that was killed.
    private const int AFTERWARDS = 100_000;

    private static readonly KilledKind[] s_ours = Enum.GetValues<KilledKind>().Where(x => x != KilledKind.Plain).ToArray();

    private readonly Dictionary<KilledKind, int> m_steps = [];
    private Random m_random = null!;
    private KilledBase m_base = null!;
    private int m_killed;

    [OneTimeSetUp]
    public async Task MakeAsync()
    {
        var seed = LongRun.Seed();
        m_random = new Random(seed);
        m_base = await KilledBase.MakeAsync(m_random);
    }

    [OneTimeTearDown]
    public void Remove() => m_base.Dispose();

    [TestCase(8)]
    [TestCase(800, Explicit = true, Category = LongRun.Category)]
    public async Task What_a_kill_left_the_release_before_finds_complete_or_refuses(int kills)
    {
        m_killed = 0;
        var refused = new Dictionary<KilledKind, int>();
        for (var i = 0; i < kills; i++)
        {
            var kind = s_ours[i % s_ours.Length];
            using var folder = new TestFolder();
            m_base.CopyTo(folder.Path, kind);
            var ended = !KillOurs(kind, folder, i);
            var where = $"{kind}, kill {i}{(ended ? ", which came too late" : "")}";
            if (!Look(folder.File("backup.sqlite"), kind, ended, i, where))
                refused[kind] = refused.GetValueOrDefault(kind) + 1;
            await GoOnAsync(folder, kind, i / s_ours.Length % SETTLED == 0, where);
            if ((i + 1) % TOLD == 0)
                TestContext.Progress.WriteLine($"{i + 1} of {kills}");
        }

        TestContext.Out.WriteLine(
            $"{m_killed} of {kills} were killed before they ended; not there or refused by the release before: {string.Join(", ", refused.Select(x => $"{x.Key} {x.Value}"))}"
        );
        Assert.That(m_killed, Is.GreaterThan(kills / 2));
    }

    [TestCase(6)]
    [TestCase(200, Explicit = true, Category = LongRun.Category)]
    public async Task What_the_release_before_committed_until_it_was_killed_is_there_and_a_backup_goes_on(int kills)
    {
        var committed = 0;
        for (var i = 0; i < kills; i++)
        {
            using var folder = new TestFolder();
            m_base.CopyTo(folder.Path, KilledKind.Plain);
            KillPlain(folder, i);
            var noted = KilledChild.Notes(folder.File("notes"));
            await using (await LocalDatabase.CreateLocalDatabaseAsync(folder.File("backup.sqlite"), "Open", true, null, default))
                Assert.That(
                    noted.Except(SampleDatabase.Rows(folder.File("backup.sqlite"), """SELECT "Path" FROM "File" """)),
                    Is.Empty,
                    $"kill {i}"
                );
            committed += noted.Length;
            Assert.That(Look(folder.File("backup.sqlite"), KilledKind.Plain, false, i, $"kill {i}"), Is.True);
            await GoOnAsync(folder, KilledKind.Plain, i % SETTLED < 2, $"kill {i}");
        }

        TestContext.Out.WriteLine($"{kills} kills; {committed} commits of the release before found again");
        Assert.That(committed, Is.Positive);
    }

    /// <summary>
    /// Kills an operation of this release at any of its steps on the files of the database, and now and then after the last one.
    /// </summary>
    /// <returns>False if it had ended by itself.</returns>
    private bool KillOurs(KilledKind kind, TestFolder folder, int number)
    {
        if (!m_steps.TryGetValue(kind, out var steps))
        {
            using var undisturbed = new TestFolder();
            m_base.CopyTo(undisturbed.Path, kind);
            var whole = KilledChild.Run<KilledOperation>(undisturbed.File("temporary"), Arguments(kind, undisturbed, number, 0));
            m_steps[kind] = steps = int.Parse(whole.Output, CultureInfo.InvariantCulture);
        }

        var at = m_random.Next(1, steps + (steps / 20) + 2);
        var (code, _, _) = KilledChild.Run<KilledOperation>(folder.File("temporary"), Arguments(kind, folder, number, at));
        Assert.That(code, Is.Zero.Or.EqualTo(KILLED), $"{kind}");
        m_killed += code == 0 ? 0 : 1;
        return code != 0;
    }

    // Every second one after its first commit.
    private void KillPlain(TestFolder folder, int number) =>
        Assert.That(
            KilledChild.KillAfter<KilledOperation>(
                m_random.Next(MOST_MILLISECONDS),
                folder.File("temporary"),
                number % 2 == 1 ? folder.File("notes") : null,
                Arguments(KilledKind.Plain, folder, number, 0)
            ),
            Is.Null
        );

    private string[] Arguments(KilledKind kind, TestFolder folder, int number, int deadly) =>
        [$"{kind}", folder.File("remote"), folder.File("backup.sqlite"), m_base.Source, folder.File("notes"), $"{number}", $"{deadly}"];

    /// <summary>What the release before finds, and then it begins a backup of its own.</summary>
    /// <returns>False if there is no database, or it refuses it.</returns>
    private bool Look(string path, KilledKind kind, bool ended, int number, string where)
    {
        if (!File.Exists(path) || new FileInfo(path).Length == 0)
        {
            Assert.That(kind is KilledKind.FirstBackup or KilledKind.Recreate && !ended, Is.True, where);
            return false;
        }

        Databases.AssertSound(path, where);
        try
        {
            if (ReleaseBefore.IsEmpty(path))
                return false;
            using var release = PlainRelease.Open(path);
            // Its own mark of a recreate that has not come to its end.
            if (
                kind == KilledKind.Recreate
                && release.Connection.Scalar("""SELECT "Value" FROM "Configuration" WHERE "Key" = 'repair-in-progress'""") == "true"
            )
                return false;
            AssertAll(release, path, kind, where);
            release.BackUp(AFTERWARDS + number, 2);
            release.AssertUsesIndexes();
            return true;
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseVersionNotSupportedError")
        {
            var version = Databases.VersionOf(path);
            Assert.That(
                version == 1019
                    ? kind is KilledKind.FirstBackup or KilledKind.Recreate && !ended
                    : version == 18 && kind == KilledKind.Upgrade,
                Is.True,
                $"{where}: version {version}"
            );
            return false;
        }
    }

    private void AssertAll(PlainRelease release, string path, KilledKind kind, string where)
    {
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(path), Is.False, where);
        release.AssertConsistent();
        var versions = release.Versions();
        foreach (var version in versions.Values)
            release.AssertFindsAll(version);
        if (kind is KilledKind.FirstBackup or KilledKind.Upgrade)
            return;
        var found = versions.Values.Select(x => Described(release.Entries(x), kind)).ToHashSet(StringComparer.Ordinal);
        var newest = m_base.Known.Keys.Order().Reverse().ToArray();
        for (var i = 0; i < newest.Length; i++)
        {
            // A version that is being deleted is there or not; what is there is whole.
            var isThere = found.Contains(Described(m_base.Known[newest[i]], kind));
            if (kind is KilledKind.Delete or KilledKind.Compact && i is 1 or 2)
                Assert.That(isThere || !versions.ContainsKey(newest[i]), Is.True, $"{where}: version {i}");
            else
                Assert.That(isThere, Is.True, $"{where}: version {i}");
        }
    }

    private static string Described(string[] entries, KilledKind kind) =>
        string.Join('\n', kind == KilledKind.Purge ? entries.Where(x => !x.Contains("/added/", StringComparison.Ordinal)) : entries);

    /// <summary>This release goes on with what both have left.</summary>
    private async Task GoOnAsync(TestFolder folder, KilledKind kind, bool isSettled, string where)
    {
        var path = folder.File("backup.sqlite");
        var options = KilledOperation.Options(folder.File("remote"), path);
        if (kind == KilledKind.Upgrade)
        {
            Databases.Upgrade(path);
            return;
        }

        if (!isSettled)
        {
            await using var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Open", true, null, default);
            return;
        }

        if (kind == KilledKind.Recreate && !File.Exists(path) || UnfinishedRecreate.Is(path))
            await new RecreateOperation(options with { BlockSize = null, VolumeSize = null }, SilentProgress.Instance).RunAsync(default);
        if (kind == KilledKind.Repair)
            await new RepairOperation(options, new RepairChoices(), SilentProgress.Instance).RunAsync(default);
        await new BackupOperation(options, SilentProgress.Instance).RunAsync([m_base.Source], default);
        var report = await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default);
        Assert.That(report.Problems, Is.Empty, where);
    }
}
