// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Golden;

/// <summary>Real backups are recreated, verified and restored; the database must be the one that the real program made.</summary>
[TestFixture]
internal sealed class GoldenRecreateTests : GoldenTestBase
{
    // A damaged file list is taken in as far as it can be read: see the test of its own.
    private static IEnumerable<string> Recreated =>
        GoldenData.Sets.Where(x => x != "g-corrupt-dlist" && GoldenCommand.Find(x, "recreate") is { ExitCode: 0 });

    // Later releases go on without any list (D 1.7), and the next backup uses the blocks: see RecreateWithoutListTests.
    private const string WithoutList = "f-killed-first-backup";

    private static IEnumerable<string> Failing =>
        GoldenData.Sets.Where(x => x != WithoutList && GoldenCommand.Find(x, "recreate") is { ExitCode: not 0 });

    private static IEnumerable<string> Undamaged => Recreated.Where(x => !x.StartsWith("g-", StringComparison.Ordinal));

    [TestCaseSource(nameof(Recreated))]
    [Contract("B 4.2")]
    [Contract("B 4.3")]
    [Contract("B 7 row 8")]
    [Contract("B 7 row 11")]
    [Contract("B 7 row 17")]
    public async Task Recreate_gives_the_database_that_the_real_program_made(string set)
    {
        var options = await RecreateAsync(set);
        var dump = GoldenData.Exists(set, "recreated-by-109.dump.json") ? "recreated-by-109.dump.json" : "recreated.dump.json";
        Assert.That(Relevant(Differences(set, dump, options, new DumpComparisonOptions { IgnorePassphrase = true })), Is.Empty);
    }

    [TestCaseSource(nameof(Failing))]
    [Contract("B 7 row 3")]
    [Contract("B 7 row 4")]
    [Contract("B 4.1")]
    [Contract("B 7 row 5")]
    public void A_recreate_that_the_real_program_refuses_fails_with_the_same_help_id(string set)
    {
        var options = ToRecreate(set);
        var failure = Assert.ThrowsAsync<UserInformationException>(() =>
            new RecreateOperation(options, SilentProgress.Instance).RunAsync(default)
        );
        Assert.That(failure!.HelpID, Is.EqualTo(GoldenCommand.HelpId(set, "recreate")));
        Assert.That(
            File.Exists(options.DatabasePath),
            Is.EqualTo(failure.HelpID == "DatabaseIsBrokenConsiderPurge"),
            "a broken database is kept for purging, an empty one is not"
        );
    }

    [TestCaseSource(nameof(Undamaged))]
    [Contract("B 7 row 15")]
    public async Task Every_version_of_an_undamaged_backup_restores_and_verifies(string set)
    {
        var options = await RecreateAsync(set);
        var report = await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default);
        Assert.That(report.Problems, Is.Empty);

        var versions = await new RemoteListing(options).VersionsAsync(default);
        foreach (var version in versions)
        {
            var target = Folder.File($"restored-{version.Version}");
            var restored = await new RestoreOperation(options, SilentProgress.Instance).RunAsync(target, version.Version, null, default);
            Assert.That(restored.Failed, Is.Empty);
            if (GoldenCommand.Find(set, "restore-v0") is not null)
                Assert.That(
                    SourceManifest.VersionsEqualTo(target),
                    Is.Not.Empty,
                    $"version {version.Version} must be one of the source trees"
                );
        }
    }

    [Test]
    public async Task A_damaged_file_list_gives_a_version_that_is_marked_partial()
    {
        var options = ToRecreate("g-corrupt-dlist");
        var report = await new RecreateOperation(options, SilentProgress.Instance).RunAsync(default);
        var filesets = DatabaseDump.Load(options.DatabasePath).Filesets.ToList();
        var upstream = GoldenData.Dump("g-corrupt-dlist", "recreated.dump.json").Filesets.ToList();

        Assert.That(report.Problems, Is.EqualTo(1));
        Assert.That(filesets.Select(x => x.Volume), Is.EqualTo(upstream.Select(x => x.Volume)));
        Assert.That(filesets.Count(x => x.IsFull == 0), Is.EqualTo(1), "the real program marks the partial version as full");
    }

    private EngineOptions ToRecreate(string set)
    {
        GoldenData.CopyRemote(set, Folder.File("remote"));
        return GoldenCommand.Find(set, "recreate")!.ToOptions(Folder.File("remote"), Folder.File("recreated.sqlite"));
    }

    private async Task<EngineOptions> RecreateAsync(string set)
    {
        var options = ToRecreate(set);
        await new RecreateOperation(options, SilentProgress.Instance).RunAsync(default);
        return options;
    }

    // The key of the passphrase's hash is made by core, not by this layer or its engine.
    private static List<string> Relevant(IReadOnlyList<DumpDifference> differences) =>
        [
            .. differences
                .Where(x => !(x.Section == "row_counts" && $"{x.Expected}{x.Actual}".StartsWith("configuration", StringComparison.Ordinal)))
                .Select(x => x.ToString()),
        ];
}
