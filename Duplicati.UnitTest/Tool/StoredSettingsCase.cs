// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

/// <summary>A backup of two versions, what is changed in its database, and the commands that have to do with it.</summary>
internal sealed class StoredSettingsCase : ToolCase
{
    /// <summary>Commands that change a backup.</summary>
    internal static readonly string[] Writing = ["backup", "delete", "compact", "purge", "purge-broken-files", "repair"];

    // Each kind is backed up once. Cases have copies of its folder and database, and share the source, which no command writes to.
    private static readonly Dictionary<(bool IsEncrypted, bool IsSmall), ToolCase> s_made = [];

    private int m_serial;

    private StoredSettingsCase(ToolCase made)
        : base(made) { }

    /// <summary>A copy of the backup, of whose source a file came since.</summary>
    /// <param name="encrypted">With a passphrase.</param>
    /// <param name="small">Of files that have a single block each.</param>
    internal static async Task<StoredSettingsCase> CreateAsync(bool encrypted = false, bool small = false)
    {
        if (!s_made.TryGetValue((encrypted, small), out var made))
            s_made.Add((encrypted, small), made = await MakeAsync(encrypted, small));
        return new StoredSettingsCase(made);
    }

    /// <summary>Removes what cases are copies of.</summary>
    internal static void Forget()
    {
        foreach (var made in s_made.Values)
            made.Dispose();
        s_made.Clear();
    }

    private static async Task<ToolCase> MakeAsync(bool encrypted, bool small)
    {
        var made = new ToolCase { IsEncrypted = encrypted };
        if (small)
        {
            Directory.Delete(made.Source, recursive: true);
            Directory.CreateDirectory(made.Source);
            File.WriteAllText(Path.Combine(made.Source, "first"), "a");
        }

        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.Source, "second"), "b");
        Assert.That((await made.RunAsync("backup", made.Source)).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.Source, "third"), "c");
        return made;
    }

    /// <summary>Runs a command with what it needs, unless other words are given, and the passphrase of the backup.</summary>
    internal new Task<ToolRun> RunAsync(string command, params string[] more) => RunAsync(command, Access, more);

    /// <summary>The same with other words for the passphrase.</summary>
    internal Task<ToolRun> RunAsync(string command, string[] access, string[] more)
    {
        string[] words = command switch
        {
            "backup" => [Source],
            "delete" => ["--version", "1", "--yes"],
            "purge" => ["*/folder/3", "*/first", "--yes"],
            "purge-broken-files" => ["--yes"],
            "restore" => ["--target", this[$"restored-{++m_serial}"]],
            _ => [],
        };
        return ToolRun.RunAsync([command, Remote, "--dbpath", Database, "--json", .. access, .. words, .. more]);
    }

    /// <summary>A command that is refused, or only looks, changes nothing in the remote folder.</summary>
    internal async Task<ToolRun> RefusedAsync(string command, string[] access, params string[] more)
    {
        var before = FolderState.Of(Remote);
        var run = await RunAsync(command, access, more);
        Assert.That(run.IsRefused, Is.True, $"{run.Code} {command}: {run.Output}{run.Error}");
        Assert.That(FolderState.Of(Remote), Is.EqualTo(before), command);
        return run;
    }

    /// <summary>As above, with the passphrase of the backup.</summary>
    internal Task<ToolRun> RefusedAsync(string command) => RefusedAsync(command, Access);

    /// <summary>Does what a check advises, until it finds nothing; a few times at most.</summary>
    internal async Task FollowAsync()
    {
        await FollowedAdvice.WalkAsync(Words("check"), Words("check"), 3);
        await ToolRun.OkAsync(RunAsync("check"));
    }

    /// <summary>All volumes can be read together: a new database of them is whole, and so is what the present one says.</summary>
    internal async Task AssertWholeAsync()
    {
        await ToolRun.OkAsync(RunAsync("check", "--deep"));
        File.Move(Database, this[$"away-{++m_serial}.sqlite"]);
        await ToolRun.OkAsync(RunAsync("recreate"));
        await ToolRun.OkAsync(RunAsync("check", "--deep"));
    }
}
