// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Nothing is lost for good without somebody's word: what would go is shown and asked about, and a dry run gives the figures of the real
/// one.
/// </summary>
[TestFixture]
internal sealed class ToolConfirmationTests : ToolTestBase
{
    private static IEnumerable<string> Commands =>
        ["delete --version 1", "purge */folder/3", "purge-broken-files", "repair --delete-unknown-files"];

    [SetUp]
    public async Task BackUp()
    {
        Assert.That((await Tool.BackUpAsync()).Code, Is.Zero);
        SourceTree.Write(Tool.Source, "folder/3", 40_000, new Random(12));
        SourceTree.Write(Tool.Source, "folder/new", 5_000, new Random(13));
        Assert.That((await Tool.BackUpAsync()).Code, Is.Zero);
    }

    [TestCaseSource(nameof(Commands))]
    public async Task Without_a_terminal_and_without_yes_nothing_is_changed(string line)
    {
        var command = line.Split(' ');
        Break(command[0]);
        var before = State();

        var run = await Tool.RunAsync(command[0], command[1..]);

        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "ConfirmationNeeded")), run.Error);
        Assert.That(
            run.Error,
            Does.Contain("This would be lost for good").And.Match(@"(KB|bytes)\)").And.Contain("Nothing was changed").And.Contain("--yes")
        );
        Assert.That(State(), Is.EqualTo(before));
    }

    [TestCaseSource(nameof(Commands))]
    public async Task On_a_terminal_only_a_yes_goes_on(string line)
    {
        var command = line.Split(' ');
        Break(command[0]);
        var before = State();
        var words = Tool.Words(command[0], command[1..]);

        foreach (var answer in new[] { "", "n", "what?" })
        {
            var refused = await ToolRun.AnswerAsync(answer, words);
            Assert.That((refused.Code, refused.HelpId), Is.EqualTo((ExitCode.Failed, "NotConfirmed")), answer);
            Assert.That(State(), Is.EqualTo(before), answer);
        }

        await ToolRun.OkAsync(ToolRun.AnswerAsync("y", words));
        Assert.That(State(), Is.Not.EqualTo(before));
    }

    [TestCase("delete --version 1")]
    [TestCase("delete --keep-versions 1")]
    [TestCase("purge */folder/3 --version 1")]
    [TestCase("purge */folder/3")]
    public async Task A_yes_is_for_the_versions_that_were_shown(string line)
    {
        var command = line.Split(' ');
        using var terminal = new BusyTerminal(() =>
        {
            SourceTree.Write(Tool.Source, "folder/between", 5_000, new Random(14));
            Assert.That(Tool.BackUpAsync().GetAwaiter().GetResult().Code, Is.Zero);
        });

        (await AskedAsync(terminal, command)).AssertRefused("VersionsHaveChanged");
        Assert.That((await Tool.QueryAsync("list")).Json.GetArrayLength(), Is.EqualTo(3));
    }

    [Test]
    public async Task A_yes_is_for_the_losses_that_were_shown()
    {
        var lost = VolumeFiles.Of(Tool.Remote, "dblock")[..2];
        File.Move(lost[0], Tool["first"]);
        string[] after = [];
        using var terminal = new BusyTerminal(() =>
        {
            File.Move(lost[1], Tool["second"]);
            after = FolderState.Of(Tool.Remote);
        });

        (await AskedAsync(terminal, "purge-broken-files")).AssertRefused("LossesHaveChanged");
        Assert.That(FolderState.Of(Tool.Remote), Is.EqualTo(after));
        File.Move(Tool["first"], lost[0]);
        File.Move(Tool["second"], lost[1]);
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
    }

    [Test]
    public async Task A_yes_is_for_the_labels_that_were_shown()
    {
        Assert.That((await ToolRun.RunAsync("upgrade", Tool.Database, "--to", "20")).Code, Is.Zero);
        Assert.That((await LabelAsync("shown", 0)).Code, Is.Zero);
        using var terminal = new BusyTerminal(() => LabelAsync("later", 1).GetAwaiter().GetResult());

        (await ToolRun.RunAsync(terminal, "downgrade", Tool.Database, "--to", "19", "--json")).AssertRefused("LossesHaveChanged");
        Assert.That(Databases.VersionOf(Tool.Database), Is.EqualTo(20));

        Task<ToolRun> LabelAsync(string label, int version) =>
            ToolRun.RunAsync("label", label, "--dbpath", Tool.Database, "--version", $"{version}");
    }

    [Test]
    public async Task A_yes_is_for_the_unknown_volumes_that_were_shown()
    {
        Break("repair");
        var shown = Path.Combine(Tool.Remote, "duplicati-20200101T000000Z.dlist.zip");
        var later = Path.Combine(Tool.Remote, $"duplicati-b{Guid.NewGuid():N}.dblock.zip");
        using var terminal = new BusyTerminal(() => File.WriteAllText(later, "of another machine"));

        var run = await AskedAsync(terminal, "repair", "--delete-unknown-files");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That((File.Exists(shown), File.Exists(later)), Is.EqualTo((false, true)));
        Assert.That(run.Strings("unknownFiles"), Is.EqualTo(new[] { Path.GetFileName(later) }));
    }

    [Test]
    public async Task A_yes_is_for_the_damaged_volumes_that_were_shown()
    {
        var volumes = VolumeFiles.Of(Tool.Remote, "dindex")[..2];
        VolumeEdit.Cut(volumes[0]);
        using var terminal = new BusyTerminal(() => VolumeEdit.Cut(volumes[1]));

        var run = await ToolRun.OkAsync(AskedAsync(terminal, "repair", "--delete-damaged"));
        Assert.That(run.Error, Does.Contain(Path.GetFileName(volumes[0])));
        Assert.That(run.Strings("keptDamaged"), Is.EqualTo(new[] { $"damaged-{Path.GetFileName(volumes[1])}" }));
        Assert.That((await Tool.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    [TestCaseSource(nameof(Commands))]
    public async Task A_dry_run_gives_the_figures_of_the_real_run_and_changes_nothing(string line)
    {
        var command = line.Split(' ');
        Break(command[0]);
        var before = State();

        var dry = await Tool.RunAsync(command[0], [.. command[1..], "--dry-run"]);
        Assert.That(State(), Is.EqualTo(before));
        var run = await Tool.RunAsync(command[0], [.. command[1..], "--yes"]);

        Assert.That((dry.Code, run.Code), Is.EqualTo((0, 0)), dry.Error + run.Error);
        Assert.That(Figures(dry), Is.EqualTo(Figures(run)));
    }

    [Test]
    public async Task A_dry_run_of_a_compact_gives_the_figures_of_the_real_run()
    {
        Assert.That((await Tool.RunAsync("delete", "--version", "1", "--no-compact", "--yes")).Code, Is.Zero);
        var before = State();

        var dry = await Tool.RunAsync("compact", "--threshold", "0", "--dry-run");
        Assert.That(State(), Is.EqualTo(before));
        var run = await Tool.RunAsync("compact", "--threshold", "0");

        Assert.That(run.Number("deletedVolumes"), Is.Positive);
        Assert.That(Figures(dry), Is.EqualTo(Figures(run)));
    }

    [Test]
    public async Task What_would_go_is_counted_as_a_user_counts()
    {
        var delete = await Tool.RunAsync("delete", "--version", "1");
        Assert.That(delete.Error, Does.Match(@"the whole version of \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: 6 files \(175\.8 KB\)"));
        var purge = await Tool.RunAsync("purge", "*/folder/3");
        Assert.That(
            purge.Error,
            Does.Contain(": 1 file (29.3 KB)").And.Contain(": 1 file (39.1 KB)").And.Contain("in all 2 versions: 2 files (68.4 KB)")
        );
    }

    private Task<ToolRun> AskedAsync(TextReader terminal, params string[] words) =>
        ToolRun.RunAsync(terminal, Tool.Words(words[0], words[1..]));

    private void Break(string command)
    {
        if (command == "repair")
            File.WriteAllText(Path.Combine(Tool.Remote, "duplicati-20200101T000000Z.dlist.zip"), "what nobody knows");
        if (command == "purge-broken-files")
            File.Delete(VolumeFiles.Of(Tool.Remote, "dblock")[0]);
    }

    // Every byte of the database and of the remote folder.
    private List<string> State() =>
        [
            .. Directory
                .GetFiles(Tool.Remote)
                .Append(Tool.Database)
                .Order(StringComparer.Ordinal)
                .Select(x => $"{x} {Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(File.ReadAllBytes(x)))}"),
        ];

    /// <summary>Somebody who says yes, but only after something else.</summary>
    private sealed class BusyTerminal(Action before) : TextReader
    {
        public override string? ReadLine()
        {
            before();
            return "y";
        }
    }

    // All but the names of new volumes, the names that only a dry run gives, and bytes that depend on how well a time of day compresses.
    private static string Figures(ToolRun run) => Figures(run.Json);

    private static string Figures(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.Object => string.Join(
                ";",
                value
                    .EnumerateObject()
                    .Where(x =>
                        x.Name is not ("dryRun" or "files" or "uploaded" or "uploadedBytes")
                        || x.Value.ValueKind == JsonValueKind.Number && x.Name == "files"
                    )
                    .Select(x => $"{x.Name}={Figures(x.Value)}")
            ),
            JsonValueKind.Array => $"[{string.Join(",", value.EnumerateArray().Select(Figures))}]",
            _ => value.ToString(),
        };
}
