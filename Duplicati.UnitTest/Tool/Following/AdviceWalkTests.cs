// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

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
    private const int Most = 3;
    private const int BlockSize = 1024;

    private static readonly string[] s_check = ["check", "--deep"];

    private readonly Dictionary<int, int> m_lengths = [];
    private InterruptedCase m_case = null!;
    private Salvage m_whole = null!;

    private static IEnumerable<DamagedState> States => DamagedStates.All;

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
        TestContext.Progress.WriteLine(
            $"Chains of advice by their length: {string.Join(", ", m_lengths.OrderBy(x => x.Key).Select(x => $"{x.Key}: {x.Value}"))}"
        );
        m_case.Dispose();
    }

    [TestCaseSource(nameof(States))]
    public Task Advice_ends_and_everything_is_restored_that_the_volumes_hold(object state) =>
        WalkAsync((DamagedState)state, isLost: false, s_check);

    [TestCaseSource(nameof(States))]
    public async Task Advice_ends_where_the_database_is_lost_too(object state)
    {
        // What is wrong with the database alone is gone with it.
        if (!((DamagedState)state).IsOfDatabase)
            await WalkAsync((DamagedState)state, isLost: true, ["recreate"]);
    }

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
        state.Make(m_case.Folder);
        var damaged = Salvage.Read(m_case.Remote);
        // What the database knows of a version need not be in a list, nor lists of blocks in a volume.
        var expected = isLost ? damaged.Versions.Values.ToList() : damaged.Known(m_whole, BlockSize);
        if (!isLost)
            expected.InsertRange(0, damaged.Versions.Where(x => !m_whole.Versions.ContainsKey(x.Key)).Select(x => x.Value));
        if (isLost)
            File.Delete(m_case.Database);

        var chain = await FollowAsync(first);
        var text = $"{state.Name}\n{FollowedAdvice.Text(chain)}";
        TestContext.Out.WriteLine(text);
        m_lengths[chain.Count] = m_lengths.GetValueOrDefault(chain.Count) + 1;
        var found = Salvage.Read(m_case.Remote).Versions.Values.Where(x => x.Length > 0).ToList();
        var wanted = expected.Where(x => x.Length > 0).ToList();
        if (wanted.Count == 0)
            return;

        Assert.That(
            found.Select(x => string.Join(", ", x)),
            Is.EqualTo(wanted.Select(x => string.Join(", ", x))),
            $"what can be put together of the volumes\n{text}"
        );
        Assert.That(
            (await RestoredAsync()).Select(x => string.Join(", ", x)),
            Is.EqualTo(wanted.Select(x => string.Join(", ", x))),
            $"what is restored\n{text}"
        );
    }

    // What a command names, and, where that names nothing more, what a check names.
    private async Task<List<(string Command, ToolRun Run)>> FollowAsync(string[] first)
    {
        var chain = new List<(string Command, ToolRun Run)>();
        var run = await ToolRun.AnswerAsync("y", Words(first));
        var start = $"$ {string.Join(' ', first)}\n  exit {run.Code}: {run.Error}";
        while (true)
        {
            var next = FollowedAdvice.Of(run);
            if (next is null && File.Exists(m_case.Database))
                next = FollowedAdvice.Of(await ToolRun.RunAsync(m_case.Words("check", "--deep")));
            if (next is null)
                return chain;
            var command = string.Join(' ', next);
            Assert.That(
                chain.Select(x => x.Command),
                Has.None.EqualTo(command),
                $"advice in a circle: {command}\n{start}\n{FollowedAdvice.Text(chain)}"
            );
            Assert.That(chain, Has.Count.LessThan(Most), $"advice without an end: {command}\n{start}\n{FollowedAdvice.Text(chain)}");
            run = await ToolRun.AnswerAsync("y", next);
            chain.Add((command, run));
            Assert.That(
                run.Code,
                Is.Not.EqualTo(ExitCode.Internal).And.Not.EqualTo(ExitCode.Usage),
                $"{start}\n{FollowedAdvice.Text(chain)}"
            );
            if (run.Code == ExitCode.Failed && FollowedAdvice.Of(run) is null)
                return chain;
        }
    }

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
                            .GetFiles(target, "*", SearchOption.AllDirectories)
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
