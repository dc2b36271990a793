// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>What is in the folder under the name of a volume.</summary>
internal enum FileThere
{
    /// <summary>What was uploaded.</summary>
    Whole,

    /// <summary>A part of it.</summary>
    Cut,

    /// <summary>Something else of the same length.</summary>
    Altered,

    /// <summary>Nothing.</summary>
    Absent,
}

/// <summary>Who needs a volume.</summary>
internal enum NeededBy
{
    /// <summary>A version whose list was uploaded.</summary>
    Complete,

    /// <summary>One that a backup was making when it was interrupted.</summary>
    Unfinished,

    /// <summary>Nobody: its version was deleted.</summary>
    Nobody,
}

/// <summary>The kinds of volumes; lists of files differ by whether a younger one is there.</summary>
internal enum VolumeKind
{
    /// <summary>Blocks.</summary>
    Blocks,

    /// <summary>What says which blocks are where.</summary>
    Index,

    /// <summary>The list of the newest version.</summary>
    NewestList,

    /// <summary>The list of another version.</summary>
    OlderList,
}

/// <summary>A row of a volume and what is in the folder: a cell of the table.</summary>
/// <param name="State">What the row says.</param>
/// <param name="File">What is in the folder.</param>
/// <param name="Need">Who needs it.</param>
/// <param name="Kind">What it is.</param>
/// <param name="IsForgotten">Whether the row has lost size and hash, as that of a deleted volume.</param>
internal sealed record VolumeCell(RemoteVolumeState State, FileThere File, NeededBy Need, VolumeKind Kind, bool IsForgotten)
{
    internal bool IsComplete => State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;

    internal bool IsList => Kind is VolumeKind.NewestList or VolumeKind.OlderList;

    /// <summary>Whether row and folder say the same.</summary>
    internal bool IsSound => IsComplete && File == FileThere.Whole;

    /// <summary>
    /// Whether the row is what an interrupted backup leaves, so that nothing can tell it from one. A list of no version counts as a version
    /// that the database has lost; nobody has an unfinished list that was uploaded.
    /// </summary>
    internal bool CanBe =>
        Need switch
        {
            NeededBy.Complete => !(State == RemoteVolumeState.Temporary && IsForgotten && IsList && File != FileThere.Whole),
            NeededBy.Unfinished => Kind != VolumeKind.OlderList
                && !(
                    Kind == VolumeKind.NewestList
                    && (IsComplete || File != FileThere.Absent || State is RemoteVolumeState.Deleting or RemoteVolumeState.Deleted)
                ),
            _ => Kind != VolumeKind.NewestList && !(IsList && IsComplete),
        };

    /// <summary>Every cell there can be.</summary>
    internal static IEnumerable<VolumeCell> All =>
        from state in Enum.GetValues<RemoteVolumeState>()
        from file in Enum.GetValues<FileThere>()
        from need in Enum.GetValues<NeededBy>()
        from kind in Enum.GetValues<VolumeKind>()
        from isForgotten in new[] { false, true }
        let cell = new VolumeCell(state, file, need, kind, isForgotten)
        where cell.CanBe
        select cell;
}

/// <summary>
/// Three complete versions, what a deleted one left, and in a second folder also what an interrupted backup left. Each cell is made in a
/// copy, which has the same paths every time.
/// </summary>
internal sealed partial class VolumeStateCase : IDisposable
{
    private const int Versions = 3;

    private readonly TestFolder m_folder = new();
    private readonly Dictionary<NeededBy, Dictionary<VolumeKind, string>> m_names = [];
    private readonly List<string[]> m_restored = [];
    private ToolRun? m_last;
    private int m_serial;

    internal string Remote => m_folder.File("remote");

    internal string Database => m_folder.File("backup.sqlite");

    private string Source => m_folder.File("source");

    internal static async Task<VolumeStateCase> CreateAsync()
    {
        var made = new VolumeStateCase();
        await made.MakeAsync();
        return made;
    }

    /// <summary>Runs a command on the remote folder and the database, with JSON output.</summary>
    internal Task<ToolRun> RunAsync(string command, params string[] more) =>
        ToolRun.RunAsync([command, Remote, "--dbpath", Database, "--no-encryption", "--json", .. more]);

    internal Task<ToolRun> BackUpAsync() => RunAsync("backup", Source, "--blocksize", "1kb", "--dblock-size", "50kb");

    /// <summary>The name of the volume of a cell.</summary>
    internal string NameOf(VolumeCell cell) => m_names[cell.Need][cell.Kind];

    /// <summary>Puts folder and database back, as they are without or with an interrupted backup.</summary>
    internal void Make(bool isInterrupted)
    {
        Directory.Delete(Remote, recursive: true);
        VolumeFiles.Copy(m_folder.File(isInterrupted ? "interrupted" : "whole"), Remote);
        Forget();
        File.Move(Path.Combine(Remote, "database"), Database);
    }

