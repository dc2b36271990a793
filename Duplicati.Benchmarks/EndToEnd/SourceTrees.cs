// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A copy of a source tree, and a repeatable change to it.</summary>
internal static class ChangedTree
{
    /// <summary>Copies files, and the folders that they are in.</summary>
    internal static async Task CopyAsync(string source, string target, CancellationToken token)
    {
        foreach (var file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(target, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            await using var from = File.OpenRead(file);
            await using var to = new FileStream(copy, FileMode.CreateNew);
            await from.CopyToAsync(to, token);
        }
    }

    /// <summary>Rewrites the middle of every tenth file, by the seed.</summary>
    internal static void ChangeTenth(string folder, long seed)
    {
        var random = new Random((int)seed);
        var content = new byte[64 * 1024];
        var index = 0;
        foreach (var path in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            if (index++ % 10 != 0)
                continue;

            random.NextBytes(content);
            using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite);
            var length = (int)Math.Min(content.Length, file.Length);
            file.Position = (file.Length - length) / 2;
            file.Write(content, 0, length);
        }
    }
}

/// <summary>What is backed up.</summary>
internal static class SourceData
{
    /// <summary>Generates data in a new folder.</summary>
    public static async Task MakeAsync(EndToEndOptions options, string folder, TextWriter log, CancellationToken token)
    {
        await log.WriteLineAsync($"Generating {SizeText.Of(options.TotalBytes)} in {options.Files} files (seed {options.Seed})");
        var source = new SourceOptions
        {
            TotalBytes = options.TotalBytes,
            Files = options.Files,
            MaxFileBytes = Math.Max(SourceOptions.LongestFor(options.TotalBytes, options.Files), options.TotalBytes / 10),
            SparsePercent = 30,
            Seed = options.Seed,
        };
        await SourceGenerator.GenerateAsync(folder, source, token);
    }
}
