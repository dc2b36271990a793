// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;
using Duplicati.Benchmarks.Replay;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Scale;

/// <summary>
/// A made-up backup: distinct blocks of 1 KB with made-up SHA-256 digests, files of equal length, volumes of 950 blocks, blocklists of 32
/// digests. In a second version every tenth file has changed, and every other block of it is new. Nothing is stored; every piece is
/// computed when it is asked for.
/// </summary>
internal sealed class SyntheticBackup(long blocks, long blocksPerFile)
{
    internal const int BlockBytes = 1024;
    internal const int HashBytes = 32;
    internal const int EntriesInList = BlockBytes / HashBytes;
    internal const int BlocksPerVolume = 950;
    internal const int MetadataBytes = 137;

    /// <summary>The one folder.</summary>
    internal const string Prefix = "/data/";

    /// <summary>Fewer cannot be divided as described.</summary>
    internal const long FewestBlocks = 100;

    private const long FewestFiles = 20;
    private const long FilesForOneChanged = 10;
    private const ulong FileDigests = 1UL << 60;
    private const ulong MetadataDigests = 2UL << 60;
    private const ulong NewBlocks = 3UL << 60;
    private const ulong NewFiles = 4UL << 60;

    /// <summary>
    /// One whose files are of even length, so that a changed file has as many new blocks as known ones, and no list of it stays as it was.
    /// A deletion of the first version therefore takes one block in twenty, anywhere in the tables.
    /// </summary>
    internal static SyntheticBackup OfTwoVersions(long blocks, long most) =>
        new(blocks, Math.Clamp(blocks / FewestFiles / 2 * 2, 2, Math.Max(2, most / 2 * 2)));

    internal long Blocks { get; } = blocks;

    internal long BlocksPerFile { get; } = blocksPerFile;

    internal long Files => (Blocks + BlocksPerFile - 1) / BlocksPerFile;

    internal long Volumes => (Blocks + BlocksPerVolume - 1) / BlocksPerVolume;

    /// <summary>Files that are other ones in the second version.</summary>
    internal long ChangedFiles => ((Blocks / BlocksPerFile) + FilesForOneChanged - 1) / FilesForOneChanged;

    /// <summary>What <see cref="BlockContent.Count"/> must give: blocks, blocksets, blocklists, entries and files.</summary>
    internal long ExpectedRows
    {
        get
        {
            var lists = Enumerable.Range(0, (int)Files).Sum(x => ListsOf(x));
            return (Blocks + Files + lists) + (2 * Files) + lists + (Blocks + Files) + Files;
        }
    }

    /// <summary>
    /// What the second version adds: blocks and lists as blocks, blocksets, lists, entries of blocksets, and those of the fileset.
    /// </summary>
    internal long RowsOfSecond
    {
        get
        {
            var lists = ListsOf(0);
            return (ChangedFiles * ((BlocksPerFile / 2) + lists + 1 + lists + BlocksPerFile)) + Files;
        }
    }

    /// <summary>Whether a file is another one in the second version.</summary>
    internal bool IsChanged(long file) => file % FilesForOneChanged == 0 && BlocksOf(file) == BlocksPerFile;

    /// <summary>Name of a file.</summary>
    internal static string Name(long file) => FormattableString.Invariant($"file{file}");

    /// <summary>A file as a backup sees it.</summary>
    internal RecordedFile File(long file, bool isChanged = false)
    {
        var lists = Enumerable.Range(0, (int)ListsOf(file)).Select(position => List(file, position, isChanged)).ToList();
        string[] hashes = lists.Count > 0 ? [.. lists.SelectMany(list => list.Entries)] : [Text((ulong)(file * BlocksPerFile))];
        var content = new RecordedBlockset(
            Text((ulong)file | (isChanged ? NewFiles : FileDigests)),
            BlocksOf(file) * BlockBytes,
            [.. hashes.Select(hash => new RecordedBlock(hash, BlockBytes, null!))],
            [.. lists.Select(list => new RecordedBlock(list.Hash, list.Content.Length, null!))]
        );
        var metadata = MetadataHash(file);
        return new RecordedFile(
            Prefix,
            Name(file),
            content,
            0,
            new RecordedBlockset(metadata, MetadataBytes, [new RecordedBlock(metadata, MetadataBytes, null!)], [])
        );
    }

    /// <summary>The index file of a volume. A blocklist lies where it fills up, the metadata where the file ends.</summary>
    internal SyntheticIndex Index(long volume)
    {
        var index = new SyntheticIndex();
        var first = volume * BlocksPerVolume;
        for (var block = first; block < Math.Min(first + BlocksPerVolume, Blocks); block++)
        {
            index.AddBlock(Text((ulong)block), BlockBytes);
            var (file, inFile) = (block / BlocksPerFile, block % BlocksPerFile);
            var isEnd = inFile == BlocksOf(file) - 1;
            if (ListsOf(file) > 0 && (isEnd || inFile % EntriesInList == EntriesInList - 1))
                index.AddList(List(file, inFile / EntriesInList, isChanged: false));
            if (isEnd)
                index.AddBlock(MetadataHash(file), MetadataBytes);
        }

        return index;
    }

    private long BlocksOf(long file) => Math.Min(BlocksPerFile, Blocks - (file * BlocksPerFile));

