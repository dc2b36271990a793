// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Threading.Channels;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Backup;

/// <summary>
/// One block volume that is being filled: new blocks go into a bounded queue, one task compresses them. The recorder closes it
/// when it is estimated to be full; what the queue holds counts by the compression seen so far.
/// </summary>
internal sealed class VolumeBuilder : IDisposable
{
    private const int QueuedBatches = 8;

    private readonly Channel<Addition> m_queue = Channel.CreateBounded<Addition>(
        new BoundedChannelOptions(QueuedBatches) { SingleReader = true, SingleWriter = true }
    );
    private readonly VolumeFormat m_format;
    private readonly DigestList m_digests;
    private readonly List<int> m_sizes = [];
    private readonly string m_path;
    private long m_queuedBytes;
    private long m_addedBytes;
    private long m_volumeLength;

    internal VolumeBuilder(VolumeName name, long volumeId, VolumeFormat format, string path)
    {
        Name = name;
        VolumeId = volumeId;
        m_format = format;
        m_path = path;
        m_digests = new DigestList(format.BlockHash.DigestSize);
        var writer = new BlockVolumeWriter(
            name,
            new FileStream(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, 64 * 1024),
            format
        );
        Written = Task.Run(() => WriteAsync(writer));
    }

    internal readonly record struct Addition(BlockBatch Batch, IReadOnlyList<int> Blocks);

    internal VolumeName Name { get; }

    /// <summary>Id of the volume in the database.</summary>
    internal long VolumeId { get; }

    /// <summary>The unencrypted volume on disk, complete once <see cref="Written"/> is.</summary>
    internal string Path => m_path;

    /// <summary>The blocks recorded for this volume, in order, for its index volume: 36 bytes each in memory.</summary>
    internal IEnumerable<KeyValuePair<string, long>> Blocks =>
        m_digests.AsText().Zip(m_sizes, (hash, size) => new KeyValuePair<string, long>(hash, size));

    /// <summary>The blocklists first made while this volume was filled, for its index volume.</summary>
    internal List<KeyValuePair<string, byte[]>> Blocklists { get; } = [];

    /// <summary>True if no block was booked.</summary>
    internal bool IsEmpty => m_sizes.Count == 0;

    /// <summary>Ends when the queue is closed and everything is in the file.</summary>
    internal Task Written { get; }

    /// <summary>True when another block might take the volume beyond its size.</summary>
    internal bool IsFull
    {
        get
        {
            var added = Volatile.Read(ref m_addedBytes);
            var length = Volatile.Read(ref m_volumeLength);
            var ratio = added == 0 ? 1 : (double)length / added;
            return length + ((m_queuedBytes - added) * ratio) > m_format.VolumeSize - m_format.Blocksize;
        }
    }

    /// <summary>Books a block for this volume; its data follows with the batch's <see cref="AddAsync"/>.</summary>
    internal void Book(ReadOnlySpan<byte> digest, int length)
    {
        m_digests.Add(digest);
        m_sizes.Add(length);
        m_queuedBytes += length;
    }

    /// <summary>Queues the data of booked blocks. Waits while the queue is full.</summary>
    internal async ValueTask AddAsync(BlockBatch batch, IReadOnlyList<int> blocks, CancellationToken token)
    {
        if (blocks.Count == 0)
            return;

        batch.Retain();
        try
        {
            await m_queue.Writer.WriteAsync(new Addition(batch, blocks), token).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            // What the compressor failed with, such as a full disk, and not that it has.
            await Written.ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>No more blocks follow.</summary>
    internal void Close() => m_queue.Writer.TryComplete();

    /// <summary>Forgets the blocks; to be called once the volume is finished or given up.</summary>
    public void Dispose() => m_digests.Dispose();

    // The writer is known to this task alone, so that the directory of the volume is gone with it.
    private async Task WriteAsync(BlockVolumeWriter writer)
    {
        try
        {
            using (writer)
            {
                await foreach (var addition in m_queue.Reader.ReadAllAsync().ConfigureAwait(false))
                    Write(writer, addition);
            }
        }
        catch (Exception ex)
        {
            // The recorder must not wait for room in a queue that nobody empties.
            m_queue.Writer.TryComplete(ex);
            throw;
        }
    }

    private void Write(BlockVolumeWriter writer, Addition addition)
    {
        try
        {
            foreach (var index in addition.Blocks)
            {
                var data = addition.Batch.Data(index).Span;
                writer.AddBlock(addition.Batch.Digest(index), data, !addition.Batch.IsBlocklist(index) && Compressibility.IsLikely(data));
                Volatile.Write(ref m_addedBytes, m_addedBytes + data.Length);
                Volatile.Write(ref m_volumeLength, writer.Length);
            }
        }
        finally
        {
            addition.Batch.Release();
        }
    }
}
