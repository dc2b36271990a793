// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Everything an index volume says, read into memory so that volumes can be parsed in parallel and fed in order: 40 bytes a block and 32 an
/// entry of a blocklist (SHA-256). Blocklists beyond a bound are read from the volume, which stays open, when their turn comes.
/// </summary>
internal sealed class ParsedIndex : IDisposable
{
    private const long MostListBytes = 16L << 20;
    private const long MostListBytesIfSmall = 2L << 20;

    private readonly IndexVolumeReader m_reader;
    private readonly IEnumerator<IndexedBlocklist> m_rest;
    private readonly List<BatchBlocklist> m_blocklists = [];
    private IDisposable? m_source;
    private bool m_hasRest;

    private ParsedIndex(string name, string hash, long length, IndexVolumeReader reader)
    {
        Name = name;
        Hash = hash;
        Length = length;
        DigestSize = reader.DigestSize;
        m_reader = reader;
        Volumes = ReadVolumes();
        m_rest = reader.ReadBlocklists().GetEnumerator();
        ReadBlocklists(ConnectionOptions.Current.IsSmall ? MostListBytesIfSmall : MostListBytes);
    }

    /// <summary>The index volume's file name.</summary>
    internal string Name { get; }

    /// <summary>Its file hash, Base64.</summary>
    internal string Hash { get; }

    /// <summary>Its length in bytes.</summary>
    internal long Length { get; }

    /// <summary>Bytes of a digest of the blocks and blocklists.</summary>
    internal int DigestSize { get; }

    /// <summary>The block volumes it describes.</summary>
    internal IReadOnlyList<Volume> Volumes { get; }

    /// <summary>The blocklists in it whose content fits their name, to be enumerated once; each is valid until the next one.</summary>
    internal IEnumerable<BatchBlocklist> Blocklists
    {
        get
        {
            foreach (var blocklist in m_blocklists)
                yield return blocklist;
            while (m_hasRest && m_rest.MoveNext())
                yield return new BatchBlocklist(Decode(m_rest.Current), m_rest.Current.Digests);
        }
    }

    /// <summary>Number of blocklists whose content did not fit, of those that were enumerated.</summary>
    internal int RejectedBlocklists => m_reader.RejectedBlocklists;

    /// <summary>One block volume and the blocks in it: raw digests one after the other, and as many sizes.</summary>
    internal sealed record Volume(string Name, ReadOnlyMemory<byte> Digests, ReadOnlyMemory<long> Sizes, string? Hash, long Length);

    /// <summary>Reads an index volume.</summary>
    /// <param name="name">Its file name.</param>
    /// <param name="hash">Its file hash, Base64.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="content">The decrypted volume; closed with the result, and when this fails.</param>
    /// <param name="format">What it must be made with.</param>
    /// <param name="source">Disposed of with the result, or now if everything is in memory, and when this fails.</param>
    internal static ParsedIndex Read(string name, string hash, long length, Stream content, VolumeFormat format, IDisposable? source = null)
    {
        IndexVolumeReader? reader = null;
        try
        {
            reader = IndexVolumeReader.Open(content, name);
            reader.Manifest.Require(name, format);
            var index = new ParsedIndex(name, hash, length, reader) { m_source = source };
            if (!index.m_hasRest)
                index.Dispose();
            return index;
        }
        catch
        {
            reader?.Dispose();
            source?.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        m_rest.Dispose();
        m_reader.Dispose();
        m_source?.Dispose();
        m_source = null;
    }

    private List<Volume> ReadVolumes()
    {
        // The same memory for all, as there may be many with few blocks.
        var digests = new byte[1024 * DigestSize];
        var sizes = new long[1024];
        var volumes = new List<Volume>();
        foreach (var volume in m_reader.ReadVolumes())
        {
            using (volume)
            {
                var count = 0;
                for (int read; (read = volume.ReadBlocks(digests.AsSpan(count * DigestSize), sizes.AsSpan(count))) > 0; )
                {
                    count += read;
                    if (count < sizes.Length)
                        continue;
                    Array.Resize(ref digests, digests.Length * 2);
                    Array.Resize(ref sizes, sizes.Length * 2);
                }

                volumes.Add(
                    new Volume(
                        volume.Name.FileName,
                        digests.AsSpan(0, count * DigestSize).ToArray(),
                        sizes.AsSpan(0, count).ToArray(),
                        volume.Hash,
                        volume.Size
                    )
                );
            }
        }

        return volumes;
    }

    private void ReadBlocklists(long mostBytes)
    {
        for (var bytes = 0L; m_rest.MoveNext(); )
        {
            // The reader uses its memory for the next one.
            m_blocklists.Add(new BatchBlocklist(Decode(m_rest.Current), m_rest.Current.Digests.ToArray()));
            bytes += m_rest.Current.Digests.Length;
            m_hasRest = bytes >= mostBytes;
            if (m_hasRest)
                return;
        }
    }

    // A blocklist whose content fits its name has a name that is a digest.
    private byte[] Decode(IndexedBlocklist blocklist)
    {
        var hash = new byte[DigestSize];
        Convert.TryFromBase64String(blocklist.Hash, hash, out _);
        return hash;
    }
}
