// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using SharpCompress.Compressors.BZip2;
using SharpCompress.Compressors.Deflate64;
using SharpCompress.Compressors.LZMA;
using SharpCompress.Compressors.PPMd;
using ZstdSharp.Unsafe;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The methods by which entries of zip containers are packed: deflate of the framework, Zstandard of ZstdSharp, the others of
/// SharpCompress.
/// Format: PKWARE APPNOTE 6.3.10, 4.4.5, 5.8 and 5.10.
/// </summary>
internal static class ZipCodec
{
    private const int DefaultDeflateLevel = 6;
    private const int DefaultZstandardLevel = 3;
    private const int LzmaHeaderBytes = 4;
    private const int LzmaPropertiesBytes = 5;
    private const int PpmdOrder = 6;
    private const int LeastMemory = 1024 * 1024;

    /// <summary>Bytes; more are refused. What a header asks for is allocated before anything is known to be right.</summary>
    internal const int MostMemory = 64 * 1024 * 1024;

    /// <summary>The methods that volumes can be written with.</summary>
    internal static IReadOnlyList<ZipMethod> Writable { get; } =
    [ZipMethod.None, ZipMethod.Deflate, ZipMethod.ZStandard, ZipMethod.BZip2, ZipMethod.LZMA, ZipMethod.PPMd];

    /// <summary>A stream that packs into another, which stays open.</summary>
    /// <param name="compression">Method and level, which do not store.</param>
    /// <param name="target">Takes what is packed.</param>
    /// <param name="length">Bytes of the content; null if that is not known.</param>
    internal static Stream Pack(VolumeCompression compression, Stream target, int? length = null) =>
        compression.Method switch
        {
            ZipMethod.ZStandard => PackZstandard(target, compression.ZipLevel ?? DefaultZstandardLevel, length),
            ZipMethod.BZip2 => BZip2Stream.Create(
                target,
                SharpCompress.Compressors.CompressionMode.Compress,
                decompressConcatenated: false,
                leaveOpen: true
            ),
            ZipMethod.LZMA => PackLzma(target, length),
            ZipMethod.PPMd => PackPpmd(target, length),
            _ => new DeflateStream(
                target,
                new ZLibCompressionOptions { CompressionLevel = compression.ZipLevel ?? DefaultDeflateLevel },
                leaveOpen: true
            ),
        };

    /// <summary>The content of an entry.</summary>
    /// <param name="method">How it is packed.</param>
    /// <param name="packed">The entry; closed with the content.</param>
    /// <param name="length">Bytes of the content; some methods have no end mark.</param>
    /// <exception cref="InvalidDataException">It wants more memory than it can need.</exception>
    /// <exception cref="NotSupportedException">The method is not known.</exception>
    internal static Stream Unpack(ZipMethod method, Stream packed, long length) =>
        method switch
        {
            ZipMethod.None => packed,
            ZipMethod.Deflate => new DeflateStream(packed, CompressionMode.Decompress),
            ZipMethod.Deflate64 => new Deflate64Stream(packed, SharpCompress.Compressors.CompressionMode.Decompress),
            ZipMethod.BZip2 => BZip2Stream.Create(
                packed,
                SharpCompress.Compressors.CompressionMode.Decompress,
                decompressConcatenated: false
            ),
            ZipMethod.LZMA => UnpackLzma(packed, length),
            ZipMethod.ZStandard => UnpackZstandard(packed),
            // It has no end mark.
            ZipMethod.PPMd => new EntryWindow(UnpackPpmd(packed), 0, length),
            _ => throw new NotSupportedException($"The zip method {(int)method} is not known."),
        };

    /// <summary>Packs by Zstandard with a checksum.</summary>
    internal static Stream PackZstandard(Stream target, int level, int? length = null)
    {
        var stream = new ZstdSharp.CompressionStream(target, level, leaveOpen: true);
        stream.SetParameter(ZSTD_cParameter.ZSTD_c_checksumFlag, 1);
        if (length is { } known)
            stream.SetPledgedSrcSize((ulong)known);
        return stream;
    }

    /// <summary>Unpacks Zstandard. The packed stream is closed with the content.</summary>
    internal static Stream UnpackZstandard(Stream packed) => new ZstdSharp.DecompressionStream(packed, leaveOpen: false);

    private static LzmaStream PackLzma(Stream target, int? length)
    {
        var properties = new LzmaEncoderProperties(eos: false, Math.Clamp(length ?? LeastMemory, 4096, LeastMemory));
        var stream = LzmaStream.Create(properties, isLzma2: false, target);
        target.Write([9, 20, LzmaPropertiesBytes, 0]);
        target.Write(stream.Properties);
        return stream;
    }

    // A dictionary larger than the content is of no use.
    private static LzmaStream UnpackLzma(Stream packed, long length)
    {
        Span<byte> header = stackalloc byte[LzmaHeaderBytes + LzmaPropertiesBytes];
        packed.ReadExactly(header);
        var properties = header[LzmaHeaderBytes..].ToArray();
        if (BinaryPrimitives.ReadUInt16LittleEndian(header[2..]) != LzmaPropertiesBytes)
            throw new InvalidDataException("The header of LZMA is damaged.");
        var dictionary = Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(properties.AsSpan(1)), Math.Max(length, 4096));
        if (dictionary > MostMemory)
            throw new InvalidDataException($"It wants a dictionary of {dictionary} bytes.");
        BinaryPrimitives.WriteUInt32LittleEndian(properties.AsSpan(1), (uint)dictionary);
        return LzmaStream.Create(properties, packed, -1, length);
    }

    private static PpmdStream PackPpmd(Stream target, int? length)
    {
        var properties = new PpmdProperties((int)Math.Clamp((length ?? LeastMemory) * 16L, LeastMemory, 16 * LeastMemory), PpmdOrder);
        target.Write(properties.Properties);
        return PpmdStream.Create(properties, target, compress: true);
    }

    private static PpmdStream UnpackPpmd(Stream packed)
    {
        Span<byte> header = stackalloc byte[sizeof(ushort)];
        packed.ReadExactly(header);
        // Megabytes less one, between the order and how the model is restored.
        var memory = (((BinaryPrimitives.ReadUInt16LittleEndian(header) >> 4) & 0xFF) + 1) * LeastMemory;
        return memory <= MostMemory
            ? PpmdStream.Create(new PpmdProperties(header), packed, compress: false)
            : throw new InvalidDataException($"It wants a model of {memory} bytes.");
    }
}
