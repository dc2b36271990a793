// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Formats.Tar;
using System.IO.Compression;
using System.Text.Json;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Dump;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// Backups and databases made by real Duplicati, with their expected dumps: the folder <c>Data</c> beside this file, described in
/// <c>README.md</c>. They are only read.
/// </summary>
internal static class GoldenData
{
    private const string DATABASE = "local.sqlite";
    private const string OVERLAY = "remote-overlay.json";
    private const string REMOTE = "remote";

    /// <summary>The passphrase of the encrypted sets.</summary>
    public const string Passphrase = "golden pass é 1";

    /// <summary>The folder with a folder a set.</summary>
    public static string Root { get; } = Repository.File("Duplicati.UnitTest", "Golden", "Data");

    /// <summary>Every folder, also those that are no backup: the old schemas and the source trees.</summary>
    public static IEnumerable<string> Folders =>
        Directory.GetDirectories(Root).Select(x => Path.GetFileName(x)!).Order(StringComparer.Ordinal);

    /// <summary>Sets with a database of their own, as source of test cases.</summary>
    public static IEnumerable<string> SetsWithDatabase => Folders.Where(x => Exists(x, DATABASE));

    /// <summary>Every set, also those that only change the remote folder of another.</summary>
    public static IEnumerable<string> Sets => Folders.Where(x => HasRemote(x) || File.Exists(Path.Combine(Root, x, OVERLAY)));

    /// <summary>Sets with a database and at least one file list that is not encrypted.</summary>
    public static IEnumerable<string> SetsWithPlainLists =>
        SetsWithDatabase.Where(set => RemoteNames(set).Any(x => x.EndsWith(".dlist.zip", StringComparison.Ordinal)));

    /// <summary>Databases at old versions of the schema, without ".sqlite".</summary>
    public static IEnumerable<string> OldSchemas =>
        GoldenFacts
            .Of("old-schema")
            .Databases.Where(x => x.EndsWith(".sqlite", StringComparison.Ordinal))
            .Select(x => x[..^".sqlite".Length])
            .Order(StringComparer.Ordinal);

    /// <summary>Commands that succeeded and whose outcome is recorded, as set and name; as source of test cases.</summary>
    /// <param name="names">The commands, such as "find-all".</param>
    public static IEnumerable<string[]> Outputs(params string[] names) =>
        from set in Folders
        from name in names
        where GoldenCommand.Find(set, name) is { ExitCode: 0 }
        select new[] { set, name };

    /// <summary>Whether a set has a remote folder of its own.</summary>
    public static bool HasRemote(string set) => Directory.Exists(Path.Combine(Root, set, REMOTE));

    /// <summary>The names of the files in the remote folder of a set.</summary>
    public static IEnumerable<string> RemoteNames(string set)
    {
        var source = Path.Combine(Root, set);
        if (!File.Exists(Path.Combine(source, OVERLAY)))
            return Directory.GetFiles(Path.Combine(source, REMOTE)).Select(x => Path.GetFileName(x)!);
        using var overlay = JsonDocument.Parse(File.ReadAllText(Path.Combine(source, OVERLAY)));
        var removed = overlay.RootElement.GetProperty("remove").EnumerateArray().Select(x => x.GetString()).ToHashSet();
        var replaced = Path.Combine(source, "replace");
        return
        [
            .. RemoteNames(overlay.RootElement.GetProperty("base").GetString()!)
                .Where(x => !removed.Contains(x))
                .Union(Directory.Exists(replaced) ? Directory.GetFiles(replaced).Select(x => Path.GetFileName(x)!) : []),
        ];
    }

    /// <summary>Whether a set has a database, log or dump of that name.</summary>
    public static bool Exists(string set, string name) => GoldenFacts.Of(set).Databases.Contains(name);

    /// <summary>Copies a database, log or dump out of the data, unpacked.</summary>
    /// <param name="set">The set, e.g. "k-small".</param>
    /// <param name="name">The file in it, e.g. "local.sqlite" or "as-left/local.sqlite-wal".</param>
    /// <param name="folder">Where to.</param>
    /// <param name="target">Its name there; null keeps the name.</param>
    /// <returns>The path of the copy, which may be written to.</returns>
    public static string Unpack(string set, string name, string folder, string? target = null)
    {
        var path = Path.Combine(folder, target ?? Path.GetFileName(name));
        using var from = OpenRead(set, name);
        using var to = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        from.CopyTo(to);
        return path;
    }

    /// <summary>Reads a database, log or dump, unpacked.</summary>
    public static Stream OpenRead(string set, string name) => new MemoryStream(GoldenArchive.Of(set)[name], writable: false);

