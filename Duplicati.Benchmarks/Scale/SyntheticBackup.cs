// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Duplicati.Benchmarks.Scale;

/// <summary>
/// What the filelist and the index files of a backup would say: distinct blocks of 1 KB with made-up SHA-256 digests, files of equal
/// length, volumes of 950 blocks, blocklists of 32 digests. Nothing is stored; every piece is computed when it is asked for.
/// </summary>
internal sealed class SyntheticBackup(long blocks, long blocksPerFile)
{
    internal const int BlockBytes = 1024;
    internal const int HashBytes = 32;
    internal const int EntriesInList = BlockBytes / HashBytes;
    internal const int BlocksPerVolume = 950;
    internal const int MetadataBytes = 137;
    private const ulong FileDigests = 1UL << 60;
    private const ulong MetadataDigests = 2UL << 60;

    internal long Blocks { get; } = blocks;

    internal long BlocksPerFile { get; } = blocksPerFile;

    internal long Files => (Blocks + BlocksPerFile - 1) / BlocksPerFile;

    internal long Volumes => (Blocks + BlocksPerVolume - 1) / BlocksPerVolume;

    /// <summary>What <see cref="BlockContent.Count"/> must give: blocks, blocksets, blocklists, entries and files.</summary>
    internal long ExpectedRows
    {
        get
        {
            var lists = Enumerable.Range(0, (int)Files).Sum(x => ListsOf(x));
            return (Blocks + Files + lists) + (2 * Files) + lists + (Blocks + Files) + Files;
        }
    }

    internal long BlocksOf(long file) => Math.Min(BlocksPerFile, Blocks - (file * BlocksPerFile));

    internal long ListsOf(long file) => BlocksOf(file) > 1 ? (BlocksOf(file) + EntriesInList - 1) / EntriesInList : 0;

    internal static string FileHash(long file) => Text((ulong)file | FileDigests);

    internal static string MetadataHash(long file) => Text((ulong)file | MetadataDigests);

    /// <summary>Name of a file within the one folder.</summary>
    internal static string Name(long file) => FormattableString.Invariant($"file{file}");

    /// <summary>A file as the filelist has it.</summary>
    internal SyntheticFile File(long file)
    {
        var lists = new string[ListsOf(file)];
        for (var i = 0; i < lists.Length; i++)
            lists[i] = List(file, i).Hash;
        return new SyntheticFile(Name(file), FileHash(file), BlocksOf(file) * BlockBytes, lists, MetadataHash(file));
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
                index.AddList(List(file, inFile / EntriesInList));
            if (isEnd)
                index.AddBlock(MetadataHash(file), MetadataBytes);
        }

        return index;
    }

    internal static void WriteDigest(ulong number, Span<byte> digest)
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

    internal static string Text(ulong number)
    {
        Span<byte> digest = stackalloc byte[HashBytes];
        WriteDigest(number, digest);
        return Convert.ToBase64String(digest);
    }

    private SyntheticList List(long file, long position)
    {
        var first = position * EntriesInList;
        var count = (int)Math.Min(EntriesInList, BlocksOf(file) - first);
        var content = new byte[count * HashBytes];
        var entries = new string[count];
        for (var i = 0; i < count; i++)
        {
            var digest = content.AsSpan(i * HashBytes, HashBytes);
            WriteDigest((ulong)((file * BlocksPerFile) + first + i), digest);
            entries[i] = Convert.ToBase64String(digest);
        }

        var hash = SHA256.HashData(content);
        return new SyntheticList(hash, content, Convert.ToBase64String(hash), entries);
    }
}

/// <summary>A file of the version.</summary>
internal sealed record SyntheticFile(string Name, string Hash, long Length, string[] Lists, string MetadataHash);

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
