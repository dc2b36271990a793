// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>Reads a block volume (dblock).</summary>
/// <remarks>
/// Not safe for concurrent use; different volumes can be read at the same time. Memory: the directory, about 300 bytes a block.
/// </remarks>
public sealed class BlockVolumeReader : Library.Main.Volumes.BlockVolumeReader, IDisposable
{
    private readonly VolumeArchive m_archive;

    private BlockVolumeReader(VolumeArchive archive) => m_archive = archive;

    /// <summary>What the volume was made with.</summary>
    public VolumeManifest Manifest => m_archive.Manifest;

    /// <summary>
    /// The Base64 hash and the size in bytes of every block in the volume, by the directory. An entry larger than the block size is an
    /// error.
    /// </summary>
    /// <exception cref="CorruptVolumeException">While enumerating: a size is impossible.</exception>
    public override IEnumerable<KeyValuePair<string, long>> Blocks
    {
        get
        {
            foreach (var entry in m_archive.Entries)
            {
                if (!HashEncoding.IsBlockName(entry.Name))
                    continue;
                CheckSize(entry);
                yield return new(HashEncoding.FromEntryName(entry.Name), entry.Length);
            }
        }
    }

    /// <summary>Opens a volume.</summary>
    /// <param name="stream">The decrypted volume, seekable; closed with the reader, and when this fails.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <exception cref="VolumeException">The volume is damaged or its manifest is invalid.</exception>
    public static BlockVolumeReader Open(Stream stream, string volume) => new(VolumeArchive.Open(stream, volume));

    /// <summary>Reads a block without checking its hash.</summary>
    /// <param name="hash">Its hash in Base64.</param>
    /// <param name="buffer">Takes the content, at least as long as the block.</param>
    /// <returns>The length of the block; -1 if the volume does not hold it.</returns>
    /// <exception cref="CorruptVolumeException">The entry is damaged or larger than the buffer.</exception>
    public int ReadBlock(string hash, Span<byte> buffer) =>
        m_archive.Find(HashEncoding.ToEntryName(hash)) is { } entry ? m_archive.ReadEntry(entry, buffer) : -1;

    /// <summary>Reads a block and requires its content to fit its hash.</summary>
    /// <param name="hash">Its hash in Base64.</param>
    /// <param name="algorithm">The algorithm of blocks.</param>
    /// <param name="buffer">Takes the content, at least as long as the block.</param>
    /// <returns>The length of the block; -1 if the volume does not hold it.</returns>
    /// <exception cref="CorruptVolumeException">The entry is damaged, larger than the buffer, or its content has another hash.</exception>
    public int ReadVerifiedBlock(string hash, VolumeHash algorithm, Span<byte> buffer)
    {
        ArgumentNullException.ThrowIfNull(algorithm);
        var length = ReadBlock(hash, buffer);
        if (length >= 0 && !IsContent(hash, algorithm, buffer[..length]))
            throw new CorruptVolumeException(m_archive.Volume, $"The content of block '{hash}' has another hash.");
        return length;
    }

    /// <inheritdoc/>
    public void Dispose() => m_archive.Dispose();

    /// <summary>Requires the content of every block to fit its hash.</summary>
    /// <param name="algorithm">The algorithm of blocks.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="CorruptVolumeException">The first one that does not.</exception>
    internal void VerifyAll(VolumeHash algorithm, CancellationToken token)
    {
        using var buffer = MemoryPool<byte>.Shared.Rent((int)Manifest.Blocksize);
        foreach (var (hash, size) in Blocks)
        {
            token.ThrowIfCancellationRequested();
            if (ReadVerifiedBlock(hash, algorithm, buffer.Memory.Span) != size)
                throw new CorruptVolumeException(
                    m_archive.Volume,
                    $"The block '{hash}' does not have the {size} bytes that the directory says."
                );
        }
    }

    /// <summary>Whether a hash in Base64 is that of a content.</summary>
    internal static bool IsContent(string hash, VolumeHash algorithm, ReadOnlySpan<byte> content)
    {
        Span<byte> expected = stackalloc byte[VolumeHash.MAX_DIGEST_SIZE];
        Span<byte> found = stackalloc byte[VolumeHash.MAX_DIGEST_SIZE];
        expected = expected[..algorithm.DigestSize];
        found = found[..algorithm.DigestSize];
        if (!HashEncoding.TryDecode(hash, expected))
            return false;
        algorithm.Hash(content, found);
        return found.SequenceEqual(expected);
    }

    private void CheckSize(VolumeEntry entry)
    {
        if (entry.Length < 0 || entry.Length > Manifest.Blocksize)
            throw new CorruptVolumeException(
                m_archive.Volume,
                $"The block '{entry.Name}' declares {entry.Length} bytes, the block size is {Manifest.Blocksize}."
            );
    }
}
