// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Source folders for backups, and what is in a folder.</summary>
internal static class SourceTree
{
    /// <summary>Names that are legal on Linux and awkward everywhere else.</summary>
    public static readonly string[] OddNames =
    [
        "it's \"quoted\"",
        "line\nbreak",
        "100%_[a-z]*?",
        "  leading and trailing  ",
        "-rf",
        "back\\slash",
        "C:",
        "\u202Eright to left",
        "e\u0301 and \u00E9",
        "tab\there",
        "...",
        "NUL",
        new string('n', 255),
    ];

    /// <summary>Makes the first version: empty, small, sparse and larger files, deep folders, odd names, links.</summary>
    public static void Make(string root, Random random)
    {
        Directory.CreateDirectory(root);
        Write(root, "empty", 0, random);
        Write(root, "one byte", 1, random);
        foreach (var size in new[] { 1023, 1024, 1025, 10_239, 10_240, 10_241, 150_000 })
            Write(root, $"sizes/{size}", size, random);
        using (var sparse = File.Create(Path.Combine(root, "sparse")))
        {
            sparse.SetLength(60_000);
            sparse.Position = 30_000;
            sparse.WriteByte(1);
        }

        Write(root, string.Join('/', Enumerable.Repeat("deep", 60)) + "/file", 3000, random);
        foreach (var name in OddNames)
            Write(root, "odd/" + name, 1500, random);
        Directory.CreateDirectory(Path.Combine(root, "empty folder"));
        Directory.CreateDirectory(Path.Combine(root, "odd folder \n%'\""));
        File.CreateSymbolicLink(Path.Combine(root, "link to file"), "sizes/1024");
        Directory.CreateSymbolicLink(Path.Combine(root, "link to folder"), "sizes");
        File.CreateSymbolicLink(Path.Combine(root, "link to nothing"), "no/such/thing");
    }

    /// <summary>Changes, adds, removes and moves.</summary>
    public static void Change(string root, Random random)
    {
        Write(root, "sizes/10240", 10_240, random);
        Write(root, "added/new", 70_000, random);
        using (var grown = new FileStream(Path.Combine(root, "sizes/150000"), FileMode.Append))
            grown.Write(new byte[5000]);
        File.Delete(Path.Combine(root, "sizes/1025"));
        File.Move(Path.Combine(root, "one byte"), Path.Combine(root, "empty folder/moved"));
        File.Delete(Path.Combine(root, "link to nothing"));
        File.CreateSymbolicLink(Path.Combine(root, "link to nothing"), "sizes/1023");
    }

    /// <summary>Writes random content.</summary>
    public static void Write(string root, string name, int size, Random random)
    {
        var path = Path.Combine(root, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, VolumeFixture.RandomBytes(random, size));
    }

    /// <summary>Everything in a folder, one line an entry: kind, path, and content, link target or last change.</summary>
    public static string[] Describe(string root)
    {
        var lines = new List<string>();
        foreach (
            var entry in new DirectoryInfo(root).EnumerateFileSystemInfos(
                "*",
                new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = 0 }
            )
        )
        {
            var path = Path.GetRelativePath(root, entry.FullName);
            lines.Add(
                entry switch
                {
                    { LinkTarget: { } target } => $"link {path} -> {target}",
                    DirectoryInfo folder => $"folder {path} {folder.LastWriteTimeUtc.Ticks} {folder.UnixFileMode}",
                    _ =>
                        $"file {path} {entry.LastWriteTimeUtc.Ticks} {entry.UnixFileMode} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(entry.FullName)))}",
                }
            );
        }

        lines.Sort(StringComparer.Ordinal);
        return [.. lines];
    }
}
