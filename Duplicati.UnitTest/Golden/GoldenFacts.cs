// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Text.Json;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// What is recorded of a set in its <c>expected.json</c>: which databases there are, the commands that were run and how they ended, the
/// folders after them.
/// </summary>
internal sealed class GoldenFacts
{
    private static readonly ConcurrentDictionary<string, GoldenFacts> s_known = new(StringComparer.Ordinal);

    private readonly JsonElement m_commands;
    private readonly JsonElement m_folders;

    private GoldenFacts(JsonElement root)
    {
        Databases = root.TryGetProperty("databases", out var names)
            ? names.EnumerateArray().Select(x => x.GetString()!).ToHashSet(StringComparer.Ordinal)
            : [];
        root.TryGetProperty("commands", out m_commands);
        root.TryGetProperty("folders", out m_folders);
    }

    /// <summary>The files of the set's archive.</summary>
    public IReadOnlySet<string> Databases { get; }

    /// <summary>The facts of a set; none of a folder that is no set.</summary>
    public static GoldenFacts Of(string set) => s_known.GetOrAdd(set, Read);

    /// <summary>A command, or null.</summary>
    public JsonElement? Command(string name) =>
        m_commands.ValueKind == JsonValueKind.Object && m_commands.TryGetProperty(name, out var command) ? command : null;

    /// <summary>The sizes of the files in the remote folder after an operation, by name.</summary>
    /// <param name="state">Such as "after-repair".</param>
    public Dictionary<string, long> Folder(string state) =>
        m_folders.GetProperty(state).EnumerateObject().ToDictionary(x => x.Name, x => x.Value.GetInt64(), StringComparer.Ordinal);

    private static GoldenFacts Read(string set)
    {
        var path = Path.Combine(GoldenData.Root, set, "expected.json");
        using var json = JsonDocument.Parse(File.Exists(path) ? File.ReadAllText(path) : "{}");
        return new GoldenFacts(json.RootElement.Clone());
    }
}

/// <summary>A version and, as far as was told, how many files it has, their size and whether it is whole.</summary>
internal sealed record VersionFacts(long Version, DateTime Time, long? Files, string? Size, bool? Full);

/// <summary>Versions and files: a path and its size in each version, null where it has none.</summary>
internal sealed record FindFacts(VersionFacts[] Filesets, string?[][] Paths);

/// <summary>Entries of a version: a path and its size, null where none was told.</summary>
internal sealed record ContentFacts(long Version, DateTime Time, string?[][] Entries);

/// <summary>What depends on volumes: versions, the number of files and the first of their paths, log messages.</summary>
internal sealed record AffectedFacts(VersionFacts[] Filesets, int Total, string[] Shown, MessageFacts[] Messages);

/// <summary>A log message or its beginning; of a long one the number of its characters and the hash of their UTF-8 form.</summary>
internal sealed record MessageFacts(DateTime Time, string? Text, int? Length, string? Sha256);

/// <summary>Changes between two versions: a sign and a path, all of them if complete; and those counts that are not zero.</summary>
internal sealed record CompareFacts(VersionFacts From, VersionFacts To, bool Complete, string[][] Changes, CountFacts[] Counts);

/// <summary>How many of a type were added, deleted or modified.</summary>
internal sealed record CountFacts(string Change, string Type, long Count);

/// <summary>A file that was found, and its sizes in versions.</summary>
internal sealed record SearchFacts(string Path, SizeFacts[] Versions);

/// <summary>A size in a version.</summary>
internal sealed record SizeFacts(long Version, string Size);

/// <summary>Broken files of a version: a path and its size.</summary>
internal sealed record BrokenFacts(long Version, DateTime Time, long Count, string[][] Files);