    /// <summary>Puts folder and database into the state of a cell.</summary>
    internal void Make(VolumeCell cell)
    {
        Make(cell.Need == NeededBy.Unfinished);
        var name = NameOf(cell);
        var path = Path.Combine(Remote, name);
        // The list of the deleted version, and what the unfinished one has not uploaded.
        if (!File.Exists(path) && File.Exists(m_folder.File(name)))
            File.Copy(m_folder.File(name), path);
        var row = cell.IsForgotten ? (-1, null) : (new FileInfo(path) is { Exists: true } file ? file.Length : 1000, Hash(path));
        Sql(
            """UPDATE "Remotevolume" SET "State" = $state, "Size" = $size, "Hash" = $hash WHERE "Name" = $name""",
            ("$state", cell.State.ToString()),
            ("$size", row.Item1),
            ("$hash", row.Item2),
            ("$name", name)
        );
        Alter(path, cell.File);
    }

    /// <summary>What the complete versions hold, oldest first: path and content, one line an entry. Without what a pattern fits.</summary>
    internal List<string> Entries(string? without = null) =>
        [
            .. DatabaseDump
                .Load(Database)
                .Filesets.OrderBy(x => x.Timestamp)
                .Select(x =>
                    string.Join(
                        '\n',
                        x.Entries.Where(y => without is null || !y.Path.EndsWith(without, StringComparison.Ordinal))
                            .Select(y => $"{y.Path} {y.FullHash}")
                            .Order(StringComparer.Ordinal)
                    )
                ),
        ];

    /// <summary>A folder to restore into.</summary>
    internal string Target(string name) => m_folder.File($"target-{name}");

    /// <summary>Names and contents in the remote folder.</summary>
    internal Dictionary<string, string> Files() => Directory.GetFiles(Remote).ToDictionary(x => Path.GetFileName(x)!, x => Hash(x)!);

    /// <summary>How many versions the database has.</summary>
    internal async Task<int> CountAsync() => (await ToolRun.RunAsync("list", "--dbpath", Database, "--json")).Json.GetArrayLength();

    /// <summary>How the complete versions differ from what was backed up; empty if they are restored as they were.</summary>
    internal async Task<string> DifferenceAsync()
    {
        var listed = await CountAsync();
        var found = new List<string[]>();
        for (var version = 0; version < listed; version++)
        {
            var target = m_folder.File($"restored-{++m_serial}");
            var run = await RunAsync("restore", "--target", target, "--version", $"{version}");
            if (run.Code == ExitCode.Ok)
                found.Add(Described(target));
            if (Directory.Exists(target))
                Directory.Delete(target, recursive: true);
        }

        var lost = m_restored.Where(x => !found.Exists(y => y.SequenceEqual(x))).Select(x => m_restored.IndexOf(x)).ToList();
        return lost.Count == 0 ? "" : $"versions {string.Join(", ", lost)}, oldest first, are not restored as they were";
    }

    /// <summary>Follows what a check advises, and what is advised then, until nothing is wrong.</summary>
    /// <returns>The commands, and whether nothing was wrong in the end.</returns>
    internal async Task<(List<string> Steps, bool IsWell)> FollowAsync(int most)
    {
        var steps = new List<string>();
        for (ToolRun check; ; steps.AddRange(await StepAsync(check, steps)))
        {
            check = await RunAsync("check", "--deep");
            if (check.Code == ExitCode.Ok || steps.Count >= most)
                return (steps, check.Code == ExitCode.Ok);
        }
    }

    /// <summary>Starts from the folder alone.</summary>
    internal async Task<ToolRun> RecreateAsync()
    {
        Forget();
        return await RunAsync("recreate");
    }

    public void Dispose() => m_folder.Dispose();

    // What a step says itself goes before what the check says of the same state again.
    private async Task<List<string>> StepAsync(ToolRun check, List<string> done)
    {
        var command = check.Json.GetProperty("findings").EnumerateArray().Select(x => x.GetProperty("command").GetString()!).First();
        if (done.Contains(command))
            command =
                $"duplicati-db {Advised().Matches(m_last!.Output + m_last.Error).Select(x => x.Groups[1].Value).LastOrDefault() ?? throw new AssertionException($"{command} says nothing: {m_last.Output} {m_last.Error}")}";
        var words = command.Split(' ')[1..];
        if (words[0] == "recreate" && !words.Contains("--overwrite"))
            File.Move(Database, m_folder.File($"away-{++m_serial}.sqlite"));
        string[] backup = words.Contains("--dbpath") ? [] : [Remote, "--dbpath", Database, "--no-encryption"];
        m_last = await ToolRun.RunAsync([
            words[0],
            .. backup,
            .. words[1..],
            "--json",
            .. words[0] is "repair" or "purge-broken-files" or "delete" ? ["--yes"] : Array.Empty<string>(),
        ]);
        return [command];
    }

    [GeneratedRegex("`duplicati-db ([^`]+)`")]
    private static partial Regex Advised();

