// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>A state that a backup can be in.</summary>
/// <param name="Name">Its name.</param>
/// <param name="MakeAsync">Brings a whole backup into it: the folder with <c>backup.sqlite</c> and <c>remote</c>.</param>
/// <param name="IsOfDatabase">Whether the remote folder is whole.</param>
/// <param name="Whole">The golden set that it was before; null if it was the whole backup.</param>
/// <param name="IsInterrupted">Whether a backup was killed, which had recorded a part of a version.</param>
internal sealed record DamagedState(
    string Name,
    Func<string, Task> MakeAsync,
    bool IsOfDatabase = false,
    string? Whole = null,
    bool IsInterrupted = false
)
{
    /// <summary>As above, of a state that is made without a command.</summary>
    internal DamagedState(string name, Action<string> make, bool isOfDatabase = false, string? Whole = null, bool IsInterrupted = false)
        : this(
            name,
            folder =>
            {
                make(folder);
                return Task.CompletedTask;
            },
            isOfDatabase,
            Whole,
            IsInterrupted
        ) { }

    public override string ToString() => Name;
}

/// <summary>States of databases and remote folders in which something is wrong.</summary>
internal static class DamagedStates
{
    private static readonly string[] s_kinds = ["dblock", "dindex", "dlist"];

    /// <summary>All of them.</summary>
    internal static IReadOnlyList<DamagedState> All { get; } = [.. Volumes(), .. Folders(), .. OtherTimes(), .. Rows()];

    /// <summary>What real Duplicati had made, and then lost or left.</summary>
    internal static IReadOnlyList<DamagedState> Golden { get; } = [.. Sets()];

    private static IEnumerable<DamagedState> Volumes()
    {
        foreach (var kind in s_kinds)
        {
            yield return new($"a {kind} is missing", folder => File.Delete(Of(folder, kind)[0]));
            yield return new($"the newest {kind} is missing", folder => File.Delete(Newest(folder, kind)));
            yield return new($"a {kind} is damaged", folder => Overwrite(Of(folder, kind)[0]));
            yield return new($"a {kind} is cut off", folder => VolumeEdit.Cut(Of(folder, kind)[0]));
            yield return new($"a {kind} is empty", folder => VolumeEdit.Cut(Of(folder, kind)[^1], 0));
            yield return new($"two {kind}s are swapped", folder => VolumeEdit.Swap(Of(folder, kind)[0], Of(folder, kind)[1]));
            yield return new($"all {kind}s are missing", folder => Delete(Of(folder, kind)));
            yield return new($"two {kind}s are damaged", folder => Overwrite(Of(folder, kind)[..2]));
        }
    }

    private static IEnumerable<DamagedState> Folders()
    {
        yield return new("a volume of each kind is missing", folder => Delete(s_kinds.Select(x => Of(folder, x)[0])));
        yield return new("a volume of each kind is damaged", folder => Overwrite([.. s_kinds.Select(x => Of(folder, x)[0])]));
        yield return new(
            "a block volume is missing and another is damaged",
            folder =>
            {
                File.Delete(Of(folder, "dblock")[0]);
                Overwrite(Of(folder, "dblock")[0]);
            }
        );
        yield return new(
            "an index volume names another volume",
            folder => Rename(Of(folder, "dindex"), Path.GetFileName(Of(folder, "dblock")[0]))
        );
        yield return new(
            "an index volume names one that is not there",
            folder => Rename(Of(folder, "dindex"), "duplicati-b00000000000000000000000000000000.dblock.zip")
        );
        yield return new(
            "an index volume claims blocks of another volume",
            folder => VolumeEdit.Claim(Of(folder, "dindex")[0], Of(folder, "dindex")[1], 5)
        );
        yield return new(
            "index volumes claim all blocks of each other's volumes",
            folder =>
            {
                VolumeEdit.Claim(Of(folder, "dindex")[0], Of(folder, "dindex")[1]);
                VolumeEdit.Claim(Of(folder, "dindex")[^1], Of(folder, "dindex")[0]);
            }
        );
        yield return new("a volume that nobody knows", folder => File.WriteAllText(Unknown(folder), "nothing"));
        yield return new("a copy of a block volume", folder => File.Copy(Of(folder, "dblock")[0], Unknown(folder)));
        yield return new(
            "a copy of a list",
            folder => File.Copy(Of(folder, "dlist")[0], Path.Combine(folder, "remote", "duplicati-20200101T000000Z.dlist.zip"))
        );
        yield return new("the remote folder is empty", folder => Delete(Directory.GetFiles(Path.Combine(folder, "remote"))));
    }

