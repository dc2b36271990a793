// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A copy of a source tree, and a repeatable change to it.</summary>
internal static class ChangedTree
{
    /// <summary>Copies files and folders; links are left out.</summary>
    internal static async Task CopyAsync(string source, string target, CancellationToken token)
    {
        foreach (var file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            if (new FileInfo(file).LinkTarget is not null)
                continue;

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
    /// <summary>The folder that was given, or generated data in a new one.</summary>
    public static async Task<string> MakeAsync(EndToEndOptions options, string folder, TextWriter log, CancellationToken token)
    {
        if (options.Source is { } given)
            return given;

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
        return folder;
    }
}

/// <summary>Compares two folders byte for byte.</summary>
internal static class TreeComparer
{
    /// <summary>The first difference, as a sentence; null if there is none.</summary>
    internal static string? Difference(string expected, string actual)
    {
        if (!Directory.Exists(actual))
            return "Nothing was restored.";

        var left = Files(expected);
        var right = Files(actual);
        if (!left.SequenceEqual(right, StringComparer.Ordinal))
            return $"The restored tree has other files: {left.Except(right).Concat(right.Except(left)).First()}.";
        return left.Find(file => !AreEqual(Path.Combine(expected, file), Path.Combine(actual, file))) is { } different
            ? $"The restored file {different} differs."
            : null;
    }

    private static List<string> Files(string folder) =>
        [
            .. Directory
                .EnumerateFiles(folder, "*", SearchOption.AllDirectories)
                .Select(x => Path.GetRelativePath(folder, x))
                .Order(StringComparer.Ordinal),
        ];

    private static bool AreEqual(string a, string b)
    {
        using var left = File.OpenRead(a);
        using var right = File.OpenRead(b);
        if (left.Length != right.Length)
            return false;

        var first = new byte[128 * 1024];
        var second = new byte[first.Length];
        for (var read = left.ReadAtLeast(first, first.Length, false); read > 0; read = left.ReadAtLeast(first, first.Length, false))
        {
            right.ReadExactly(second, 0, read);
            if (!first.AsSpan(0, read).SequenceEqual(second.AsSpan(0, read)))
                return false;
        }

        return true;
    }
}