    private async Task MakeAsync()
    {
        var random = new Random(37);
        for (var i = 0; i < 3; i++)
            SourceTree.Write(Source, $"folder/{i}", 30_000, random);
        SourceTree.Write(Source, "purged", 100, random);
        await BackUpOkAsync();
        SourceTree.Write(Source, "folder/1", 30_000, random);
        SourceTree.Write(Source, "folder/new", 120_000, random);
        await BackUpOkAsync();
        var (blocks, list) = (VolumeFiles.Of(Remote, "dblock"), VolumeFiles.Of(Remote, "dlist")[^1]);
        SourceTree.Write(Source, "gone", 120_000, random);
        await BackUpOkAsync();
        var gone = VolumeFiles.Of(Remote, "dlist")[^1];
        var waste = VolumeFiles.Of(Remote, "dblock").Except(blocks).First();
        File.Delete(Path.Combine(Source, "gone"));
        SourceTree.Write(Source, "folder/2", 30_000, random);
        await BackUpOkAsync();
        File.Copy(gone, m_folder.File(Path.GetFileName(gone)));
        Assert.That((await RunAsync("delete", "--version", "1", "--yes", "--no-compact")).Code, Is.Zero);

        m_names[NeededBy.Complete] = Names(blocks[0], VolumeFiles.Of(Remote, "dlist")[^1], list);
        m_names[NeededBy.Nobody] = Names(waste, gone, gone);
        for (var version = Versions - 1; version >= 0; version--)
        {
            var target = m_folder.File($"version-{version}");
            Assert.That((await RunAsync("restore", "--target", target, "--version", $"{version}")).Code, Is.Zero);
            m_restored.Add(Described(target));
        }

        Keep("whole");
        Interrupt(random);
        Keep("interrupted");
    }

    // Stopped before its list is uploaded: as a kill leaves it.
    private void Interrupt(Random random)
    {
        var known = VolumeFiles.Of(Remote, "dblock");
        SourceTree.Write(Source, "unfinished", 120_000, random);
        using var stop = new CancellationTokenSource();
        var progress = new WarningList
        {
            OnMessage = x =>
            {
                if (x.Contains("Uploading", StringComparison.Ordinal) && x.Contains(".dlist.", StringComparison.Ordinal))
                    stop.Cancel();
            },
        };
        var options = new Duplicati.Engine.Configuration.EngineOptions { Remote = Remote, DatabasePath = Database };
        Assert.CatchAsync<OperationCanceledException>(() =>
            new Duplicati.Engine.Operations.BackupOperation(options, progress).RunAsync([Source], stop.Token)
        );
        File.Delete(Path.Combine(Source, "unfinished"));
        var made = VolumeFiles.Of(Remote, "dblock").Except(known).First();
        var list = DatabaseDump.Load(Database).Filesets.MaxBy(x => x.Timestamp)!.Volume!;
        m_names[NeededBy.Unfinished] = Names(made, list, list);
    }

    private Dictionary<VolumeKind, string> Names(string blocks, string newest, string older)
    {
        var block = Path.GetFileName(blocks);
        var index = DatabaseDump.Load(Database).IndexBlockLinks.First(x => x.BlockVolume == block).IndexVolume!;
        return new()
        {
            [VolumeKind.Blocks] = block,
            [VolumeKind.Index] = index,
            [VolumeKind.NewestList] = Path.GetFileName(newest),
            [VolumeKind.OlderList] = Path.GetFileName(older),
        };
    }

    private async Task BackUpOkAsync()
    {
        var run = await BackUpAsync();
        Assert.That(run.Code, Is.Zero, run.Error);
    }

    private void Keep(string name)
    {
        VolumeFiles.Copy(Remote, m_folder.File(name));
        Databases.Execute(Database, "PRAGMA wal_checkpoint(TRUNCATE)");

        File.Copy(Database, Path.Combine(m_folder.File(name), "database"));
    }

    // Whatever lies beside the database goes as well.
    private void Forget()
    {
        foreach (var file in Directory.GetFiles(m_folder.Path, Path.GetFileName(Database) + "*"))
            File.Delete(file);
    }

    /// <summary>Changes rows of the database, as another program would do it.</summary>
    internal void Sql(string statement, params (string Name, object? Value)[] parameters)
    {
        using var connection = Databases.Open(Database);
        using var command = connection.CreateCommand();
        command.CommandText = statement;
        foreach (var (name, value) in parameters)
            command.Parameters.AddWithValue(name, value ?? DBNull.Value);
        Assert.That(command.ExecuteNonQuery(), Is.Positive);
    }

    private static void Alter(string path, FileThere file)
    {
        if (!File.Exists(path))
            return;
        var content = File.ReadAllBytes(path);
        switch (file)
        {
            case FileThere.Cut:
                File.WriteAllBytes(path, content[..^100]);
                break;
            case FileThere.Altered:
                content.AsSpan(content.Length / 2, 64).Clear();
                File.WriteAllBytes(path, content);
                break;
            case FileThere.Absent:
                File.Delete(path);
                break;
        }
    }

    private static string? Hash(string path) => File.Exists(path) ? Convert.ToBase64String(SHA256.HashData(File.ReadAllBytes(path))) : null;

    private static string[] Described(string folder) =>
        [
            .. Directory
                .GetFiles(folder, "*", SearchOption.AllDirectories)
                .Select(x => $"{Path.GetRelativePath(folder, x)} {Hash(x)}")
                .Order(StringComparer.Ordinal),
        ];
}