    // The database is of another time than the folder, or than a part of it.
    private static IEnumerable<DamagedState> OtherTimes()
    {
        yield return new("the folder is set back to before a compact", folder => SetBackAsync(folder, _ => true));
        yield return new("the folder is set back to before a compact, without a block volume", SetBackInPartAsync);
        yield return new(
            "a block volume of a compact is missing, and those before it are there again",
            folder => SetBackAsync(folder, x => x.Contains(".dblock.", StringComparison.Ordinal))
        );
        yield return new(
            "the database is older than a compact",
            async folder =>
            {
                File.Copy(Database(folder), Database(folder) + ".old");
                await CompactAsync(folder);
                File.Move(Database(folder) + ".old", Database(folder), overwrite: true);
            },
            true
        );
        yield return new(
            "a block volume is missing, and another is one that nobody knows",
            folder =>
            {
                File.Delete(Of(folder, "dblock")[0]);
                File.WriteAllText(Unknown(folder), "nothing");
            }
        );
        yield return new(
            "a block volume is missing, and another is there twice",
            folder =>
            {
                File.Delete(Of(folder, "dblock")[0]);
                File.Copy(Of(folder, "dblock")[0], Unknown(folder));
            }
        );
        yield return new("a block volume has another name", folder => File.Move(Of(folder, "dblock")[0], Unknown(folder)));
    }

    // A database that was changed by hand, by another program, or by a disk.
    private static IEnumerable<DamagedState> Rows()
    {
        foreach (var (kind, type) in new[] { ("dblock", "Blocks"), ("dindex", "Index"), ("dlist", "Files") })
        {
            var first = $"""WHERE "ID" = (SELECT MIN("ID") FROM "Remotevolume" WHERE "Type" = '{type}')""";
            foreach (var state in new[] { "Temporary", "Uploading", "Deleting", "Deleted" })
            {
                var change = $"""UPDATE "Remotevolume" SET "State" = '{state}'""";
                yield return new($"a {kind} in state {state}", folder => Sql(folder, $"{change} {first}"), true);
                yield return new(
                    $"a {kind} in state {state} is missing",
                    folder =>
                    {
                        Sql(folder, $"""{change} WHERE "Name" = '{Path.GetFileName(Of(folder, kind)[0])}'""");
                        File.Delete(Of(folder, kind)[0]);
                    },
                    true
                );
            }

            foreach (
                var (name, sql) in new[]
                {
                    ($"the row of a {kind} is missing", """DELETE FROM "Remotevolume" """),
                    ($"the size of a {kind} is wrong", """UPDATE "Remotevolume" SET "Size" = "Size" + 1"""),
                    ($"the hash of a {kind} is wrong", """UPDATE "Remotevolume" SET "Hash" = 'AAAA' || substr("Hash", 5)"""),
                }
            )
                yield return new(name, folder => Sql(folder, $"{sql} {first}"), true);
        }

        foreach (
            var (name, sql) in new[]
            {
                ("blocks are in no volume", """UPDATE "Block" SET "VolumeID" = -1 WHERE "ID" % 7 = 3"""),
                (
                    "blocks of a content are missing",
                    """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = (SELECT "BlocksetID" FROM "FileLookup" WHERE "Path" = 'changing' LIMIT 1) AND "Index" > 3"""
                ),
                ("files of entries are missing", """DELETE FROM "FileLookup" WHERE "Path" = 'secret'"""),
                ("entries of a version are missing", """DELETE FROM "FilesetEntry" WHERE "FilesetID" = 2"""),
                (
                    "an entry of a version is missing",
                    """DELETE FROM "FilesetEntry" WHERE "FileID" = (SELECT MAX("ID") FROM "FileLookup")"""
                ),
                ("metadata are missing", """DELETE FROM "Metadataset" WHERE "ID" = 2"""),
                (
                    "contents are missing",
                    """DELETE FROM "Blockset" WHERE "ID" = (SELECT "BlocksetID" FROM "FileLookup" WHERE "Path" = 'constant')"""
                ),
                ("all versions are missing", """DELETE FROM "FilesetEntry"; DELETE FROM "Fileset" """),
                ("no volume is known", """DELETE FROM "Remotevolume" """),
                ("a recreate was not ended", """INSERT INTO "Configuration" ("Key", "Value") VALUES ('repair-in-progress', 'true')"""),
                ("a recreate of some versions", """INSERT INTO "Configuration" ("Key", "Value") VALUES ('partially-recreated', 'true')"""),
                (
                    "uploads were interrupted",
                    """INSERT INTO "Configuration" ("Key", "Value") VALUES ('terminated-with-active-uploads', 'true')"""
                ),
            }
        )
            yield return new(name, folder => Sql(folder, sql), true);
        yield return new("pages of the database are damaged", folder => Overwrite(Database(folder)), true);
        yield return new("the database is cut off", folder => VolumeEdit.Cut(Database(folder)), true);
    }

