// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool.Following;

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
internal sealed class VolumeStateCase : ToolCase
{
    private const int Versions = 3;

    private readonly Dictionary<NeededBy, Dictionary<VolumeKind, string>> m_names = [];
    private readonly List<string[]> m_restored = [];
    private int m_serial;

    private VolumeStateCase()
        : base(isFilled: false) { }

    internal static async Task<VolumeStateCase> CreateAsync()
    {
        var made = new VolumeStateCase();
        await made.MakeAsync();
        return made;
    }

    /// <summary>The name of the volume of a cell.</summary>
    internal string NameOf(VolumeCell cell) => m_names[cell.Need][cell.Kind];

    /// <summary>Puts folder and database back, as they are without or with an interrupted backup.</summary>
    internal void Make(bool isInterrupted)
    {
        Directory.Delete(Remote, recursive: true);
        VolumeFiles.Copy(this[isInterrupted ? "interrupted" : "whole"], Remote);
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
        if (!File.Exists(path) && File.Exists(this[name]))
            File.Copy(this[name], path);
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
    internal string Target(string name) => this[$"target-{name}"];

    /// <summary>Names and contents in the remote folder.</summary>
    internal Dictionary<string, string> Files() => Directory.GetFiles(Remote).ToDictionary(x => Path.GetFileName(x)!, x => Hash(x)!);

    /// <summary>How many versions the database has.</summary>
    internal async Task<int> CountAsync() => (await QueryAsync("list")).Json.GetArrayLength();

    /// <summary>How the complete versions differ from what was backed up; empty if they are restored as they were.</summary>
    /// <param name="without">The name of a file that does not count; null if all do.</param>
    internal async Task<string> DifferenceAsync(string? without = null)
    {
        bool Counts(string line) => without is null || !line.Contains($"/{without} ", StringComparison.Ordinal);
        var listed = await CountAsync();
        var found = new List<string[]>();
        for (var version = 0; version < listed; version++)
        {
            var target = this[$"restored-{++m_serial}"];
            var run = await RunAsync("restore", "--target", target, "--version", $"{version}");
            if (run.Code == ExitCode.Ok)
                found.Add(Described(target));
            if (Directory.Exists(target))
                Directory.Delete(target, recursive: true);
        }

        var lost = m_restored
            .Where(x => !found.Exists(y => y.Where(Counts).SequenceEqual(x.Where(Counts))))
            .Select(x => m_restored.IndexOf(x))
            .ToList();
        return lost.Count == 0 ? "" : $"versions {string.Join(", ", lost)}, oldest first, are not restored as they were";
    }

    /// <summary>Follows what a check advises, and what is advised then, until nothing is wrong.</summary>
    /// <returns>The commands, and whether nothing was wrong in the end.</returns>
    internal async Task<(List<string> Steps, bool IsWell)> FollowAsync(int most)
    {
        var check = Words("check", "--deep");
        var (_, chain) = await FollowedAdvice.WalkAsync(check, check, most);
        return (chain.ConvertAll(x => x.Command), (await ToolRun.RunAsync(check)).Code == ExitCode.Ok);
    }

    /// <summary>Starts from the folder alone.</summary>
    internal async Task<ToolRun> RecreateAsync()
    {
        Forget();
        return await RunAsync("recreate");
    }

    private async Task MakeAsync()
    {
        var random = new Random(37);
        for (var i = 0; i < 3; i++)
            SourceTree.Write(Source, $"folder/{i}", 30_000, random);
        SourceTree.Write(Source, "purged", 100, random);
        await ToolRun.OkAsync(BackUpAsync());
        SourceTree.Write(Source, "folder/1", 30_000, random);
        SourceTree.Write(Source, "folder/new", 120_000, random);
        await ToolRun.OkAsync(BackUpAsync());
        var (blocks, list) = (VolumeFiles.Of(Remote, "dblock"), VolumeFiles.Of(Remote, "dlist")[^1]);
        SourceTree.Write(Source, "gone", 120_000, random);
        await ToolRun.OkAsync(BackUpAsync());
        var gone = VolumeFiles.Of(Remote, "dlist")[^1];
        var waste = VolumeFiles.Of(Remote, "dblock").Except(blocks).First();
        File.Delete(Path.Combine(Source, "gone"));
        SourceTree.Write(Source, "folder/2", 30_000, random);
        await ToolRun.OkAsync(BackUpAsync());
        File.Copy(gone, this[Path.GetFileName(gone)]);
        Assert.That((await RunAsync("delete", "--version", "1", "--yes", "--no-compact")).Code, Is.Zero);

        m_names[NeededBy.Complete] = Names(blocks[0], VolumeFiles.Of(Remote, "dlist")[^1], list);
        m_names[NeededBy.Nobody] = Names(waste, gone, gone);
        for (var version = Versions - 1; version >= 0; version--)
        {
            var target = this[$"version-{version}"];
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

    private void Keep(string name)
    {
        VolumeFiles.Copy(Remote, this[name]);
        Databases.Execute(Database, "PRAGMA wal_checkpoint(TRUNCATE)");

        File.Copy(Database, Path.Combine(this[name], "database"));
    }

    // Whatever lies beside the database goes as well.
    private void Forget()
    {
        foreach (var file in Directory.GetFiles(this[""], Path.GetFileName(Database) + "*"))
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
