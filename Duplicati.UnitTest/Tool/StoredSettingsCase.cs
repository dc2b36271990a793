// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using Duplicati.UnitTest.Tool.Following;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>A backup of two versions, what is changed in its database, and the commands that have to do with it.</summary>
internal sealed class StoredSettingsCase : IDisposable
{
    /// <summary>Commands that change a backup.</summary>
    internal static readonly string[] Writing = ["backup", "delete", "compact", "purge", "purge-broken-files", "repair"];

    // Each kind is backed up once. Cases have copies of its folder and database, and share the source, which no command writes to.
    private static readonly Dictionary<(bool IsEncrypted, bool IsSmall), ToolCase> s_made = [];

    private readonly ToolCase m_tool;
    private readonly bool m_isEncrypted;
    private int m_serial;

    private StoredSettingsCase(bool isEncrypted, ToolCase made)
    {
        m_isEncrypted = isEncrypted;
        m_tool = new ToolCase(made);
    }

    internal string Remote => m_tool.Remote;

    internal string Database => m_tool.Database;

    /// <summary>What was backed up, with a file that came since.</summary>
    internal string Source => m_tool.Source;

    internal string this[string name] => m_tool[name];

    /// <summary>A copy of the backup.</summary>
    /// <param name="encrypted">With a passphrase.</param>
    /// <param name="small">Of files that have a single block each.</param>
    internal static async Task<StoredSettingsCase> CreateAsync(bool encrypted = false, bool small = false)
    {
        if (!s_made.TryGetValue((encrypted, small), out var made))
            s_made.Add((encrypted, small), made = await MakeAsync(encrypted, small));
        return new StoredSettingsCase(encrypted, made);
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
        var made = new ToolCase();
        string[] words = ["backup", made.Remote, made.Source, "--dbpath", made.Database, .. Access(made, encrypted)];
        if (small)
        {
            Directory.Delete(made.Source, recursive: true);
            Directory.CreateDirectory(made.Source);
            File.WriteAllText(Path.Combine(made.Source, "first"), "a");
        }

        Assert.That((await ToolRun.RunAsync([.. words, "--blocksize", "1kb", "--dblock-size", "50kb"])).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.Source, "second"), "b");
        Assert.That((await ToolRun.RunAsync(words)).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.Source, "third"), "c");
        return made;
    }

    private static string[] Access(ToolCase tool, bool encrypted) =>
        encrypted ? ["--passphrase-file", tool.Passphrase] : ["--no-encryption"];

    /// <summary>Runs a command with what it needs, unless other words are given, and the passphrase of the backup.</summary>
    internal Task<ToolRun> RunAsync(string command, params string[] more) => RunAsync(command, Access(m_tool, m_isEncrypted), more);

    /// <summary>The same with other words for the passphrase.</summary>
    internal Task<ToolRun> RunAsync(string command, string[] access, string[] more)
    {
        string[] words = command switch
        {
            "backup" => [Source],
            "delete" => ["--version", "1", "--yes"],
            "purge" => ["*/folder/3", "*/first", "--yes"],
            "purge-broken-files" => ["--yes"],
            "restore" => ["--target", m_tool[$"restored-{++m_serial}"]],
            _ => [],
        };
        return ToolRun.RunAsync([command, Remote, "--dbpath", Database, "--json", .. access, .. words, .. more]);
    }

    /// <summary>Changes the database as another program would do it: nothing is refreshed at the open.</summary>
    internal void Sql(string sql) => Databases.Execute(Database, sql);

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
    internal Task<ToolRun> RefusedAsync(string command) => RefusedAsync(command, Access(m_tool, m_isEncrypted));

    /// <summary>Does what a check advises, until it finds nothing; a few times at most.</summary>
    internal async Task FollowAsync()
    {
        for (var step = 0; step < 3 && await RunAsync("check") is { Code: not ExitCode.Ok } check; step++)
            await ToolRun.RunAsync(FollowedAdvice.Of(check)!);
        var last = await RunAsync("check");
        Assert.That(last.Code, Is.Zero, last.Output);
    }

    /// <summary>All volumes can be read together: a new database of them is whole, and so is what the present one says.</summary>
    internal async Task AssertWholeAsync()
    {
        var check = await RunAsync("check", "--deep");
        Assert.That(check.Code, Is.Zero, check.Output + check.Error);
        File.Move(Database, this[$"away-{++m_serial}.sqlite"]);
        var recreate = await RunAsync("recreate");
        Assert.That(recreate.Code, Is.Zero, recreate.Error);
        check = await RunAsync("check", "--deep");
        Assert.That(check.Code, Is.Zero, check.Output);
    }

    public void Dispose() => m_tool.Dispose();
}
