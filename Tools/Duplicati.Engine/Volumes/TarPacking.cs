// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The packing of a tar container as a whole. It has no directory and no place to start in the middle, so it is unpacked once, into memory
/// or a temporary file, and read from there.
/// </summary>
internal static class TarPacking
{
    private const int DefaultZstandardLevel = 10;
    private const int DefaultGzipLevel = 2;

    // Empty pages of disk images are packed a thousand times smaller and more; what is unpacked takes room on the disk.
    private const long MostUnpacked = 4L << 30;
    private const long MostRatioBeyond = 32;

    /// <summary>Bytes from which a new volume is full, whatever they are packed to, so that it can be read again.</summary>
    internal const long MostWritten = 3L << 30;

    /// <summary>A stream that packs into another, which stays open.</summary>
    internal static Stream Pack(VolumeCompression compression, Stream target) =>
        compression.Module == VolumeName.TZSTD
            ? ZipCodec.PackZstandard(target, compression.TzstdLevel ?? DefaultZstandardLevel)
            : new GZipStream(target, GzipLevel(compression.TgzLevel ?? DefaultGzipLevel), leaveOpen: true);

    /// <summary>Unpacks a container.</summary>
    /// <param name="packed">The decrypted volume, at its start; closed with this.</param>
    /// <param name="name">Its name, which tells the packing.</param>
    /// <param name="isDamaged">Whether an error is the end, and what was before counts.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="CorruptVolumeException">It is damaged, or unpacks to more than a volume has.</exception>
    internal static Task<Stream> UnpackAsync(Stream packed, VolumeName name, bool isDamaged, CancellationToken token) =>
        UnpackAsync(packed, name, isDamaged, MostUnpacked + (packed.Length * MostRatioBeyond), token);

    /// <summary>As above, with the most bytes that it may unpack to.</summary>
    internal static async Task<Stream> UnpackAsync(Stream packed, VolumeName name, bool isDamaged, long most, CancellationToken token)
    {
        await using var packedScope = packed.ConfigureAwait(false);
        var target = new VolumeSpool();
        try
        {
            await UnpackAsync(packed, target, name.Compression, most, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (VolumeArchive.IsDamage(ex))
        {
            if (!isDamaged)
            {
                await target.DisposeAsync().ConfigureAwait(false);
                throw new CorruptVolumeException(name.FileName, "The file cannot be unpacked.", ex);
            }
        }
        catch
        {
            await target.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        return target.Detach();
    }

    private static async Task UnpackAsync(Stream packed, VolumeSpool target, string module, long most, CancellationToken token)
    {
        var content =
            module == VolumeName.TZSTD
                ? ZipCodec.UnpackZstandard(packed)
                : new GZipStream(packed, CompressionMode.Decompress, leaveOpen: true);
        await using var contentScope = content.ConfigureAwait(false);
        var buffer = new byte[VolumeOpener.BufferSize];
        int read;
        while ((read = await content.ReadAsync(buffer, token).ConfigureAwait(false)) > 0)
        {
            if (target.Length + read > most)
                throw new InvalidDataException($"It unpacks to more than {most} bytes.");
            target.Write(buffer.AsSpan(0, read));
        }

        // The framework takes the end of the file for the end of the content; behind that is its length.
        if (module == VolumeName.TGZ)
        {
            packed.Position = Math.Max(0, packed.Length - sizeof(uint));
            await packed.ReadExactlyAsync(buffer.AsMemory(0, sizeof(uint)), token).ConfigureAwait(false);
            if (BinaryPrimitives.ReadUInt32LittleEndian(buffer) != (uint)target.Length)
                throw new InvalidDataException("It ends before its content.");
        }
    }

    private static CompressionLevel GzipLevel(int level) =>
        level switch
        {
            0 => CompressionLevel.NoCompression,
            1 => CompressionLevel.Fastest,
            2 => CompressionLevel.Optimal,
            _ => CompressionLevel.SmallestSize,
        };
}