    /// <summary>Reads a dump.</summary>
    public static DatabaseDump Dump(string set, string name)
    {
        using var json = OpenRead(set, name);
        return DumpParser.Parse(json);
    }

    /// <summary>Reads the text of a dump.</summary>
    public static string ReadText(string set, string name)
    {
        using var reader = new StreamReader(OpenRead(set, name));
        return reader.ReadToEnd();
    }

    /// <summary>The database of a set: its own, or the one of its base set.</summary>
    /// <param name="set">The set.</param>
    /// <param name="folder">Where to.</param>
    /// <returns>The path of the copy.</returns>
    public static string UnpackDatabase(string set, string folder) => Unpack(Exists(set, DATABASE) ? set : BaseOf(set)!, DATABASE, folder);

    /// <summary>Copies the remote folder of a set: its own, or the one of its base set with the differences applied.</summary>
    /// <param name="set">The set.</param>
    /// <param name="folder">Where to; made if it does not exist.</param>
    public static void CopyRemote(string set, string folder)
    {
        var source = Path.Combine(Root, set);
        Directory.CreateDirectory(folder);
        if (!File.Exists(Path.Combine(source, OVERLAY)))
        {
            CopyFiles(Path.Combine(source, REMOTE), folder);
            return;
        }
        using var overlay = JsonDocument.Parse(File.ReadAllText(Path.Combine(source, OVERLAY)));
        CopyRemote(overlay.RootElement.GetProperty("base").GetString()!, folder);
        foreach (var name in overlay.RootElement.GetProperty("remove").EnumerateArray())
            File.Delete(Path.Combine(folder, name.GetString()!));
        CopyFiles(Path.Combine(source, "replace"), folder);
    }

    private static string? BaseOf(string set)
    {
        var path = Path.Combine(Root, set, OVERLAY);
        if (!File.Exists(path))
            return null;
        using var overlay = JsonDocument.Parse(File.ReadAllText(path));
        return overlay.RootElement.GetProperty("base").GetString();
    }

    private static void CopyFiles(string from, string to)
    {
        if (!Directory.Exists(from))
            return;
        foreach (var file in Directory.GetFiles(from))
        {
            var target = Path.Combine(to, Path.GetFileName(file));
            File.Copy(file, target, overwrite: true);
            if (!OperatingSystem.IsWindows())
                File.SetUnixFileMode(target, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }
}

/// <summary>
/// The databases, logs and dumps of a set, packed as one because they repeat each other. They are kept unpacked as long as the memory
/// is not wanted for something else: tests of a set follow each other.
/// </summary>
internal static class GoldenArchive
{
    private const string NAME = "databases.tar.br";

    private static readonly ConcurrentDictionary<string, WeakReference<IReadOnlyDictionary<string, byte[]>>> s_unpacked = new(
        StringComparer.Ordinal
    );

    /// <summary>Its files by name; none where the set has none.</summary>
    public static IReadOnlyDictionary<string, byte[]> Of(string set)
    {
        if (s_unpacked.TryGetValue(set, out var known) && known.TryGetTarget(out var files))
            return files;
        files = Read(Path.Combine(GoldenData.Root, set, NAME));
        s_unpacked[set] = new WeakReference<IReadOnlyDictionary<string, byte[]>>(files);
        return files;
    }

    private static Dictionary<string, byte[]> Read(string path)
    {
        var files = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        if (!File.Exists(path))
            return files;
        using var tar = new TarReader(new BrotliStream(File.OpenRead(path), CompressionMode.Decompress));
        while (tar.GetNextEntry() is { } entry)
        {
            var bytes = new byte[entry.Length];
            entry.DataStream?.ReadExactly(bytes);
            files.Add(entry.Name, bytes);
        }

        return files;
    }
}

/// <summary>A new folder for each test, which a golden set is copied to.</summary>
internal abstract class GoldenTestBase : FolderTestBase
{
    /// <summary>Copies the remote folder and the database of a set.</summary>
    /// <returns>What the engine works on both with.</returns>
    private protected EngineOptions Options(string set)
    {
        GoldenData.CopyRemote(set, Folder.File("remote"));
        return new EngineOptions
        {
            Remote = Folder.File("remote"),
            DatabasePath = GoldenData.UnpackDatabase(set, Folder.Path),
            Passphrase = set.StartsWith("b-", StringComparison.Ordinal) ? GoldenData.Passphrase : null,
        };
    }

    /// <summary>What the database has otherwise than a dump of the real program.</summary>
    private protected static IReadOnlyList<DumpDifference> Differences(
        string set,
        string dump,
        EngineOptions options,
        DumpComparisonOptions? comparison = null
    ) => DatabaseComparison.Compare(GoldenData.Dump(set, dump), DatabaseDump.Load(options.DatabasePath), comparison ?? new());
}
