// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Enumeration;
using System.Security.Cryptography;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A file, folder or symbolic link.</summary>
/// <param name="Kind">Which of them.</param>
/// <param name="Content">Hash of a file, target of a link.</param>
/// <param name="Size">Bytes of a file.</param>
/// <param name="Time">Ticks of the last change; 0 for links.</param>
/// <param name="Mode">Permissions; 0 for links and where there are none.</param>
internal sealed record TreeEntry(string Kind, string Content, long Size, long Time, int Mode)
{
    /// <summary>Whether the other one has the same content, whatever its metadata.</summary>
    public bool HasContentOf(TreeEntry other) => (Kind, Content, Size) == (other.Kind, other.Content, other.Size);
}

/// <summary>In what a restored entry differs.</summary>
/// <param name="Key">Its path below the root.</param>
/// <param name="What">How.</param>
/// <param name="IsMissing">Whether it is not there at all.</param>
internal sealed record TreeDifference(string Key, string What, bool IsMissing = false)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Key} {What}";
}

/// <summary>
/// What a folder held at a time: a copy of it, as far as one compares. Keys are paths below the root, of folders with a slash at the end;
/// that of the root is empty.
/// </summary>
internal sealed class TreeManifest
{
    private TreeManifest(SortedDictionary<string, TreeEntry> entries) => Entries = entries;

    /// <summary>The entries.</summary>
    public SortedDictionary<string, TreeEntry> Entries { get; }

    /// <summary>Reads a folder.</summary>
    public static TreeManifest Read(string root)
    {
        var entries = new SortedDictionary<string, TreeEntry>(StringComparer.Ordinal) { [""] = Describe(new DirectoryInfo(root)) };
        var all = new FileSystemEnumerable<FileSystemInfo>(
            root,
            (ref FileSystemEntry entry) => entry.ToFileSystemInfo(),
            new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = 0 }
        )
        {
            ShouldRecursePredicate = (ref FileSystemEntry entry) => !entry.Attributes.HasFlag(FileAttributes.ReparsePoint),
        };
        foreach (var entry in all)
            entries.Add(Key(root, entry), Describe(entry));
        return new TreeManifest(entries);
    }

    /// <summary>The first difference in content between a source and what was restored of it, in words; null if there is none.</summary>
    public static string? Difference(string source, string restored) =>
        !Directory.Exists(restored) ? "Nothing was restored."
        : Read(source).Differences(Read(restored), isExact: false).FirstOrDefault() is { } difference
            ? $"The restored tree differs: {difference}."
        : null;

    /// <summary>The same without some entries.</summary>
    public TreeManifest Without(Func<string, bool> isGone) =>
        new(new SortedDictionary<string, TreeEntry>(Entries.Where(x => !isGone(x.Key)).ToDictionary(), StringComparer.Ordinal));

    /// <summary>In what a restored folder differs, a line each. That of the root counts for nothing: it was there, or not.</summary>
    /// <param name="restored">The restored folder.</param>
    /// <param name="isExact">Whether metadata count, too.</param>
    public IEnumerable<TreeDifference> Differences(TreeManifest restored, bool isExact)
    {
        foreach (var (key, entry) in Entries.Where(x => x.Key.Length > 0))
        {
            if (!restored.Entries.TryGetValue(key, out var found))
                yield return new TreeDifference(key, "is missing", IsMissing: true);
            else if (!entry.HasContentOf(found))
                yield return new TreeDifference(key, $"should be {entry}, and is {found}");
            else if (isExact && entry != found)
                yield return new TreeDifference(key, $"has other metadata: {found} instead of {entry}");
        }

        foreach (var key in restored.Entries.Keys.Where(x => !Entries.ContainsKey(x)))
            yield return new TreeDifference(key, "should not be there");
    }

    // A link to a folder is recorded like one.
    private static string Key(string root, FileSystemInfo entry)
    {
        var path = Path.GetRelativePath(root, entry.FullName);
        return entry is DirectoryInfo ? path + Path.DirectorySeparatorChar : path;
    }

    private static TreeEntry Describe(FileSystemInfo entry)
    {
        if (entry.LinkTarget is { } target)
            return new TreeEntry("link", target, 0, 0, 0);
        var mode = OperatingSystem.IsWindows() ? 0 : (int)entry.UnixFileMode;
        return entry is FileInfo file
            ? new TreeEntry("file", Hash(file), file.Length, file.LastWriteTimeUtc.Ticks, mode)
            : new TreeEntry("folder", "", 0, entry.LastWriteTimeUtc.Ticks, mode);
    }

    private static string Hash(FileInfo file)
    {
        using var content = file.OpenRead();
        return Convert.ToHexString(SHA256.HashData(content));
    }
}
