// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Threading.Channels;
using Duplicati.Engine.Configuration;

namespace Duplicati.Engine.Backup;

/// <summary>Cuts a stream into blocks, hashes blocks and whole, makes its blocklists, and sends everything on in batches.</summary>
/// <remarks>One instance a reading task; the batches of one stream arrive in order. Format: contract B, 8.8.</remarks>
internal sealed class StreamSplitter(BackupSettings settings, ChannelWriter<BlockBatch> output) : IDisposable
{
    private readonly IncrementalHash m_whole = settings.Format.FileHash.Start();
    private readonly byte[] m_blocklist = new byte[settings.Format.HashesPerBlocklist * settings.DigestSize];
    private int m_inBlocklist;

    /// <summary>
    /// Reads the stream to its end. On failure the stream is failed and its last batch still sent, so that the receiver lets go of it.
    /// </summary>
    /// <param name="source">What is read.</param>
    /// <param name="stream">The receiver's, which disposes of it, from its last batch on.</param>
    /// <param name="token">Stops it.</param>
    internal async Task SplitAsync(Stream source, PendingStream stream, CancellationToken token)
    {
        var batch = new BlockBatch(stream, settings.BlockSize, settings.DigestSize);
        try
        {
            m_inBlocklist = 0;
            while (true)
            {
                if (!batch.HasRoomFor(settings.BlockSize))
                    batch = await SendAsync(batch, token).ConfigureAwait(false);

                var buffer = batch.Reserve(settings.BlockSize);
                var read = await source
                    .ReadAtLeastAsync(buffer, settings.BlockSize, throwOnEndOfStream: false, token)
                    .ConfigureAwait(false);
                if (read == 0)
                    break;

                AddBlock(batch, buffer.Span[..read]);
                if (m_inBlocklist == m_blocklist.Length)
                    batch = await AddBlocklistAsync(batch, token).ConfigureAwait(false);
            }

            // A stream of one block has no blocklist.
            if (stream.Blocks.Count > 1 && m_inBlocklist > 0)
                batch = await AddBlocklistAsync(batch, token).ConfigureAwait(false);
            stream.FullHash = Convert.ToBase64String(m_whole.GetHashAndReset());
        }
        catch (Exception ex)
        {
            _ = m_whole.GetHashAndReset();
            stream.Fail(ex);
        }

        batch.IsLast = true;
        try
        {
            await output.WriteAsync(batch, token).ConfigureAwait(false);
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    public void Dispose() => m_whole.Dispose();

    private void AddBlock(BlockBatch batch, ReadOnlySpan<byte> data)
    {
        Span<byte> digest = stackalloc byte[settings.DigestSize];
        settings.Format.BlockHash.Hash(data, digest);
        m_whole.AppendData(data);
        batch.Stream.Blocks.Add(digest);
        batch.Stream.Length += data.Length;
        digest.CopyTo(m_blocklist.AsSpan(m_inBlocklist));
        m_inBlocklist += digest.Length;
        batch.Commit(data.Length, digest, isBlocklist: false);
    }

    // The first blocklist is held back until a second block shows that one is needed.
    private async ValueTask<BlockBatch> AddBlocklistAsync(BlockBatch batch, CancellationToken token)
    {
        if (batch.Stream.Blocks.Count < 2)
            return batch;

        if (!batch.HasRoomFor(m_inBlocklist))
            batch = await SendAsync(batch, token).ConfigureAwait(false);
        CommitBlocklist(batch);
        return batch;
    }

    private void CommitBlocklist(BlockBatch batch)
    {
        var data = m_blocklist.AsSpan(0, m_inBlocklist);
        Span<byte> digest = stackalloc byte[settings.DigestSize];
        settings.Format.BlockHash.Hash(data, digest);
        data.CopyTo(batch.Reserve(data.Length).Span);
        batch.Commit(data.Length, digest, isBlocklist: true);
        batch.Stream.Blocklists.Add(digest);
        m_inBlocklist = 0;
    }

    private async ValueTask<BlockBatch> SendAsync(BlockBatch batch, CancellationToken token)
    {
        await output.WriteAsync(batch, token).ConfigureAwait(false);
        return new BlockBatch(batch.Stream, settings.BlockSize, settings.DigestSize);
    }
}
