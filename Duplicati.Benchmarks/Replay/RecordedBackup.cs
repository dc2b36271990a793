// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.Benchmarks.Replay;

/// <summary>A remote volume as it is in the end.</summary>
internal sealed record RecordedVolume(string Name, RemoteVolumeType Type, long Size, string Hash);

/// <summary>A block and the volume that holds it.</summary>
internal sealed record RecordedBlock(string Hash, long Size, RecordedVolume Volume);

/// <summary>The content of a file, or its metadata.</summary>
/// <param name="Hash">Hash of all of it.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Blocks">Its blocks in order.</param>
/// <param name="Lists">The blocks with the hashes of its blocks; none for a single block.</param>
internal sealed record RecordedBlockset(string Hash, long Length, List<RecordedBlock> Blocks, List<RecordedBlock> Lists);

/// <summary>A file, folder or symbolic link.</summary>
/// <param name="Prefix">The folder it is in, with a separator at the end.</param>
/// <param name="Name">Its name.</param>
/// <param name="Content">What a file holds; null for the others.</param>
/// <param name="Kind">What stands for the content of a folder or link.</param>
/// <param name="Metadata">Its metadata.</param>
internal sealed record RecordedFile(string Prefix, string Name, RecordedBlockset? Content, long Kind, RecordedBlockset Metadata);

/// <summary>An entry of a version.</summary>
/// <param name="File">What it is.</param>
/// <param name="Modified">When it was changed, in ticks.</param>
/// <param name="IsKnown">Whether the version before has the same entry.</param>
internal readonly record struct RecordedEntry(RecordedFile File, long Modified, bool IsKnown);

/// <summary>A version of a backup.</summary>
/// <param name="Time">A day before it was made, in seconds since 1970: what compares it with the clock finds all versions in the past, also
/// those that were made within a second.</param>
/// <param name="List">The volume with its file list.</param>
/// <param name="Entries">Its entries in the order in which they came.</param>
internal sealed record RecordedVersion(long Time, RecordedVolume List, List<RecordedEntry> Entries);

/// <summary>
/// What a database says about a backup, without its ids: what core would tell a data layer to make it again, in the same order. All paths
/// are below <see cref="Source"/>.
/// </summary>
internal sealed record RecordedBackup
{
    /// <summary>The folder that all paths are moved to.</summary>
    public const string Source = "/source/";

    public const int HashBytes = 32;

    /// <summary>Nothing, in blocks of 1 KB: for who tells calls of his own.</summary>
    public static readonly RecordedBackup Empty = new()
    {
        BlockSize = 1024,
        Versions = [],
        Links = [],
    };

    /// <summary>Bytes in a block.</summary>
    public required int BlockSize { get; init; }

    /// <summary>The versions, oldest first.</summary>
    public required IReadOnlyList<RecordedVersion> Versions { get; init; }

    /// <summary>The index volumes, each with the block volumes that it describes.</summary>
    public required IReadOnlyList<(RecordedVolume Index, RecordedVolume Blocks)> Links { get; init; }

    /// <summary>Hashes that fit in one blocklist.</summary>
    public int HashesInList => BlockSize / HashBytes;

    /// <summary>What the versions refer to, block by block volume.</summary>
    public ILookup<RecordedVolume, RecordedBlock> BlocksByVolume =>
        Blocksets
            .SelectMany(content => content.Blocks.Concat(content.Lists))
            .Distinct<RecordedBlock>(ReferenceEqualityComparer.Instance)
            .ToLookup<RecordedBlock, RecordedVolume>(block => block.Volume, ReferenceEqualityComparer.Instance);

    /// <summary>The contents and the metadata that the versions refer to.</summary>
    public IEnumerable<RecordedBlockset> Blocksets =>
        Versions
            .SelectMany(version => version.Entries)
            .Select(entry => entry.File)
            .Distinct<RecordedFile>(ReferenceEqualityComparer.Instance)
            .SelectMany(file => file.Content is { } content ? [content, file.Metadata] : new[] { file.Metadata })
            .Distinct<RecordedBlockset>(ReferenceEqualityComparer.Instance);

    /// <summary>The same with the first entries of each version only.</summary>
    public RecordedBackup Take(int entries) =>
        this with
        {
            Versions = [.. Versions.Select(version => version with { Entries = [.. version.Entries.Take(entries)] })],
        };

    /// <summary>Reads a database that nothing has open. Deleted blocks and copies of blocks are left out.</summary>
    public static RecordedBackup Read(string path, int blockSize)
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        using var statements = new PlainStatements(connection);
        return new BackupReader(statements).Read(blockSize);
    }
}

