// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>The volumes in a remote folder, for tests that take some away or damage them.</summary>
internal static class VolumeFiles
{
    /// <summary>Full paths: those of blocks by size, the largest first, all others by name, which for file lists is by time.</summary>
    /// <remarks>
    /// Names of block volumes are random, and a small one may hold nothing but metadata, which fails no file when it is lost.
    /// </remarks>
    /// <param name="remote">The remote folder.</param>
    /// <param name="type">dblock, dindex or dlist.</param>
    internal static string[] Of(string remote, string type)
    {
        var files = new DirectoryInfo(remote).GetFiles($"*.{type}.*").OrderBy(x => x.Name, StringComparer.Ordinal);
        return [.. (type == "dblock" ? files.OrderByDescending(x => x.Length) : files).Select(x => x.FullName)];
    }

    /// <summary>Copies all files of a folder, but no folders in it.</summary>
    /// <param name="from">The folder.</param>
    /// <param name="to">Where to; made if it does not exist. It has none of the files.</param>
    internal static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var file in Directory.GetFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
    }
}
