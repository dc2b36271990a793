// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>A backup of two versions, what is changed in its database, and the commands that have to do with it.</summary>
internal sealed class StoredSettingsCase : IDisposable
{
    /// <summary>Commands that change a backup.</summary>
    internal static readonly string[] Writing = ["backup", "delete", "compact", "purge", "purge-broken-files", "repair"];

    private readonly ToolCase m_tool = new();
    private readonly bool m_isEncrypted;
    private int m_serial;

    private StoredSettingsCase(bool isEncrypted) => m_isEncrypted = isEncrypted;

    internal string Remote => m_tool.Remote;

    internal string Database => m_tool.Database;

    internal string this[string name] => m_tool[name];

    /// <summary>Makes the backup.</summary>
    /// <param name="encrypted">With a passphrase.</param>
    /// <param name="small">Of files that have a single block each.</param>
    internal static async Task<StoredSettingsCase> CreateAsync(bool encrypted = false, bool small = false)
    {
        var made = new StoredSettingsCase(encrypted);
        if (small)
        {
            Directory.Delete(made.m_tool.Source, recursive: true);
            Directory.CreateDirectory(made.m_tool.Source);
            File.WriteAllText(Path.Combine(made.m_tool.Source, "first"), "a");
        }

        Assert.That((await made.RunAsync("backup", "--blocksize", "1kb", "--dblock-size", "50kb")).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.m_tool.Source, "second"), "b");
        Assert.That((await made.RunAsync("backup")).Code, Is.Zero);
        File.WriteAllText(Path.Combine(made.m_tool.Source, "third"), "c");
        return made;
    }

    /// <summary>Runs a command with what it needs, unless other words are given, and the passphrase of the backup.</summary>
    internal Task<ToolRun> RunAsync(string command, params string[] more) =>
        RunAsync(command, m_isEncrypted ? ["--passphrase-file", m_tool.Passphrase] : ["--no-encryption"], more);

    /// <summary>The same with other words for the passphrase.</summary>
    internal Task<ToolRun> RunAsync(string command, string[] access, string[] more)
    {
        string[] words = command switch
        {
            "backup" => [m_tool.Source],
            "delete" => ["--version", "1", "--yes"],
            "purge" => ["*/folder/3", "*/first", "--yes"],
            "purge-broken-files" => ["--yes"],
            "restore" => ["--target", m_tool[$"restored-{++m_serial}"]],
            _ => [],
        };
        return ToolRun.RunAsync([command, Remote, "--dbpath", Database, "--json", .. access, .. words, .. more]);
    }

    /// <summary>Changes the database as another program would do it: nothing is refreshed at the open.</summary>
    internal void Sql(string sql)
    {
        using var connection = new Microsoft.Data.Sqlite.SqliteConnection($"Data Source={Database};Pooling=False");
        connection.Open();
        connection.Execute(sql);
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
    internal Task<ToolRun> RefusedAsync(string command) =>
        RefusedAsync(command, m_isEncrypted ? ["--passphrase-file", m_tool.Passphrase] : ["--no-encryption"]);

    /// <summary>Does what a check advises, until it finds nothing; a few times at most.</summary>
    internal async Task FollowAsync()
    {
        for (var step = 0; step < 3; step++)
        {
            var check = await RunAsync("check");
            if (check.Code == ExitCode.Ok)
                return;
            var command = check
                .Json.GetProperty("findings")
                .EnumerateArray()
                .First(x => x.GetProperty("severity").GetString() == "Problem")
                .GetProperty("command")
                .GetString()!;
            TestContext.Out.WriteLine(command);
            await ToolRun.RunAsync(command.Split(' ')[1..]);
        }

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

    /// <summary>What kinds of things a check finds.</summary>
    internal static string[] Kinds(ToolRun run) =>
        [.. run.Json.GetProperty("findings").EnumerateArray().Select(x => x.GetProperty("kind").GetString()!)];

    public void Dispose() => m_tool.Dispose();
}
