// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>A block as an index file or a data volume lists it.</summary>
internal sealed record PlanBlock(string Hash, long Size);

/// <summary>A blocklist: its hash and the hashes in it.</summary>
internal sealed record PlanList(string Hash, IReadOnlyList<string> Entries);

/// <summary>Content of a file or of metadata.</summary>
internal sealed record PlanContent(
    string FullHash,
    long Length,
    IReadOnlyList<PlanBlock> Blocks,
    IReadOnlyList<PlanList> Lists,
    IReadOnlyList<long> ListSizes
);

/// <summary>An entry of a filelist; folders have no content.</summary>
internal sealed record PlanEntry(string Path, PlanContent? Content, PlanContent Metadata);

/// <summary>A data volume: what is in it, and what its index file says is in it (null: there is no index file).</summary>
internal sealed record PlanVolume(long Id, string Name, string State, List<PlanBlock> Blocks, List<PlanList> Lists)
{
    internal List<PlanBlock>? IndexBlocks { get; set; }

    internal List<PlanList> IndexLists { get; set; } = [];
}

/// <summary>A small backup made of random numbers, with pieces missing, doubled and wrong.</summary>
internal sealed class RebuildData
{
    private readonly Random m_random;
    private readonly Func<byte[], byte[]> m_blockHash;
    private readonly Func<byte[], byte[]> m_fileHash;
    private readonly List<PlanContent> m_contents = [];
    private int m_next;

    internal RebuildData(int seed)
    {
        m_random = new Random(seed);
        (m_blockHash, HashBytes) = Algorithm(m_random.Next(5));
        m_fileHash = m_random.Next(3) == 0 ? Algorithm(m_random.Next(5)).Hash : m_blockHash;
        EntriesInList = m_random.Next(1, 5);
        BlockBytes = (EntriesInList * HashBytes) + m_random.Next(0, (int)HashBytes);
        MakeVolumes();
        for (var i = 0; i < 3; i++)
            Filelists.Add(MakeFilelist());
        FillVolumes();
        MakeIndexFiles();
    }

    internal long HashBytes { get; }

    internal long BlockBytes { get; }

    internal int EntriesInList { get; }

    internal List<List<PlanEntry>> Filelists { get; } = [];

    internal List<PlanVolume> Volumes { get; } = [];

    internal Random Random => m_random;

    private static (Func<byte[], byte[]> Hash, long Bytes) Algorithm(int number) =>
        number switch
        {
            0 => (MD5.HashData, 16),
            1 => (SHA1.HashData, 20),
            2 => (SHA384.HashData, 48),
            3 => (SHA512.HashData, 64),
            _ => (SHA256.HashData, 32),
        };

    private static string Text(byte[] digest) => Convert.ToBase64String(digest);

    private bool Chance(int percent) => m_random.Next(100) < percent;

    private void MakeVolumes()
    {
        var count = m_random.Next(2, 6);
        for (var i = 0; i < count; i++)
            Volumes.Add(
                new PlanVolume(
                    100 + i,
                    $"dup-b{i}.dblock.zip",
                    Chance(15) ? "Temporary"
                        : Chance(50) ? "Verified"
                        : "Uploaded",
                    [],
                    []
                )
            );
    }

    private List<PlanEntry> MakeFilelist()
    {
        var entries = new List<PlanEntry>();
        var earlier = Filelists.SelectMany(x => x).ToList();
        var count = m_random.Next(1, 15);
        for (var i = 0; i < count; i++)
            entries.Add(
                earlier.Count > 0 && Chance(30)
                    ? earlier[m_random.Next(earlier.Count)]
                    : new PlanEntry($"file{m_random.Next(20)}", Chance(20) ? null : PickContent(), PickContent())
            );
        return entries;
    }

    private PlanContent PickContent()
    {
        if (m_contents.Count > 0 && Chance(40))
            return m_contents[m_random.Next(m_contents.Count)];

        var content = MakeContent(m_random.Next(0, 4 * EntriesInList));
        m_contents.Add(content);
        return content;
    }

    private PlanContent MakeContent(int blocks)
    {
        var list = new List<PlanBlock>();
        var length = 0L;
        for (var i = 0; i < blocks; i++)
        {
            var size = i < blocks - 1 ? BlockBytes : m_random.NextInt64(1, BlockBytes + 1);
            // Some blocks occur in several files.
            var number = Chance(20) ? m_random.Next(5) : 1000 + m_next++;
            list.Add(new PlanBlock(Text(m_blockHash(BitConverter.GetBytes(number))), size));
            length += size;
        }

        var full = blocks == 1 && m_fileHash == m_blockHash ? list[0].Hash : Text(m_fileHash(BitConverter.GetBytes(-1 - m_next++)));
        var (lists, sizes) = blocks < 2 ? ([], []) : MakeLists(list);
        return new PlanContent(full, length, list, lists, sizes);
    }

    private (List<PlanList> Lists, List<long> Sizes) MakeLists(List<PlanBlock> blocks)
    {
        var lists = new List<PlanList>();
        var sizes = new List<long>();
        foreach (var part in blocks.Chunk(EntriesInList))
        {
            var bytes = part.SelectMany(x => Convert.FromBase64String(x.Hash)).ToArray();
            lists.Add(new PlanList(Text(m_blockHash(bytes)), [.. part.Select(x => x.Hash)]));
            sizes.Add(bytes.Length);
        }

        return (lists, sizes);
    }

    private PlanVolume PickVolume() => Volumes[m_random.Next(Volumes.Count)];

    private void FillVolumes()
    {
        foreach (var content in m_contents)
        {
            foreach (var block in content.Blocks)
                Place(block);
            for (var i = 0; i < content.Lists.Count; i++)
                PlaceList(content.Lists[i], content.ListSizes[i]);
        }

        for (var i = m_random.Next(4); i > 0; i--)
            PickVolume().Blocks.Add(new PlanBlock(Text(m_blockHash(BitConverter.GetBytes(5000 + i))), m_random.NextInt64(1, BlockBytes)));
    }

    private void Place(PlanBlock block)
    {
        if (Chance(3))
            return;

        PickVolume().Blocks.Add(block);
        if (Chance(20))
            PickVolume().Blocks.Add(block);
    }

    private void PlaceList(PlanList list, long size)
    {
        var volume = PickVolume();
        volume.Blocks.Add(new PlanBlock(list.Hash, size));
        volume.Lists.Add(list);
    }

    private void MakeIndexFiles()
    {
        foreach (var volume in Volumes)
        {
            if (Chance(15))
                continue;

            volume.IndexBlocks = [.. volume.Blocks.Where(_ => !Chance(5)).Select(x => Chance(3) ? x with { Size = x.Size + 1 } : x)];
            volume.IndexLists = [.. volume.Lists.Where(_ => !Chance(10)).Select(x => Chance(4) ? Truncated(x) : x)];
        }
    }

    private static PlanList Truncated(PlanList list) => new(list.Hash, [.. list.Entries.Skip(1)]);
}