/// <summary>Reads what a database says about a backup.</summary>
internal sealed class BackupReader(PlainStatements statements)
{
    private const string Volumes = """SELECT ID, Name, Type, IFNULL(Size, -1), IFNULL(Hash, '') FROM Remotevolume""";
    private const string Links = """SELECT IndexVolumeID, BlockVolumeID FROM IndexBlockLink""";
    private const string Blocks = """SELECT ID, Hash, Size, VolumeID FROM Block ORDER BY ID""";
    private const string Blocksets = """SELECT ID, FullHash, Length FROM Blockset""";
    private const string Entries = """SELECT BlocksetID, BlockID FROM BlocksetEntry ORDER BY BlocksetID, "Index" """;
    private const string Lists = """SELECT BlocksetID, Hash FROM BlocklistHash ORDER BY BlocksetID, "Index" """;
    private const string Prefixes = """SELECT ID, Prefix FROM PathPrefix""";
    private const string Files = """
        SELECT F.ID, F.PrefixID, F.Path, F.BlocksetID, M.BlocksetID FROM FileLookup AS F JOIN Metadataset AS M ON M.ID = F.MetadataID
        """;
    private const string Versions = """SELECT ID, Timestamp, VolumeID FROM Fileset ORDER BY Timestamp""";
    private const string VersionEntries = """SELECT FileID, Lastmodified FROM FilesetEntry WHERE FilesetID = @p0 ORDER BY FileID""";

    private const long SecondsADay = 24 * 60 * 60;

    private readonly Dictionary<long, RecordedVolume> m_volumes = [];
    private readonly Dictionary<long, RecordedBlockset> m_blocksets = [];
    private readonly Dictionary<long, RecordedFile> m_files = [];

    public RecordedBackup Read(int blockSize)
    {
        statements.Read(
            Volumes,
            row =>
                m_volumes.Add(
                    row.GetInt64(0),
                    new RecordedVolume(row.GetString(1), Enum.Parse<RemoteVolumeType>(row.GetString(2)), row.GetInt64(3), row.GetString(4))
                )
        );
        ReadBlocksets();
        ReadFiles();
        var links = new List<(RecordedVolume, RecordedVolume)>();
        statements.Read(Links, row => links.Add((m_volumes[row.GetInt64(0)], m_volumes[row.GetInt64(1)])));
        return new RecordedBackup
        {
            BlockSize = blockSize,
            Versions = [.. ReadVersions()],
            Links = links,
        };
    }

    private void ReadBlocksets()
    {
        var blocks = new Dictionary<long, RecordedBlock>();
        var byHash = new Dictionary<string, RecordedBlock>(StringComparer.Ordinal);
        statements.Read(
            Blocks,
            row =>
            {
                var block = new RecordedBlock(row.GetString(1), row.GetInt64(2), m_volumes[row.GetInt64(3)]);
                blocks.Add(row.GetInt64(0), block);
                byHash[block.Hash] = block;
            }
        );
        statements.Read(
            Blocksets,
            row => m_blocksets.Add(row.GetInt64(0), new RecordedBlockset(row.GetString(1), row.GetInt64(2), [], []))
        );
        statements.Read(Entries, row => m_blocksets[row.GetInt64(0)].Blocks.Add(blocks[row.GetInt64(1)]));
        statements.Read(Lists, row => m_blocksets[row.GetInt64(0)].Lists.Add(byHash[row.GetString(1)]));
    }

    private void ReadFiles()
    {
        var prefixes = new Dictionary<long, string>();
        statements.Read(Prefixes, row => prefixes.Add(row.GetInt64(0), row.GetString(1)));
        var root = Root([.. prefixes.Values]);
        statements.Read(
            Files,
            row =>
            {
                var (prefix, kind) = (RecordedBackup.Source + Portable(prefixes[row.GetInt64(1)][root.Length..]), row.GetInt64(3));
                var metadata = m_blocksets[row.GetInt64(4)];
                m_files.Add(
                    row.GetInt64(0),
                    new RecordedFile(prefix, Portable(row.GetString(2)), m_blocksets.GetValueOrDefault(kind), kind, metadata)
                );
            }
        );
    }

    private List<RecordedVersion> ReadVersions()
    {
        var versions = new List<(long Id, RecordedVersion Version)>();
        statements.Read(
            Versions,
            row => versions.Add((row.GetInt64(0), new RecordedVersion(row.GetInt64(1) - SecondsADay, m_volumes[row.GetInt64(2)], [])))
        );
        var before = new HashSet<(long, long)>();
        foreach (var (id, version) in versions)
        {
            var now = new HashSet<(long, long)>();
            statements.Read(
                VersionEntries,
                row =>
                {
                    var entry = (row.GetInt64(0), row.GetInt64(1));
                    now.Add(entry);
                    version.Entries.Add(new RecordedEntry(m_files[entry.Item1], entry.Item2, before.Contains(entry)));
                },
                id
            );
            before = now;
        }

        return [.. versions.Select(entry => entry.Version)];
    }

    // The longest folder that all are in.
    private static string Root(IReadOnlyList<string> prefixes)
    {
        if (prefixes.Count == 0)
            return "";
        var root = prefixes[0];
        foreach (var prefix in prefixes)
        {
            while (!prefix.StartsWith(root, StringComparison.Ordinal))
                root = root[..(root.AsSpan(0, root.Length - 1).LastIndexOfAny('/', '\\') + 1)];
        }

        return root;
    }

    private static string Portable(string path) => OperatingSystem.IsWindows() ? path.Replace('\\', '/') : path;
}
