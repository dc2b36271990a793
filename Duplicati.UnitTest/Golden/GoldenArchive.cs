// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Formats.Tar;
using System.IO.Compression;

namespace Duplicati.UnitTest.Golden;

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
