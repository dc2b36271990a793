// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Dump;

/// <summary>Turns a dump into lines of text by section, without what does not count.</summary>
internal static class DumpNormalizer
{
    private const string ANY = "*";
    private const string DELETED = "Deleted";
    private const string DLIST = "Files";

    private static bool Counts(string key, DumpComparisonOptions options) =>
        !(options.IgnorePassphrase && s_passphrase.Contains(key)) && !(options.IgnoreVolumeSize && key == "dblock-size");

    private static readonly string[] s_history = ["operation", "remoteoperation", "logdata"];
    private static readonly string[] s_passphrase = ["passphrase", "passphrase-salt"];

    /// <summary>The lines of every section that counts.</summary>
    /// <param name="dump">What to compare.</param>
    /// <param name="options">What does not count.</param>
    /// <returns>Lines by section, unsorted.</returns>
    public static Dictionary<string, List<string>> Sections(DatabaseDump dump, DumpComparisonOptions options)
    {
        var json = new DumpJson();
        var sections = new Dictionary<string, List<string>>(StringComparer.Ordinal)
        {
            [DumpNames.IntegrityCheck] = [dump.IntegrityCheck],
            [DumpNames.RemoteVolumes] = [.. Volumes(dump, options).Select(json.Text)],
            [DumpNames.Blocks] =
            [
                .. (options.PoolCopies ? dump.Blocks.Concat(Copies(dump)) : dump.Blocks).Select(x => json.Text(Placed(x, options))),
            ],
            [DumpNames.DuplicateBlocks] = options.PoolCopies ? [] : [.. dump.DuplicateBlocks.Select(x => json.Text(Placed(x, options)))],
            [DumpNames.DeletedBlocks] = [.. dump.DeletedBlocks.Select(x => json.Text(Placed(x, options)))],
            [DumpNames.Blocksets] = [.. dump.Blocksets.Select(json.Text)],
            [DumpNames.Metadatasets] = [.. dump.Metadatasets.Select(json.Text)],
            [DumpNames.PathPrefixes] = [.. Prefixes(dump, options).Select(json.Value)],
            [DumpNames.Filesets] = [.. FilesetLines(dump, options, json)],
            [DumpNames.FilesWithoutFileset] = [.. dump.FilesWithoutFileset.Select(json.TextWithoutTime)],
            [DumpNames.IndexBlockLinks] = options.IgnoreBlockPlacement ? [] : [.. dump.IndexBlockLinks.Select(json.Text)],
            [DumpNames.RestoreTests] = [.. (dump.RestoreTests ?? []).Select(json.Text)],
            [DumpNames.Configuration] = [.. dump.Configuration.Where(x => Counts(x.Key, options)).Select(x => $"{x.Key}={x.Value}")],
            [DumpNames.Operations] = [.. dump.Operations],
            [DumpNames.RowCounts] = [.. RowCounts(dump, options)],
        };
        if (!options.IgnoreSchema)
        {
            sections[DumpNames.SchemaVersion] = [dump.SchemaVersion.ToString(CultureInfo.InvariantCulture)];
            sections[DumpNames.SchemaObjects] = [.. dump.SchemaObjects.Select(json.Text)];
        }
        foreach (var section in options.IgnoredSections)
            sections.Remove(section);
        return sections;
    }

    /// <summary>An entry without what does not count.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="options">What does not count.</param>
    /// <returns>The entry to compare.</returns>
    public static DumpEntry Normalize(DumpEntry entry, DumpComparisonOptions options)
    {
        if (options.IgnoreFolderTimes && entry.Kind is (DumpNames.Folder or DumpNames.Symlink))
            return entry with { LastModified = null };
        return options.WholeSeconds ? entry with { LastModified = entry.LastModified / TimeSpan.TicksPerSecond } : entry;
    }

    private static IEnumerable<DumpVolume> Volumes(DatabaseDump dump, DumpComparisonOptions options)
    {
        foreach (var volume in dump.RemoteVolumes)
        {
            if ((options.IgnoreDeletedVolumes && volume.State == DELETED) || (options.IgnoreBlockPlacement && volume.Type != DLIST))
                continue;
            var result = options.IgnoreVerificationCounts ? volume with { VerificationCount = 0 } : volume;
            if (options.IgnoreDeleteTimes)
                result = result with { DeleteGraceTime = null };
            yield return options.IgnoreVolumeStates
                ? result with
                {
                    State = ANY,
                    DeleteGraceTime = null,
                    ArchiveTime = null,
                    LockExpirationTime = null,
                }
                : result;
        }
    }

    // Upstream leaves those in volumes that are deleted, and in volumes that it does not know any more.
    private static IEnumerable<DumpBlock> Copies(DatabaseDump dump)
    {
        var present = dump.RemoteVolumes.Where(x => x.State != DELETED).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        return dump.DuplicateBlocks.Where(x => x.Volume is not null && present.Contains(x.Volume));
    }

    private static DumpBlock Placed(DumpBlock block, DumpComparisonOptions options) =>
        options.IgnoreBlockPlacement ? block with { Volume = ANY } : block;

    private static IEnumerable<string> Prefixes(DatabaseDump dump, DumpComparisonOptions options)
    {
        if (dump.PathPrefixes == null || !options.IgnoreUnusedPrefixes)
            return dump.PathPrefixes ?? [];
        var used = dump
            .Filesets.SelectMany(x => x.Entries)
            .Concat(dump.FilesWithoutFileset)
            .Select(x => x.Path)
            .ToHashSet(StringComparer.Ordinal);
        var split = used.Select(PrefixOf).ToHashSet(StringComparer.Ordinal);
        return dump.PathPrefixes.Where(split.Contains);
    }

    /// <summary>A path up to its last separator, not counting one at its very end.</summary>
    private static string PrefixOf(string path)
    {
        var separator = PathCheck.Separator(path);
        return path.Length < 2 ? "" : path[..(path.LastIndexOf(separator, path.Length - 2) + 1)];
    }

    private static IEnumerable<string> FilesetLines(DatabaseDump dump, DumpComparisonOptions options, DumpJson json)
    {
        foreach (var fileset in dump.Filesets)
        {
            var name = $"{fileset.Timestamp.ToString(CultureInfo.InvariantCulture)} {fileset.Volume}";
            yield return $"{name} is_full={json.Value(fileset.IsFull)}";
            if (fileset.Label is { } label)
                yield return $"{name} label={json.Value(label)}";
            foreach (var entry in fileset.Entries)
                yield return $"{name} {json.Text(Normalize(entry, options))}";
        }
    }

    private static IEnumerable<string> RowCounts(DatabaseDump dump, DumpComparisonOptions options) =>
        options.IgnoreAllRowCounts
            ? []
            : dump
                .RowCounts.Where(x => !options.IgnoreHistoryRowCounts || !s_history.Contains(x.Key))
                .Select(x => $"{x.Key}={x.Value.ToString(CultureInfo.InvariantCulture)}");
}
