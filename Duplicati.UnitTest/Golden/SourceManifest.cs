// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text.Json;

namespace Duplicati.UnitTest.Golden;

/// <summary>The source trees that the golden backups were made of.</summary>
internal static class SourceManifest
{
    /// <summary>The versions of the tree whose files, contents and link targets are exactly those of a restored folder.</summary>
    public static IReadOnlyList<string> VersionsEqualTo(string folder)
    {
        var restored = Describe(folder);
        return
        [
            .. Directory
                .GetFiles(Path.Combine(GoldenData.Root, "sources"), "tree1-v*.manifest.json")
                .Where(x => Describe(JsonDocument.Parse(File.ReadAllText(x))).SetEquals(restored)),
        ];
    }

    private static HashSet<string> Describe(JsonDocument manifest)
    {
        using (manifest)
        {
            return manifest
                .RootElement.EnumerateArray()
                .Where(x => x.GetProperty("path").GetString() != "")
                .Select(x =>
                    x.GetProperty("type").GetString() switch
                    {
                        "file" => $"{x.GetProperty("path").GetString()} {x.GetProperty("sha256").GetString()}",
                        "symlink" => $"{x.GetProperty("path").GetString()} -> {x.GetProperty("target").GetString()}",
                        _ => x.GetProperty("path").GetString() + "/",
                    }
                )
                .ToHashSet(StringComparer.Ordinal);
        }
    }

    private static HashSet<string> Describe(string folder)
    {
        var lines = new HashSet<string>(StringComparer.Ordinal);
        Describe(new DirectoryInfo(folder), folder, lines);
        return lines;
    }

    // Links to folders are entries of their own and are not followed.
    private static void Describe(DirectoryInfo folder, string root, HashSet<string> lines)
    {
        foreach (var entry in folder.EnumerateFileSystemInfos())
        {
            var path = Path.GetRelativePath(root, entry.FullName);
            if (entry.LinkTarget is { } target)
            {
                lines.Add($"{path} -> {target}");
            }
            else if (entry is DirectoryInfo child)
            {
                lines.Add(path + "/");
                Describe(child, root, lines);
            }
            else
            {
                lines.Add($"{path} {Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(entry.FullName)))}");
            }
        }
    }
}
