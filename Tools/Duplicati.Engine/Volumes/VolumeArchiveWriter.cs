// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>The container of a volume, for writing. Its first entry is the manifest.</summary>
/// <remarks>Not safe for concurrent use; different volumes can be written at the same time.</remarks>
internal sealed class VolumeArchiveWriter : IDisposable
{
    private readonly IContainerWriter m_container;

    /// <summary>Starts a volume.</summary>
    /// <param name="target">Takes the volume, seekable; closed with this.</param>
    /// <param name="format">What the volume is made with.</param>
    public VolumeArchiveWriter(Stream target, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(format);
        try
        {
            m_container =
                format.Compression.Module == VolumeName.ZIP
                    ? new ZipWriter(target, format.Compression)
                    : new TarVolumeWriter(target, format.Compression);
            m_container.Write(ManifestName, VolumeManifest.Now(format.Blocksize, format.BlockHash, format.FileHash).ToBytes(), true);
        }
        catch
        {
            target.Dispose();
            throw;
        }
    }

    /// <summary>The bytes that the entries so far take.</summary>
    public long Length => m_container.Length;

    private static ReadOnlySpan<byte> ManifestName => "manifest"u8;

    /// <summary>Starts an entry of unknown length. It must be closed before the next one starts.</summary>
    /// <param name="name">Its full name.</param>
    public Stream CreateEntry(string name) => m_container.CreateEntry(name);

    /// <summary>Writes a whole entry.</summary>
    /// <param name="name">Its full name, ASCII.</param>
    /// <param name="content">Its content.</param>
    /// <param name="compressible">False to store it as it is.</param>
    public void WriteEntry(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, bool compressible) =>
        m_container.Write(name, content, compressible);

    /// <summary>Ends the volume and closes the target. Can be called more than once.</summary>
    public void Dispose() => m_container.Dispose();
}
