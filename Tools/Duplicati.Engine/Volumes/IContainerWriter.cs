// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>Writes the container of a volume, entry by entry. It is complete once this is disposed, which closes its target.</summary>
internal interface IContainerWriter : IDisposable
{
    /// <summary>The bytes that the entries so far take, without what ends the container.</summary>
    long Length { get; }

    /// <summary>Writes an entry.</summary>
    /// <param name="name">Its full name, ASCII.</param>
    /// <param name="content">Its content.</param>
    /// <param name="compressible">False to store it as it is, where the format can.</param>
    void Write(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, bool compressible);

    /// <summary>Starts an entry of unknown length. It must be closed before the next one starts.</summary>
    /// <param name="name">Its full name.</param>
    Stream CreateEntry(string name);
}

/// <summary>Starts the container of a volume. Its first entry is the manifest.</summary>
internal static class ContainerWriter
{
    /// <summary>Starts a volume.</summary>
    /// <param name="target">Takes the volume, seekable; closed with the container.</param>
    /// <param name="format">What the volume is made with.</param>
    internal static IContainerWriter Start(Stream target, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(format);
        try
        {
            IContainerWriter container =
                format.Compression.Module == VolumeName.ZIP
                    ? new ZipWriter(target, format.Compression)
                    : new TarVolumeWriter(target, format.Compression);
            container.Write("manifest"u8, VolumeManifest.Now(format.Blocksize, format.BlockHash, format.FileHash).ToBytes(), true);
            return container;
        }
        catch
        {
            target.Dispose();
            throw;
        }
    }
}
