// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>What a command leaves, or finds, is one state: it names the remedy that a check of that state names.</summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class AdviceAgreesTests
{
    // Those of a row find the same: they only read, so that one copy and one check are enough for them.
    private static readonly string[][] s_commands =
    [
        ["check", "verify", "restore"],
        ["backup"],
        ["repair"],
        ["recreate"],
    ];

    private InterruptedCase m_case = null!;

    private static IEnumerable<DamagedState> States => DamagedStates.All.Concat(DamagedStates.Golden);

    [OneTimeSetUp]
    public async Task Make() => m_case = await InterruptedCase.CreateAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [TestCaseSource(nameof(States))]
    public async Task All_commands_name_the_remedy_that_a_check_names(object state)
    {
        var faults = new List<string>();
        foreach (var commands in s_commands)
        {
            await m_case.BeginAsync("walk");
            await ((DamagedState)state).MakeAsync(m_case.Folder);
            var runs = new List<(string Command, ToolRun Run)>();
            foreach (var command in commands)
                runs.Add((command, await ToolRun.AnswerAsync("y", Words(command))));
            var check = await ToolRun.RunAsync(m_case.Words("check", "--deep"));
            foreach (var (command, run) in runs.Where(x => !Agree(x.Command, x.Run, FollowedAdvice.Of(x.Run), check)))
                faults.Add($"{command} ends with {run.Code}: {run.Error}\n{run.Output}\na check then says: {check.Output}");
            Directory.Delete(m_case.Folder, recursive: true);
        }

        Assert.That(faults, Is.Empty, string.Join("\n", faults));
    }

    // As two copies of a database leave it, of which one was repaired while a disk with sources was not mounted.
    [Test]
    public async Task Who_names_a_recreate_names_a_source_first_that_was_not_there(
        [Values("check --deep", "verify", "repair", "backup", "compact", "purge-broken-files")] string command,
        [Values] bool isOutdated
    )
    {
        await m_case.BeginAsync("walk");
        var lost = VolumeFiles.Of(m_case.Remote, "dblock")[0];
        File.Delete(lost);
        var source = Path.Combine(m_case.Folder, "not mounted");
        Databases.Execute(
            m_case.Database,
            $"""
            INSERT INTO "Configuration" ("Key", "Value")
            VALUES ('lost-blocks', '{Path.GetFileName(lost)}' || char(10) || 'source:{Uri.EscapeDataString(source)}')
            """
        );
        if (isOutdated)
            File.Copy(VolumeFiles.Of(m_case.Remote, "dlist")[^1], Path.Combine(m_case.Remote, "duplicati-20990101T000000Z.dlist.zip"));
        else
            Databases.Execute(m_case.Database, """DELETE FROM "FilesetEntry" WHERE "FilesetID" = 2""");

        var words =
            command == "backup" ? m_case.Words(command, m_case.Source) : m_case.Words(command.Split(' ')[0], command.Split(' ')[1..]);
        var run = await ToolRun.RunAsync(words);

        var texts = run.Error.Split('\n').ToList();
        if (command == "check --deep")
            texts.AddRange(run.Items("findings").Select(x => x.GetProperty("mend").GetString()!));
        Assert.That(
            texts.Where(x => x.Contains(Advice.RecreateDatabase(), StringComparison.Ordinal)),
            Has.All.Contains(Advice.UnseenSource(source)),
            run.Error
        );
        if (command is "check --deep" or "verify" || (isOutdated && command == "repair"))
            Assert.That(texts, Has.Some.Contains(Advice.UnseenSource(source) + " " + Advice.RecreateDatabase()), run.Error);
        Directory.Delete(m_case.Folder, recursive: true);
    }

    private static bool Agree(string command, ToolRun run, string[]? advised, ToolRun check)
    {
        var named = FollowedAdvice.Of(check);
        // Whoever was content, or only restores, need not say what a check finds.
        if (advised is null)
            return named is null || run.Code == ExitCode.Ok || command == "restore";
        // A restore has begun with what it can before it sees that the folder is another one. What is no problem is a hint.
        if (named is null)
            return command == "restore"
                || check.Items("findings").Any(x => x.GetProperty("command").GetString()?.Split(' ')[1] == advised[0]);
        // Where a source is not there, a repair leaves it to the check.
        if (command == "repair" && advised[0] == "check")
            return named is not null;
        // What a repair names goes before the repair that a check, which does not know of it, names once more.
        if (command == "repair" && named?[0] == "repair")
            return advised[0] is "repair" or "recreate";
        // Who has met one of several volumes names that one, and who has read none names all.
        return named?[0] == advised[0] && advised.Except([.. named, "all"]).SequenceEqual([]);
    }

    private string[] Words(string command) =>
        command switch
        {
            "backup" => m_case.Words("backup", m_case.Source),
            "restore" => m_case.Words("restore", "--target", Path.Combine(m_case.Folder, "restored")),
            "recreate" => m_case.Words("recreate", "--overwrite"),
            _ => m_case.Words(command),
        };
}
