// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>
/// A backup of two versions whose database and remote folder are in a folder that gets into trouble, and its source beside it. Runs in a
/// child process.
/// </summary>
internal sealed class StorageCase
{
    private readonly Random m_random = new(31);

    internal StorageCase(string folder, string source) => (Folder, Source) = (folder, source);

    internal string Folder { get; }

    internal string Source { get; }

    internal string Database => Path.Combine(Folder, "backup.sqlite");

    internal string Remote => Path.Combine(Folder, "remote");

    internal string[] Access => ["--dbpath", Database, "--no-encryption"];

    internal string[] Backup => ["backup", Remote, Source, "--blocksize", "1kb", "--dblock-size", "50kb", .. Access];

    internal async Task MakeAsync()
    {
        for (var i = 0; i < 6; i++)
            SourceTree.Write(Source, $"folder/{i}", 40_000, m_random);
        await DoAsync(Backup);
        Change();
        await DoAsync(Backup);
    }

    internal void Change() => SourceTree.Write(Source, "folder/1", 120_000, m_random);

    /// <summary>Runs a command that has to succeed.</summary>
    internal static async Task DoAsync(params string[] words)
    {
        var run = await ToolRun.RunAsync(words);
        Require(run.Code is ExitCode.Ok or ExitCode.Found ? null : run, words, "succeeds");
    }

    /// <summary>Runs a command; a failure has to be of one of some kinds, with a message and no trace of calls.</summary>
    /// <returns>Whether it succeeded.</returns>
    internal static async Task<bool> TryAsync(string[] words, params string[] helpIds)
    {
        var run = await ToolRun.RunAsync(words);
        if (run.Code == ExitCode.Ok)
            return true;
        var isTyped =
            run.IsRefused
            && helpIds.Any(x => run.Error.Contains("Help id: " + x, StringComparison.Ordinal))
            && !run.Error.Contains("   at ", StringComparison.Ordinal);
        Require(isTyped ? null : run, words, "fails with one of " + string.Join(", ", helpIds));
        return false;
    }

    /// <summary>Nothing that was there before is lost: the database is sound and both versions are in it.</summary>
    internal async Task KeptAsync(string when)
    {
        using (var connection = SQLiteLoader.LoadConnection(Database))
            Check(connection.Pragma("integrity_check") == "ok", $"{when}: the database is sound");
        await DoAsync("check", "--dbpath", Database);
        Check(SampleDatabase.Rows(Database, "SELECT \"ID\" FROM \"Fileset\"").Length >= 2, $"{when}: both versions are there");
    }

    /// <summary>The remote folder is what the database says, and the newest version is the source.</summary>
    internal async Task CompleteAsync()
    {
        await DoAsync(["verify", Remote, .. Access]);
        var target = Source + "-restored";
        await DoAsync(["restore", Remote, .. Access, "--target", target, "--version", "0"]);
        Check(SourceTree.Describe(target).SequenceEqual(SourceTree.Describe(Source)), "what is restored is the source");
        Directory.Delete(target, recursive: true);
    }

    internal void Equal(string other) =>
        Check(!Databases.Compare(Database, other, DumpComparisonOptions.Logical).Any(), "both databases are equal");

    internal static void Check(bool holds, string what)
    {
        if (!holds)
            throw new InvalidOperationException($"Not so: {what}");
    }

    private static void Require(ToolRun? run, string[] words, string what) =>
        Check(run is null, $"'{string.Join(' ', words)}' {what}; it ended with {run?.Code}: {run?.Output} {run?.Error}");
}
