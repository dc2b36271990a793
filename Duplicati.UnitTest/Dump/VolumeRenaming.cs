// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Engine.Dump;

namespace Duplicati.UnitTest.Dump;

/// <summary>
/// Gives volumes that the other side does not know a name made of what they hold, so that equal ones have equal names: names of new volumes
/// are random.
/// </summary>
internal sealed class VolumeRenaming
{
    private const string BLOCKS = "Blocks";
    private const string INDEX = "Index";

    private readonly DatabaseDump m_dump;
    private readonly DumpComparisonOptions m_options;
    private readonly HashSet<string> m_new;
    private readonly Dictionary<string, string> m_names = new(StringComparer.Ordinal);

    private VolumeRenaming(DatabaseDump dump, DatabaseDump other, DumpComparisonOptions options)
    {
        m_dump = dump;
        m_options = options;
        m_new = dump.RemoteVolumes.Select(x => x.Name).Except(other.RemoteVolumes.Select(x => x.Name)).ToHashSet(StringComparer.Ordinal);
        var volumes = dump.RemoteVolumes.Where(x => m_new.Contains(x.Name)).ToArray();
        NameBlockVolumes(volumes);
        NameIndexVolumes(volumes);
        NameFileVolumes(volumes);
    }

    /// <summary>
    /// Compares two dumps, and takes volumes that only one side knows for the same if they hold the same; their sizes, hashes and the times
    /// of their filesets do not count.
    /// </summary>
    internal static IReadOnlyList<DumpDifference> Compare(DatabaseDump expected, DatabaseDump actual, DumpComparisonOptions? options = null)
    {
        options ??= DumpComparisonOptions.Content;
        return DatabaseComparison.Compare(
            new VolumeRenaming(expected, actual, options).Renamed(),
            new VolumeRenaming(actual, expected, options).Renamed(),
            options
        );
    }

    private DatabaseDump Renamed() =>
        new()
        {
            SchemaVersion = m_dump.SchemaVersion,
            IntegrityCheck = m_dump.IntegrityCheck,
            RemoteVolumes =
            [
                .. m_dump.RemoteVolumes.Select(x =>
                    m_new.Contains(x.Name) ? x with { Name = NameOf(x.Name)!, Size = null, Hash = null } : x
                ),
            ],
            Blocks = [.. m_dump.Blocks.Select(Renamed)],
            DuplicateBlocks = [.. m_dump.DuplicateBlocks.Select(Renamed)],
            DeletedBlocks = [.. m_dump.DeletedBlocks.Select(Renamed)],
            Blocksets = m_dump.Blocksets,
            Metadatasets = m_dump.Metadatasets,
            PathPrefixes = m_dump.PathPrefixes,
            Filesets =
            [
                .. m_dump.Filesets.Select(x =>
                    x.Volume != null && m_new.Contains(x.Volume) ? x with { Timestamp = 0, Volume = NameOf(x.Volume) } : x
                ),
            ],
            FilesWithoutFileset = m_dump.FilesWithoutFileset,
            IndexBlockLinks = [.. m_dump.IndexBlockLinks.Select(x => new DumpIndexLink(NameOf(x.IndexVolume), NameOf(x.BlockVolume)))],
            RestoreTests = m_dump.RestoreTests,
            Configuration = m_dump.Configuration,
            Operations = m_dump.Operations,
            RowCounts = m_dump.RowCounts,
            SchemaObjects = m_dump.SchemaObjects,
        };

    private DumpBlock Renamed(DumpBlock block) => block with { Volume = NameOf(block.Volume) };

    private string? NameOf(string? volume) => volume != null && m_names.TryGetValue(volume, out var name) ? name : volume;

    private void NameBlockVolumes(DumpVolume[] volumes)
    {
        var contents = m_dump
            .Blocks.Concat(m_dump.DuplicateBlocks)
            .Concat(m_dump.DeletedBlocks)
            .ToLookup(x => x.Volume, x => $"{x.Hash}:{x.Size}");
        foreach (var volume in volumes.Where(x => x.Type == BLOCKS))
            Name(volume, contents[volume.Name]);
    }

    /// <summary>Block volumes have their names by now.</summary>
    private void NameIndexVolumes(DumpVolume[] volumes)
    {
        var contents = m_dump.IndexBlockLinks.ToLookup(x => x.IndexVolume, x => NameOf(x.BlockVolume) ?? "");
        foreach (var volume in volumes.Where(x => x.Type == INDEX))
            Name(volume, contents[volume.Name]);
    }

    private void NameFileVolumes(DumpVolume[] volumes)
    {
        var json = new DumpJson();
        var filesets = m_dump.Filesets.ToLookup(x => x.Volume);
        foreach (var volume in volumes.Where(x => x.Type is not (BLOCKS or INDEX)))
            Name(
                volume,
                filesets[volume.Name]
                    .SelectMany(x => x.Entries.Select(y => json.Text(DumpNormalizer.Normalize(y, m_options))).Prepend($"{x.IsFull}"))
            );
    }

    private void Name(DumpVolume volume, IEnumerable<string> content)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var line in content.Order(StringComparer.Ordinal))
            hash.AppendData(Encoding.UTF8.GetBytes(line + "\n"));
        m_names[volume.Name] = $"new {volume.Type} {Convert.ToHexStringLower(hash.GetHashAndReset())}";
    }
}
