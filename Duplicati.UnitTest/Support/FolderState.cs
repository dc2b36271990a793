// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.UnitTest.Support;

/// <summary>What can be seen of a folder from outside: names, bytes, times and modes of it and of all files in it.</summary>
internal static class FolderState
{
    /// <summary>One line for the folder and each file in it.</summary>
    public static string[] Of(string folder) =>
        [
            Describe(new DirectoryInfo(folder)),
            .. new DirectoryInfo(folder)
                .GetFiles("*", SearchOption.AllDirectories)
                .OrderBy(x => x.FullName, StringComparer.Ordinal)
                .Select(Describe),
        ];

    /// <summary>Name and bytes of each file in a folder, without its times and modes.</summary>
    public static string[] Contents(string folder) =>
        [
            .. new DirectoryInfo(folder)
                .GetFiles("*", SearchOption.AllDirectories)
                .OrderBy(x => x.FullName, StringComparer.Ordinal)
                .Select(x => $"{Path.GetRelativePath(folder, x.FullName)} {Hash(x)}"),
        ];

    private static string Describe(FileSystemInfo item) =>
        $"{item.Name} {item.LastWriteTimeUtc:O} {(OperatingSystem.IsWindows() ? item.Attributes.ToString() : item.UnixFileMode.ToString())} {(item is FileInfo file ? Hash(file) : "")}";

    private static string Hash(FileInfo file)
    {
        using var stream = new FileStream(file.FullName, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return $"{stream.Length} {Convert.ToHexString(SHA256.HashData(stream))}";
    }
}
