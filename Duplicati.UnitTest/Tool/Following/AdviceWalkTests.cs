// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>
/// From each state in which something is wrong: who runs what the tool names first, and then what that names, comes to an end soon, with
/// everything restored that can be put together of
/// the volumes by hand. Whoever begins with another command: <c>dotnet test Duplicati.UnitTest -c Release --filter
/// "TestCategory=Long&amp;FullyQualifiedName~AdviceWalkTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class AdviceWalkTests
{
    // A repair that looks in the sources, a recreate that looks in unknown volumes, a purge of what neither has, and a repair of an
    // unknown volume that is damaged.
    private const int Most = 4;
    private const int BlockSize = 1024;

    // Files that a backup had recorded when it was interrupted, each with the blocks that it is made of.
    private const string UNFINISHED = """
        SELECT "List"."Name", "File"."Path", "Blockset"."FullHash",
            (SELECT group_concat("Block"."Hash") FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
             WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID")
        FROM "Fileset"
        JOIN "Remotevolume" "List" ON "List"."ID" = "Fileset"."VolumeID"
        JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID"
        JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID"
        JOIN "Blockset" ON "Blockset"."ID" = "File"."BlocksetID"
        WHERE "List"."State" IN ('Temporary', 'Uploading')
        """;

    private static readonly string[] s_check = ["check", "--deep"];
    private static readonly EnumerationOptions s_withoutLinks = new()
    {
        RecurseSubdirectories = true,
        AttributesToSkip = FileAttributes.ReparsePoint,
    };

    private readonly Dictionary<int, int> m_lengths = [];
    private InterruptedCase m_case = null!;
    private Salvage m_whole = null!;

    private static IEnumerable<DamagedState> States => DamagedStates.All.Concat(DamagedStates.Golden);

    // What is wrong with the database alone is gone with it.
    private static IEnumerable<DamagedState> StatesOfTheFolder => States.Where(x => !x.IsOfDatabase);

    [OneTimeSetUp]
    public async Task Make()
    {
        m_case = await InterruptedCase.CreateAsync();
        m_whole = Salvage.Read(m_case.Remote);
        Directory.Delete(m_case.Source, recursive: true);
    }

    [OneTimeTearDown]
    public void Remove()
    {
        var lengths = m_lengths.OrderBy(x => x.Key).Select(x => $"{x.Key}: {x.Value}");
        TestContext.Progress.WriteLine(
            $"{m_lengths.Values.Sum()} walks; the longest chain of advice: {m_lengths.Keys.DefaultIfEmpty().Max()}; walks by their length: {string.Join(", ", lengths)}"
        );
        m_case.Dispose();
    }

    [TestCaseSource(nameof(States))]
    public Task Advice_ends_and_everything_is_restored_that_the_volumes_hold(object state) =>
        WalkAsync((DamagedState)state, isLost: false, s_check);

    [TestCaseSource(nameof(StatesOfTheFolder))]
    public Task Advice_ends_where_the_database_is_lost_too(object state) => WalkAsync((DamagedState)state, isLost: true, ["recreate"]);

    [Test]
    [Explicit]
    [Category(LongRun.Category)]
    public async Task Advice_ends_whatever_command_is_the_first(
        [ValueSource(nameof(States))] object state,
        [Values(
            "check --quick",
            "verify",
            "repair",
            "restore",
            "list-broken-files",
            "test --samples all",
            "compact",
            "purge */secret --yes",
            "recreate --overwrite",
            "purge-broken-files"
        )]
            string first
    ) => await WalkAsync((DamagedState)state, isLost: false, first.Split(' '));

    private async Task WalkAsync(DamagedState state, bool isLost, string[] first)
    {
        await m_case.BeginAsync("walk");
        await state.MakeAsync(m_case.Folder);
        var damaged = Salvage.Read(m_case.Remote);
        var (known, unfinished) = isLost ? ([], []) : (Known(state, damaged), state.IsInterrupted ? Unfinished(damaged) : []);
        if (isLost)
            File.Delete(m_case.Database);

        var (begin, chain) = await FollowedAdvice.WalkAsync(Words(first), m_case.Words("check", "--deep"), Most);
        var text = $"{state.Name}, {unfinished.Length} files of an unfinished version\n{FollowedAdvice.Text(chain)}";
        // Whoever replaces the database has the lists alone; the old one is kept beside the new one.
        if (isLost || (first[0] == "recreate" && (!begin.IsRefused || begin.HelpId == "DatabaseIsBrokenConsiderPurge")))
            (known, unfinished) = ([.. damaged.Versions.Values], []);
        TestContext.Out.WriteLine(text);
        m_lengths[chain.Count] = m_lengths.GetValueOrDefault(chain.Count) + 1;
        var found = Salvage.Read(m_case.Remote).Versions.Values.Where(x => x.Length > 0).ToList();
        var wanted = known.Where(x => x.Length > 0).ToList();
        // It may have got its list by now.
        if (unfinished.Length > 0 && found.Count > wanted.Count)
            wanted.Add(unfinished);
        if (wanted.Count == 0 && unfinished.Length == 0)
            return;

        Assert.That(
            found.Select(x => string.Join(", ", x)),
            Is.EqualTo(wanted.Select(x => string.Join(", ", x))),
            $"what can be put together of the volumes\n{text}"
        );
        if (unfinished.Length > 0 && !wanted.Contains(unfinished))
            wanted.Add(unfinished);
        Assert.That(
            (await RestoredAsync()).Select(x => string.Join(", ", x)),
            Is.EqualTo(wanted.Select(x => string.Join(", ", x))),
            $"what is restored\n{text}"
        );
    }

    // What the database knows of a version need not be in a list, nor lists of blocks in a volume.
    private List<string[]> Known(DamagedState state, Salvage damaged)
    {
        var whole = m_whole;
        if (state.Whole is not null)
        {
            var remote = Path.Combine(m_case.Folder, "whole");
            GoldenData.CopyRemote(state.Whole, remote);
            whole = Salvage.Read(remote);
        }

        var lists = damaged.Versions.Where(x => !whole.Versions.ContainsKey(x.Key)).Select(x => x.Value);
        return [.. lists, .. damaged.Known(whole, BlockSize)];
    }

    private string[] Unfinished(Salvage damaged) =>
        [
            .. SampleDatabase
                .Rows(m_case.Database, UNFINISHED)
                .Select(x => x.Split('|'))
                .Where(x => !File.Exists(Path.Combine(m_case.Remote, x[0])) && damaged.Holds(x[^1].Split(',').Where(y => y != "null")))
                .Select(x => Salvage.Describe(string.Join('|', x[1..^2]), x[^2]))
                .Order(StringComparer.Ordinal),
        ];

    private string[] Words(string[] first) =>
        m_case.Words(
            first[0],
            [.. first[1..], .. first[0] == "restore" ? (string[])["--target", Path.Combine(m_case.Folder, "first")] : []]
        );

    private async Task<List<string[]>> RestoredAsync()
    {
        var versions = new List<string[]>();
        for (var version = 0; version < SampleDatabase.Rows(m_case.Database, "SELECT \"ID\" FROM \"Fileset\"").Length; version++)
        {
            var target = Path.Combine(m_case.Folder, $"restored-{version}");
            var run = await ToolRun.RunAsync(m_case.Words("restore", "--version", $"{version}", "--target", target));
            if (run.Code is ExitCode.Ok or ExitCode.Found)
                versions.Insert(
                    0,
                    [
                        .. Directory
                            .GetFiles(target, "*", s_withoutLinks)
                            .Where(x => !x.EndsWith(".incomplete", StringComparison.Ordinal))
                            .Select(x => Salvage.Describe(x, File.ReadAllBytes(x)))
                            .Order(StringComparer.Ordinal),
                    ]
                );
            else
                Assert.That(run.HelpId, Is.EqualTo("EmptyRestoreOperation"), run.Error);
        }

        return [.. versions.Where(x => x.Length > 0)];
    }
}
