using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>
/// What the filelist and the index files of a backup say, in memory and in both forms, digests and texts, so that making them is no
/// part of what is measured: about 180 bytes a block.
/// </summary>
internal sealed class RebuildData
{
    private static RebuildData? s_latest;

    private RebuildData(SyntheticBackup backup)
    {
        Backup = backup;
        Files = [.. Range(backup.Files).Select(file => new RebuildFile(
            $"file{file}", SyntheticBackup.FileHash(file), backup.BlocksOf(file) * SyntheticBackup.BlockBytes,
            [.. Range(backup.ListsOf(file)).Select(list => Convert.ToBase64String(backup.List(file, list).Digest))],
            SyntheticBackup.MetadataHash(file)))];
        Indexes = [.. Range(backup.Volumes).Select(Index)];
    }

    /// <summary>The backup it was made of.</summary>
    public SyntheticBackup Backup { get; }

    /// <summary>All files of the one version.</summary>
    public IReadOnlyList<RebuildFile> Files { get; }

    /// <summary>One index file a volume.</summary>
    public IReadOnlyList<RebuildIndex> Indexes { get; }

    /// <summary>A backup of so many blocks in files of so many.</summary>
    public static RebuildData Get(long blocks, long blocksPerFile)
    {
        if (s_latest?.Backup.Blocks != blocks || s_latest.Backup.BlocksPerFile != blocksPerFile)
            s_latest = new RebuildData(new SyntheticBackup(blocks, blocksPerFile));
        return s_latest;
    }

    private static IEnumerable<long> Range(long count) => Enumerable.Range(0, (int)count).Select(x => (long)x);

    // A blocklist, and the metadata, lie in the volume in which the file ends or the list fills up.
    private RebuildIndex Index(long volume)
    {
        var index = new RebuildIndex();
        var first = volume * SyntheticBackup.BlocksPerVolume;
        for (var block = first; block < Math.Min(first + SyntheticBackup.BlocksPerVolume, Backup.Blocks); block++)
        {
            index.AddBlock(SyntheticBackup.BlockHash(block), SyntheticBackup.BlockBytes);
            var (file, inFile) = (block / Backup.BlocksPerFile, block % Backup.BlocksPerFile);
            var isEnd = inFile == Backup.BlocksOf(file) - 1;
            if (Backup.ListsOf(file) > 0 && (isEnd || inFile % SyntheticBackup.EntriesInList == SyntheticBackup.EntriesInList - 1))
                index.AddList(Backup.List(file, inFile / SyntheticBackup.EntriesInList));
            if (isEnd)
                index.AddBlock(SyntheticBackup.MetadataHash(file), SyntheticBackup.MetadataBytes);
        }

        return index;
    }
}

/// <summary>A file of the version.</summary>
internal sealed record RebuildFile(string Name, string Hash, long Length, string[] Lists, string MetadataHash);

/// <summary>What one index file says.</summary>
internal sealed class RebuildIndex
{
    private readonly List<byte> m_digests = [];

    public List<string> Hashes { get; } = [];

    public List<long> Sizes { get; } = [];

    public List<(byte[] Digest, byte[] Content, string Hash, string[] Entries)> Lists { get; } = [];

    /// <summary>The digests of <see cref="Hashes"/>, one after the other.</summary>
    public byte[] Digests => field ??= [.. m_digests];

    public void AddBlock(string hash, long size)
    {
        Hashes.Add(hash);
        Sizes.Add(size);
        m_digests.AddRange(Convert.FromBase64String(hash));
    }

    public void AddList((byte[] Digest, byte[] Content, string[] Entries) list)
    {
        var hash = Convert.ToBase64String(list.Digest);
        AddBlock(hash, list.Content.Length);
        Lists.Add((list.Digest, list.Content, hash, list.Entries));
    }
}