    private static IEnumerable<DamagedState> Sets()
    {
        foreach (
            var set in GoldenData.Sets.Where(x =>
                x.StartsWith("g-", StringComparison.Ordinal) || x.StartsWith("f-", StringComparison.Ordinal)
            )
        )
            yield return new(
                $"golden {set}",
                folder =>
                {
                    var remote = Path.Combine(folder, "remote");
                    Directory.Delete(remote, recursive: true);
                    GoldenData.CopyRemote(set, remote);
                    File.Delete(Database(folder));
                    File.Move(GoldenData.UnpackDatabase(set, folder), Database(folder));
                },
                Whole: set.StartsWith("g-", StringComparison.Ordinal) ? "a-plain-1k" : set,
                IsInterrupted: set.StartsWith("f-", StringComparison.Ordinal)
            );
    }

    private static async Task SetBackInPartAsync(string folder)
    {
        await SetBackAsync(folder, _ => true);
        File.Delete(Of(folder, "dblock")[0]);
    }

    // Where some kinds only are set back, no block volume is as the database has it, and all else is.
    private static async Task SetBackAsync(string folder, Func<string, bool> isSetBack)
    {
        var remote = Path.Combine(folder, "remote");
        var before = Directory.GetFiles(remote).Where(isSetBack).ToDictionary(x => x, File.ReadAllBytes);
        await CompactAsync(folder);
        Delete(Directory.GetFiles(remote).Where(isSetBack).Except(before.Keys));
        foreach (var (file, content) in before)
            await File.WriteAllBytesAsync(file, content);
    }

    /// <summary>Writes all blocks of a backup into new volumes, and deletes the old ones.</summary>
    internal static async Task CompactAsync(string folder)
    {
        string[] all = ["--threshold", "0", "--small-file-max-count", "0", "--small-file-size", "100mb", "--dblock-size", "1mb"];
        string[] words = ["compact", Path.Combine(folder, "remote"), "--dbpath", Database(folder), "--no-encryption", "--json", .. all];
        var before = Of(folder, "dblock");
        var run = await ToolRun.OkAsync(words);
        Assert.That(Of(folder, "dblock").Intersect(before), Is.Empty, run.Output);
    }

    private static string Database(string folder) => Path.Combine(folder, "backup.sqlite");

    private static string[] Of(string folder, string kind) => VolumeFiles.Of(Path.Combine(folder, "remote"), kind);

    private static string Newest(string folder, string kind) => Of(folder, kind).MaxBy(File.GetLastWriteTimeUtc)!;

    private static void Delete(IEnumerable<string> files)
    {
        foreach (var file in files.ToList())
            File.Delete(file);
    }

    private static string Unknown(string folder) =>
        Path.Combine(folder, "remote", "duplicati-b22222222222222222222222222222222.dblock.zip");

    private static void Overwrite(params string[] paths)
    {
        foreach (var path in paths)
        {
            using var file = new FileStream(path, FileMode.Open);
            file.Position = file.Length / 3;
            file.Write(new byte[Math.Min(5000, file.Length / 3)]);
        }
    }

    private static void Rename(string[] indexes, string volume)
    {
        foreach (var index in indexes)
        {
            using var zip = ZipFile.Open(index, ZipArchiveMode.Update);
            var entry = zip.Entries.First(x => x.FullName.StartsWith("vol/", StringComparison.Ordinal));
            if (entry.FullName == "vol/" + volume)
                continue;
            using var content = new StreamReader(entry.Open());
            var text = content.ReadToEnd();
            content.Dispose();
            entry.Delete();
            using var renamed = new StreamWriter(zip.CreateEntry("vol/" + volume).Open());
            renamed.Write(text);
            return;
        }
    }

    private static void Sql(string folder, string sql) => Databases.Execute(Database(folder), sql);
}