    private long ListsOf(long file) => BlocksOf(file) > 1 ? (BlocksOf(file) + EntriesInList - 1) / EntriesInList : 0;

    private static string MetadataHash(long file) => Text((ulong)file | MetadataDigests);

    private static void WriteDigest(ulong number, Span<byte> digest)
    {
        var x = number * 0x9E3779B97F4A7C15;
        for (var i = 0; i < HashBytes; i += sizeof(ulong))
        {
            x += 0x9E3779B97F4A7C15;
            var z = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            BinaryPrimitives.WriteUInt64LittleEndian(digest[i..], z ^ (z >> 31));
        }
    }

    private static string Text(ulong number)
    {
        Span<byte> digest = stackalloc byte[HashBytes];
        WriteDigest(number, digest);
        return Convert.ToBase64String(digest);
    }

    private SyntheticList List(long file, long position, bool isChanged)
    {
        var first = position * EntriesInList;
        var count = (int)Math.Min(EntriesInList, BlocksOf(file) - first);
        var content = new byte[count * HashBytes];
        var entries = new string[count];
        for (var i = 0; i < count; i++)
        {
            var digest = content.AsSpan(i * HashBytes, HashBytes);
            var number = (ulong)((file * BlocksPerFile) + first + i);
            WriteDigest(isChanged && i % 2 == 1 ? number | NewBlocks : number, digest);
            entries[i] = Convert.ToBase64String(digest);
        }

        var hash = SHA256.HashData(content);
        return new SyntheticList(hash, content, Convert.ToBase64String(hash), entries);
    }
}

/// <summary>A blocklist: its hash, its bytes, its hash and its entries as texts.</summary>
internal sealed record SyntheticList(byte[] Digest, byte[] Content, string Hash, string[] Entries);

/// <summary>What one index file says.</summary>
internal sealed class SyntheticIndex
{
    public List<string> Hashes { get; } = [];

    public List<long> Sizes { get; } = [];

    public List<SyntheticList> Lists { get; } = [];

    /// <summary>The digests of <see cref="Hashes"/>, one after the other.</summary>
    public byte[] Digests => field ??= [.. Hashes.SelectMany(Convert.FromBase64String)];

    public void AddBlock(string hash, long size)
    {
        Hashes.Add(hash);
        Sizes.Add(size);
    }

    public void AddList(SyntheticList list)
    {
        AddBlock(list.Hash, list.Content.Length);
        Lists.Add(list);
    }
}

/// <summary>What a database holds, as numbers that differ when something went wrong.</summary>
internal static class BlockContent
{
    /// <summary>Blocks and entries of blocksets by content, so that ids may differ.</summary>
    internal const string Blocks = """
        SELECT SUM((unicode(Hash) * 128 + unicode(substr(Hash, 2))) * 128 + unicode(substr(Hash, 3)) + Size * 7
            + VolumeID % 8191 * 31) + COUNT(*)
        FROM Block
        """;

    /// <summary>Reads BlocksetEntry in the order of its primary key; row ids of Blockset and Block.</summary>
    internal const string Entries = """
        SELECT SUM((e."Index" % 8191 + 1) * (unicode(s.FullHash) * 128 + unicode(substr(s.FullHash, 2)))
            * (unicode(b.Hash) * 128 + unicode(substr(b.Hash, 2))) % 1000000007) + COUNT(*)
        FROM BlocksetEntry e CROSS JOIN Blockset s ON s.ID = e.BlocksetID CROSS JOIN Block b ON b.ID = e.BlockID
        """;

    // An entry of a block that does not exist does not count.
    private const string Rows = """
        SELECT (SELECT COUNT(*) FROM Block) + (SELECT COUNT(*) FROM Blockset) + (SELECT COUNT(*) FROM BlocklistHash)
             + (SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID) + (SELECT COUNT(*) FROM FilesetEntry)
        """;

    // A number that depends on how many rows are left in each table, and on which blocks are.
    private const string Left = """
        SELECT (SELECT COUNT(*) FROM Fileset) + 3 * (SELECT COUNT(*) FROM FilesetEntry) + 5 * (SELECT COUNT(*) FROM FileLookup)
            + 7 * (SELECT COUNT(*) FROM Metadataset) + 11 * (SELECT COUNT(*) FROM Blockset)
            + 13 * (SELECT COUNT(*) FROM BlocksetEntry)
            + 17 * (SELECT COUNT(*) FROM BlocklistHash) + 19 * (SELECT IFNULL(SUM(ID), 0) FROM Block)
            + 23 * (SELECT COUNT(*) FROM DeletedBlock) + 29 * (SELECT IFNULL(SUM(VolumeID), 0) FROM DeletedBlock)
            + 31 * (SELECT COUNT(*) FROM Remotevolume WHERE State = 'Deleting')
        """;

    /// <summary>Rows of the tables that grow with the blocks; see <see cref="SyntheticBackup.ExpectedRows"/>.</summary>
    internal static long Count(string path) => Read(path, Rows);

    /// <summary>What is left after a deletion.</summary>
    internal static long LeftIn(string path) => Read(path, Left);

    /// <summary>Blocks and entries of a file that nothing has open.</summary>
    internal static long Of(string path) => unchecked((Read(path, Blocks) * 31) + Read(path, Entries));

    private static long Read(string path, string sql)
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        using var statements = new StatementCache(connection);
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }
}
