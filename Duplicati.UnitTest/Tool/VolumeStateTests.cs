// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Rows of volumes say one thing and the folder another: every state, file, need and kind. Nothing that complete versions need is lost,
/// whatever is
/// run, and what is advised comes to an end. All cells: <c>dotnet test Duplicati.UnitTest -c Release --filter
/// "TestCategory=Long&amp;FullyQualifiedName~VolumeStateTests"</c>.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class VolumeStateTests
{
    private const int MostSteps = 4;

    private static readonly string[][] s_writers =
    [
        ["backup"],
        ["delete", "--yes", "--version"],
        ["compact"],
        ["purge", "*/purged", "--yes"],
        ["purge-broken-files", "--yes"],
    ];

    private static IEnumerable<object[]> Parts =>
        VolumeCell.All.Select(x => (x.Need, x.Kind)).Distinct().Select(x => new object[] { x.Need, x.Kind });

    private readonly List<string> m_faults = [];
    private VolumeStateCase m_case = null!;
    private VolumeCell m_cell = null!;

    [OneTimeSetUp]
    public async Task MakeBackups() => m_case = await VolumeStateCase.CreateAsync();

    [OneTimeTearDown]
    public void RemoveBackups() => m_case.Dispose();

    [SetUp]
    public void SetUp() => m_faults.Clear();

    [Test]
    public async Task No_volume_that_complete_versions_need_is_given_up()
    {
        // Those of which a row lies, each kind and file once.
        var cells = VolumeCell
            .All.Where(x =>
                x is { Need: NeededBy.Complete, IsComplete: false }
                && ((int)x.State + (int)x.File + (int)x.Kind + (x.IsForgotten ? 1 : 0)) % 5 == 0
            )
            .ToList();
        await RunAsync(cells, [s_writers[0], s_writers[2]]);
    }

    [Test]
    public async Task What_a_deleted_volume_has_taken_from_an_unfinished_version_is_backed_up_again()
    {
        var cells = VolumeCell
            .All.Where(x =>
                x is { Need: NeededBy.Unfinished, State: RemoteVolumeState.Deleted } && x.File is FileThere.Whole or FileThere.Absent
            )
            .ToList();
        await RunAsync(cells, [s_writers[0]]);
    }

    [Test]
    public async Task A_database_from_before_the_end_of_a_backup_costs_no_version()
    {
        var cells = VolumeCell
            .All.Where(x =>
                x is { Need: NeededBy.Complete, State: RemoteVolumeState.Temporary, File: FileThere.Whole, IsForgotten: true, IsList: true }
            )
            .ToList();
        await RunAsync(cells, s_writers);
    }

    [Explicit, Category(LongRun.Category)]
    [TestCaseSource(nameof(Parts))]
    public Task No_row_and_no_file_of_a_volume_costs_a_complete_version(object need, object kind) =>
        RunAsync([.. VolumeCell.All.Where(x => x.Need.Equals(need) && x.Kind.Equals(kind))], s_writers);

    private async Task RunAsync(List<VolumeCell> cells, string[][] writers)
    {
        var most = new List<string>();
        foreach (var cell in cells)
        {
            m_cell = cell;
            await TryAsync("check", CheckAsync);
            await TryAsync("restore", RestoreAsync);
            foreach (var writer in writers)
                await TryAsync(writer[0], () => WriteAsync(writer));
            await TryAsync("advice", async () => most = Longer(most, await FollowAsync(recreated: false)));
            await TryAsync("recreate", async () => most = Longer(most, await FollowAsync(recreated: true)));
        }

        TestContext.Out.WriteLine($"{cells.Count} cells; the longest chain of advice:");
        most.ForEach(TestContext.Out.WriteLine);
        Assert.That(cells, Is.Not.Empty);
        Assert.That(m_faults, Is.Empty, $"{m_faults.Count} faults:\n{string.Join('\n', m_faults)}");
    }

    private static List<string> Longer(List<string> one, List<string> other) => other.Count > one.Count ? other : one;

    // Each begins with the cell, so that one fault hides no other.
    private async Task TryAsync(string what, Func<Task> test)
    {
        m_case.Make(m_cell);
        try
        {
            await test();
        }
        catch (Exception ex) when (ex is not SuccessException)
        {
            Fault($"{what} {ex.GetType().Name}: {ex.Message}");
        }
    }

    // A whole table takes long: each is told at once.
    private void Fault(string text)
    {
        m_faults.Add($"{m_cell}: {text}");
        TestContext.Progress.WriteLine(m_faults[^1]);
    }

    private void Expect(bool isSo, string text)
    {
        if (!isSo)
            Fault(text);
    }

    private async Task CheckAsync()
    {
        var run = await m_case.RunAsync("check", "--deep");
        var found = run.Items("findings");
        var isNamed = found.Exists(x => x.GetProperty("where").GetString() == m_case.NameOf(m_cell));
        if (m_cell is { IsSound: true, Need: not NeededBy.Unfinished })
            Expect(run.Code == ExitCode.Ok, $"check of what is sound: {run.Output}");
        else if (
            m_cell.Need == NeededBy.Complete
            && !IsOnItsWay
            && !(m_cell.IsForgotten && m_cell is { IsComplete: true, File: FileThere.Altered })
        )
            Expect(run.Code == ExitCode.Found && isNamed, $"check does not name it: {run.Output}");
        else
            Expect(run.Code is ExitCode.Ok or ExitCode.Found, $"check ends with {run.Code}: {run.Error}");
        if (m_cell.Need == NeededBy.Unfinished || (IsOnItsWay && m_cell.Need == NeededBy.Complete))
            Expect(found.Count > 0, "check finds nothing");
    }

    // Nothing tells an index volume in this state from one that an interrupted backup was to upload; the next one makes another.
    private bool IsOnItsWay => m_cell is { Kind: VolumeKind.Index, State: RemoteVolumeState.Temporary, IsForgotten: true };

    private async Task RestoreAsync()
    {
        if (!HasBytes)
            return;
        var difference = await m_case.DifferenceAsync();
        Expect(difference.Length == 0, $"restore: {difference}");
    }

    // All but blocks is in the database, too.
    private bool HasBytes => m_cell.Need != NeededBy.Complete || m_cell.Kind != VolumeKind.Blocks || m_cell.File == FileThere.Whole;

    private async Task WriteAsync(string[] writer)
    {
        // What is lost is taken out of the versions by the last one: that is what it is for.
        if (!HasBytes && writer[0] == "purge-broken-files")
            return;
        var (entries, files) = (m_case.Entries("/purged"), m_case.Files());
        var run = writer[0] switch
        {
            "backup" => await m_case.BackUpAsync(),
            // The oldest one; an unfinished version has a number, too.
            "delete" => await m_case.RunAsync(writer[0], [.. writer[1..], $"{await m_case.CountAsync() - 1}"]),
            _ => await m_case.RunAsync(writer[0], writer[1..]),
        };
        Expect(run.Code is ExitCode.Ok or ExitCode.Found or ExitCode.Failed, $"{writer[0]} ends with {run.Code}: {run.Error}");
        var kept = entries.Take(3).Skip(writer[0] == "delete" ? 1 : 0);
        Expect(
            !kept.Except(m_case.Entries("/purged")).Any(),
            $"{writer[0]} ends with {run.Code} and has taken entries out of complete versions"
        );
        if (run.Code == ExitCode.Failed)
            Expect(
                m_case.Files().OrderBy(x => x.Key).SequenceEqual(files.OrderBy(x => x.Key)),
                $"{writer[0]} is refused and has changed the folder: {run.Error}"
            );
        // What has its length counts as arrived.
        if (
            run.Code == ExitCode.Ok
            && writer[0] == "backup"
            && m_cell is { Need: NeededBy.Unfinished, IsComplete: false, File: not FileThere.Altered }
        )
        {
            var check = await m_case.RunAsync("check", "--deep");
            Expect(check.Code == ExitCode.Ok, $"backup, then check: {check.Output}");
        }

        // A purge replaces the lists of the versions that lose something.
        if (writer[0] == "purge" && m_cell.IsList)
            return;
        if (m_cell is { Need: NeededBy.Complete, File: FileThere.Whole, IsComplete: false } && !IsOnItsWay && run.Code != ExitCode.Failed)
            Expect(
                m_case.Files().ContainsKey(m_case.NameOf(m_cell)),
                $"{writer[0]} ends with {run.Code} and has deleted what complete versions need"
            );
    }

    private async Task<List<string>> FollowAsync(bool recreated)
    {
        if (recreated)
        {
            // Of a list that is not whole only the database knows everything.
            var run = await m_case.RecreateAsync();
            if (m_cell.IsList && m_cell.File != FileThere.Whole)
                return [];
            Expect(run.Code is ExitCode.Ok or ExitCode.Found or ExitCode.Failed, $"recreate ends with {run.Code}: {run.Error}");
            if (run.Code == ExitCode.Failed)
                return [];
        }

        var (steps, isWell) = await m_case.FollowAsync(MostSteps);
        var text = $"{(recreated ? "recreate, then " : "")}{string.Join(", then ", steps)}";
        Expect(isWell, $"{text}: this is not the end");
        if (HasBytes && await m_case.DifferenceAsync() is { Length: > 0 } difference)
            Fault($"{text}: {difference}");
        if (m_cell is { Need: NeededBy.Complete, File: FileThere.Whole } && !IsOnItsWay)
            Expect(m_case.Files().ContainsKey(m_case.NameOf(m_cell)), $"{text}: has deleted what complete versions need");
        return steps;
    }
}
