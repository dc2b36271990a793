using System.IO.Compression;
using System.Runtime.CompilerServices;
using System.Text.Json;
using NUnit.Framework;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// Backups and databases made by real Duplicati, with their expected dumps. They lie next to the repository, in
/// <c>../shared/golden</c> seen from its root, are only read, and are described in the README.md there.
/// </summary>
/// <remarks>A test that needs them and does not find them is skipped with the reason.</remarks>
internal static class GoldenData
{
    private const string DATABASE = "local.sqlite";
    private const string OVERLAY = "remote-overlay.json";

    /// <summary>The passphrase of the encrypted sets.</summary>
    public const string Passphrase = "golden pass é 1";

    /// <summary>The data, or null where there are none.</summary>
    public static string? RootOrNull { get; } = FindRoot();

    /// <summary>The data; the running test is skipped where there are none.</summary>
    public static string Root
    {
        get
        {
            if (RootOrNull == null)
                Assert.Ignore("The golden data are not there: no folder ../shared/golden next to the repository");
            return RootOrNull!;
        }
    }

    /// <summary>Sets with a database of their own, as source of test cases; one entry "none" where there are no data.</summary>
    public static IEnumerable<string> SetsWithDatabase => Cases(root => Directory.GetDirectories(root).Where(x => File.Exists(Path.Combine(x, DATABASE + ".gz"))));

    /// <summary>Every set, also those that only change the remote folder of another.</summary>
    public static IEnumerable<string> Sets => Cases(root => Directory.GetDirectories(root).Where(x => Directory.Exists(Path.Combine(x, "remote")) || File.Exists(Path.Combine(x, OVERLAY))));

    /// <summary>Sets with a database and at least one file list that is not encrypted.</summary>
    public static IEnumerable<string> SetsWithPlainLists => RootOrNull == null
        ? ["none"]
        : SetsWithDatabase.Where(set => RemoteNames(set).Any(x => x.EndsWith(".dlist.zip", StringComparison.Ordinal)));

    /// <summary>Databases at old versions of the schema, without ".sqlite".</summary>
    public static IEnumerable<string> OldSchemas => Cases(root => Directory.GetFiles(Path.Combine(root, "old-schema"), "*.sqlite.gz").Select(x => Path.GetFileName(x)[..^".sqlite.gz".Length]));

    /// <summary>Recorded outputs, as set and name, of commands that succeeded; as source of test cases.</summary>
    /// <param name="names">The commands, such as "find-all".</param>
    /// <returns>One case an output that exists; one of "none" where there are no data.</returns>
    public static IEnumerable<string[]> Outputs(params string[] names) => RootOrNull == null
        ? [["none", "none"]]
        : from set in Directory.GetDirectories(RootOrNull).Select(x => Path.GetFileName(x)!).Order(StringComparer.Ordinal)
          from name in names
          where GoldenCommand.Find(set, name) is { ExitCode: 0 }
          select new[] { set, name };

    /// <summary>The names of the files in the remote folder of a set.</summary>
    public static IEnumerable<string> RemoteNames(string set)
    {
        var source = Path.Combine(Root, set);
        if (!File.Exists(Path.Combine(source, OVERLAY)))
            return Directory.GetFiles(Path.Combine(source, "remote")).Select(x => Path.GetFileName(x)!);
        using var overlay = JsonDocument.Parse(File.ReadAllText(Path.Combine(source, OVERLAY)));
        var removed = overlay.RootElement.GetProperty("remove").EnumerateArray().Select(x => x.GetString()).ToHashSet();
        var replaced = Path.Combine(source, "replace");
        return [.. RemoteNames(overlay.RootElement.GetProperty("base").GetString()!).Where(x => !removed.Contains(x))
            .Union(Directory.Exists(replaced) ? Directory.GetFiles(replaced).Select(x => Path.GetFileName(x)!) : [])];
    }

    /// <summary>Whether there is a file; name without ".gz".</summary>
    public static bool Exists(string set, string name) => File.Exists(Path.Combine(Root, set, name)) || File.Exists(Path.Combine(Root, set, name + ".gz"));

    /// <summary>Copies a file out of the data, unpacked.</summary>
    /// <param name="set">The set, e.g. "k-small".</param>
    /// <param name="name">The file in it without ".gz", e.g. "local.sqlite" or "as-left/local.sqlite-wal".</param>
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

    /// <summary>Reads a file, unpacked.</summary>
    /// <param name="set">The set.</param>
    /// <param name="name">The file in it without ".gz".</param>
    /// <returns>Its bytes.</returns>
    public static Stream OpenRead(string set, string name)
    {
        var path = Path.Combine(Root, set, name);
        return File.Exists(path + ".gz")
            ? new GZipStream(File.OpenRead(path + ".gz"), CompressionMode.Decompress)
            : File.OpenRead(path);
    }

    /// <summary>Reads a text file, e.g. a dump.</summary>
    /// <param name="set">The set.</param>
    /// <param name="name">The file in it without ".gz".</param>
    /// <returns>Its text.</returns>
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
            CopyFiles(Path.Combine(source, "remote"), folder);
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

    private static IEnumerable<string> Cases(Func<string, IEnumerable<string>> list) => RootOrNull == null
        ? ["none"]
        : list(RootOrNull).Select(x => Path.GetFileName(x)!).Order(StringComparer.Ordinal);

    private static string? FindRoot([CallerFilePath] string thisFile = "")
    {
        foreach (var start in (ReadOnlySpan<string?>)[AppContext.BaseDirectory, Path.GetDirectoryName(thisFile)])
            for (var folder = start; folder != null; folder = Path.GetDirectoryName(folder))
                if (File.Exists(Path.Combine(folder, "Duplicati.sln")))
                {
                    var root = Path.GetFullPath(Path.Combine(folder, "..", "shared", "golden"));
                    if (Directory.Exists(root))
                        return root;
                }
        return null;
    }
}
