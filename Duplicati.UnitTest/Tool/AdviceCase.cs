// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// A backup of two versions, ways to break it, and what can be restored of it. <c>old.sqlite</c> is the database after the first version.
/// </summary>
internal sealed class AdviceCase : ToolCase
{
    // Each kind is backed up once. Cases have copies of its folder and databases, and begin with its source as it was.
    private static readonly Dictionary<bool, AdviceCase> s_made = [];

    private int m_serial;

    private AdviceCase() { }

    private AdviceCase(AdviceCase made)
        : base(made) => File.Copy(made["old.sqlite"], this["old.sqlite"]);

    internal static async Task<AdviceCase> CreateAsync(bool encrypted = false)
    {
        if (!s_made.TryGetValue(encrypted, out var made))
            s_made.Add(encrypted, made = await MakeAsync(encrypted));
        if (Directory.Exists(made.Source))
            Directory.Delete(made.Source, recursive: true);
        VolumeFiles.Copy(made["kept/folder"], made["source/folder"]);
        foreach (var folder in new[] { "/folder", "" })
            Directory.SetLastWriteTimeUtc(made["source" + folder], Directory.GetLastWriteTimeUtc(made["kept" + folder]));
        return new AdviceCase(made);
    }

    /// <summary>Removes what cases are copies of.</summary>
    internal static void Forget()
    {
        foreach (var made in s_made.Values)
            made.Dispose();
        s_made.Clear();
    }

    private static async Task<AdviceCase> MakeAsync(bool encrypted)
    {
        var made = new AdviceCase { IsEncrypted = encrypted };
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        File.Copy(made.Database, made["old.sqlite"]);
        SourceTree.Write(made.Source, "folder/3", 40_000, new Random(12));
        SourceTree.Write(made.Source, "folder/new", 5_000, new Random(13));
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        Directory.Move(made.Source, made["kept"]);
        return made;
    }

    /// <summary>Adds a version without a file of the one before, and with one of a single block.</summary>
    internal async Task AddSmallVersionAsync()
    {
        File.Delete(Path.Combine(Source, "folder/new"));
        SourceTree.Write(Source, "folder/small", 900, new Random(14));
        Assert.That((await BackUpAsync()).Code, Is.Zero);
    }

    /// <summary>Moves the database away and recreates it.</summary>
    internal async Task RecreateAsync(params int[] codes)
    {
        File.Move(Database, this[$"away-{++m_serial}.sqlite"]);
        var run = await RunAsync("recreate");
        Assert.That(run.Code, Is.AnyOf([.. codes.DefaultIfEmpty(ExitCode.Ok).Cast<object>()]), run.Error);
    }

    /// <summary>Path and content of every file that can be restored, of all versions.</summary>
    internal async Task<HashSet<string>> ReadableAsync()
    {
        var found = new HashSet<string>();
        for (var version = 0; version < 2; version++)
            found.UnionWith(await ReadableAsync(version));
        return found;
    }

    /// <summary>Those of one version; none if it does not exist.</summary>
    internal async Task<HashSet<string>> ReadableAsync(int version)
    {
        var target = this[$"restored-{++m_serial}"];
        var run = await RunAsync("restore", "--target", target, "--version", $"{version}");
        if (run.IsRefused)
            return [];

        var failed = run.Strings("failed").ToHashSet();
        return
        [
            .. Directory
                .GetFiles(target, "*", SearchOption.AllDirectories)
                .Where(x => !failed.Contains(x) && !x.EndsWith(".incomplete", StringComparison.Ordinal))
                .Select(x => $"{Path.GetFileName(x)} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(x)))}"),
        ];
    }

    /// <summary>
    /// Overwrites blocks of the largest block volume, more than need not be read, or 64 bytes of the newest list, in the middle unless
    /// told otherwise; its length stays.
    /// </summary>
    internal string Damage(string kind, int position = -1)
    {
        var path = Volumes(kind)[kind == "dlist" ? ^1 : 0];
        using var file = new FileStream(path, FileMode.Open);
        file.Position = position < 0 ? file.Length / 2 : position;
        file.Write(new byte[kind == "dblock" ? 5000 : 64]);
        return Path.GetFileName(path);
    }

    /// <summary>Deletes the first volume of a kind.</summary>
    /// <param name="kind">dblock, dindex or dlist.</param>
    /// <param name="newest">Among the volumes of the newest version: its last one may hold nothing but metadata.</param>
    internal void Remove(string kind, bool newest = false)
    {
        var begin = newest ? File.GetLastWriteTimeUtc(Volumes("dlist")[^2]) : DateTime.MinValue;
        File.Delete(Volumes(kind).First(x => File.GetLastWriteTimeUtc(x) > begin));
    }

    /// <summary>Overwrites a page of the database with zeros.</summary>
    internal void Overwrite(int page)
    {
        using var file = new FileStream(Database, FileMode.Open);
        file.Position = (page - 1) * 4096L;
        file.Write(new byte[4096]);
    }

    internal void RemoveSources() => Directory.Delete(Source, recursive: true);

    /// <summary>Replaces the newest file list by one that ends before its first entry, and keeps a copy as <c>list</c>.</summary>
    internal string EmptyNewestList()
    {
        var path = Volumes("dlist")[^1];
        File.Copy(path, this["list"]);
        VolumeEdit.Rewrite(path, (name, content) => (name, name == "filelist.json" ? "["u8.ToArray() : content));
        return Path.GetFileName(path);
    }

    /// <summary>Names of the files, of any version, that have a block with the hashes of their blocks in this volume.</summary>
    internal HashSet<string> FilesWithTheirListIn(string volume)
    {
        using var connection = SQLiteLoader.LoadConnection(Database);
        var paths = connection.Lines(
            $"""
            SELECT "f"."Path" FROM "FileLookup" "f"
            INNER JOIN "BlocklistHash" "l" ON "l"."BlocksetID" = "f"."BlocksetID"
            INNER JOIN "Block" "b" ON "b"."Hash" = "l"."Hash"
            INNER JOIN "Remotevolume" "v" ON "v"."ID" = "b"."VolumeID" AND "v"."Name" = '{volume}'
            """
        );
        return [.. paths.Select(x => Path.GetFileName(x))];
    }

    private string[] Volumes(string kind) => VolumeFiles.Of(Remote, kind);
}
