// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>Writes a block volume (dblock).</summary>
/// <remarks>
/// Not safe for concurrent use; several volumes can be filled at the same time. The volume is complete once this is disposed.
/// The caller sees to it that no block is added twice.
/// </remarks>
public sealed class BlockVolumeWriter : IDisposable
{
    /// <summary>
    /// What the size rule books for the directory, bytes: one entry. The real directory grows with the blocks, so a full volume ends
    /// up a little larger, as Duplicati's do; volumes made by it show a constant between 68 and 124.
    /// </summary>
    internal const int DIRECTORY_ESTIMATE = 90;

    private readonly IContainerWriter m_archive;
    private readonly VolumeFormat m_format;

    /// <summary>Starts a volume.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="target">Takes the volume, seekable; closed with this.</param>
    /// <param name="format">What the backup is made with.</param>
    /// <exception cref="ArgumentException">The name is not that of a block volume.</exception>
    public BlockVolumeWriter(VolumeName name, Stream target, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Type != RemoteVolumeType.Blocks)
            throw new ArgumentException($"{name} is not the name of a block volume.", nameof(name));
        Name = name;
        m_format = format;
        ArgumentNullException.ThrowIfNull(format);
        m_archive = ContainerWriter.Start(target, format.For(name));
    }

    /// <summary>The name of the volume.</summary>
    public VolumeName Name { get; }

    /// <summary>The size of the volume by the reckoning of the size rule, bytes.</summary>
    public long Length => m_archive.Length + DIRECTORY_ESTIMATE;

    /// <summary>Whether the volume is to be closed: another block might take it beyond the volume size.</summary>
    public bool IsFull => Length > m_format.VolumeSize - m_format.Blocksize;

    /// <summary>Adds a block.</summary>
    /// <param name="hash">Its hash in Base64.</param>
    /// <param name="data">Its content, at most one block size.</param>
    /// <param name="compressible">False for blocklists and content known not to shrink: stored as it is.</param>
    public void AddBlock(string hash, ReadOnlySpan<byte> data, bool compressible) =>
        AddEntry(System.Text.Encoding.ASCII.GetBytes(HashEncoding.ToEntryName(hash)), data, compressible);

    /// <summary>Adds a block.</summary>
    /// <param name="digest">Its raw digest.</param>
    /// <param name="data">Its content, at most one block size.</param>
    /// <param name="compressible">False for blocklists and content known not to shrink: stored as it is.</param>
    public void AddBlock(ReadOnlySpan<byte> digest, ReadOnlySpan<byte> data, bool compressible)
    {
        Span<byte> name = stackalloc byte[HashEncoding.Base64Length(VolumeHash.MAX_DIGEST_SIZE)];
        AddEntry(name[..HashEncoding.WriteEntryName(digest, name)], data, compressible);
    }

    /// <summary>Ends the volume and closes the target. Can be called more than once.</summary>
    public void Dispose() => m_archive.Dispose();

    private void AddEntry(ReadOnlySpan<byte> name, ReadOnlySpan<byte> data, bool compressible)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(data.Length, m_format.Blocksize, nameof(data));
        m_archive.Write(name, data, compressible);
    }
}
