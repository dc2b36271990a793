// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;

namespace Duplicati.Engine.Volumes;

/// <summary>The zip container of a volume, for writing. Its first entry is the manifest.</summary>
/// <remarks>Not safe for concurrent use; different volumes can be written at the same time.</remarks>
internal sealed class VolumeArchiveWriter : IDisposable
{
    private readonly Stream m_target;
    private readonly ZipArchive m_zip;
    private readonly VolumeFormat m_format;
    private bool m_disposed;

    /// <summary>Starts a volume.</summary>
    /// <param name="target">Takes the volume, seekable; closed with this.</param>
    /// <param name="format">What the volume is made with.</param>
    public VolumeArchiveWriter(Stream target, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(format);
        m_target = target;
        m_format = format;
        m_zip = new ZipArchive(target, ZipArchiveMode.Create, leaveOpen: true);
        try
        {
            WriteEntry(
                VolumeManifest.ENTRY_NAME,
                VolumeManifest.Now(format.Blocksize, format.BlockHash, format.FileHash).ToBytes(),
                compressible: true
            );
        }
        catch
        {
            target.Dispose();
            throw;
        }
    }

    /// <summary>Starts an entry. It must be closed before the next one starts.</summary>
    /// <param name="name">Its full name.</param>
    /// <param name="compressible">False to store it as it is.</param>
    public Stream CreateEntry(string name, bool compressible) =>
        m_zip.CreateEntry(name, compressible ? m_format.CompressionLevel : CompressionLevel.NoCompression).Open();

    /// <summary>Writes a whole entry.</summary>
    /// <param name="name">Its full name.</param>
    /// <param name="content">Its content.</param>
    /// <param name="compressible">False to store it as it is.</param>
    public void WriteEntry(string name, ReadOnlySpan<byte> content, bool compressible)
    {
        using var entry = CreateEntry(name, compressible);
        entry.Write(content);
    }

    /// <summary>Writes the directory and closes the target.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;
        m_disposed = true;
        using (m_target)
            m_zip.Dispose();
    }
}
