// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Volumes;

/// <summary>How new volumes are packed (contract D, 6 c). The defaults are Duplicati's, but for the level of deflate.</summary>
public sealed record VolumeCompression
{
    /// <summary>The module, which is the extension of the volumes: <c>zip</c>, <c>tzstd</c> or <c>tgz</c>.</summary>
    public string Module { get; init; } = VolumeName.ZIP;

    /// <summary>The method of entries in zip containers.</summary>
    public ZipMethod Method { get; init; } = ZipMethod.Deflate;

    /// <summary>
    /// How hard to compress for zip: 0, which stores, to 9; it counts for deflate and Zstandard. Null for 6, or Zstandard's 3.
    /// </summary>
    public int? ZipLevel { get; init; }

    /// <summary>How hard to compress for tzstd: 1 to 22; null for 10.</summary>
    public int? TzstdLevel { get; init; }

    /// <summary>How hard to compress for tgz: 0, which stores, to 3; null for 2.</summary>
    public int? TgzLevel { get; init; }

    /// <summary>Whether entries of zip containers are stored as they are.</summary>
    internal bool IsStored => Method == ZipMethod.None || ZipLevel == 0;

    /// <summary>The module of a name, however spelled; null if it is not known.</summary>
    internal static string? FindModule(string? name) =>
        VolumeName.Modules.FirstOrDefault(x => string.Equals(x, name, StringComparison.OrdinalIgnoreCase));

    /// <summary>The method of a name, however spelled.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidCompression</c>: there is none.</exception>
    public static ZipMethod ParseMethod(string name) =>
        Enum.TryParse<ZipMethod>(name, ignoreCase: true, out var method) && Enum.IsDefined(method) && !char.IsAsciiDigit(name[0])
            ? method
            : throw Invalid($"The zip method {name} is not known; it must be one of {string.Join(", ", ZipCodec.Writable)}.");

    /// <summary>Checks what was asked for.</summary>
    /// <returns>This.</returns>
    /// <exception cref="UserInformationException">Help id <c>InvalidCompression</c>.</exception>
    public VolumeCompression Check()
    {
        if (FindModule(Module) != Module)
            throw Invalid($"The compression module {Module} is not known; it must be one of {string.Join(", ", VolumeName.Modules)}.");
        if (!ZipCodec.Writable.Contains(Method))
            throw Invalid($"Volumes cannot be written with the zip method {Method}; write one of {string.Join(", ", ZipCodec.Writable)}.");
        CheckLevel(VolumeName.ZIP, ZipLevel, 0, 9);
        CheckLevel(VolumeName.TZSTD, TzstdLevel, 1, 22);
        CheckLevel(VolumeName.TGZ, TgzLevel, 0, 3);
        return this;
    }

    private static void CheckLevel(string module, int? level, int least, int most)
    {
        if (level < least || level > most)
            throw Invalid($"The compression level {level} is not possible for {module}; it must be between {least} and {most}.");
    }

    private static UserInformationException Invalid(string message) => new(message, "InvalidCompression");
}

/// <summary>The methods of entries in zip containers, with their numbers (PKWARE APPNOTE 6.3.10, 4.4.5).</summary>
public enum ZipMethod
{
    /// <summary>Stored as they are.</summary>
    None = 0,

    /// <summary>Deflate.</summary>
    Deflate = 8,

    /// <summary>Deflate with a window of 64 KB.</summary>
    Deflate64 = 9,

    /// <summary>bzip2.</summary>
    BZip2 = 12,

    /// <summary>LZMA.</summary>
    LZMA = 14,

    /// <summary>Zstandard.</summary>
    ZStandard = 93,

    /// <summary>XZ, which no library writes into zip containers.</summary>
    Xz = 95,

    /// <summary>PPMd, version I, revision 1.</summary>
    PPMd = 98,
}

/// <summary>
/// A cheap guess whether deflate will shrink a block: starting a compressor costs more than storing a small block, and random or
/// already compressed data gains nothing.
/// </summary>
internal static class Compressibility
{
    private const int SampledBytes = 512;

    /// <summary>True unless the sampled bytes are spread over the values as evenly as random ones. O(1).</summary>
    internal static bool IsLikely(ReadOnlySpan<byte> data)
    {
        if (data.Length < 64)
            return false;

        Span<ushort> counts = stackalloc ushort[256];
        counts.Clear();
        var sample = data.Length <= SampledBytes ? data : data.Slice((data.Length - SampledBytes) / 2, SampledBytes);
        foreach (var value in sample)
            counts[value]++;

        // The expected sum of squares of n random bytes is n + n(n-1)/256; text and structured data are several times above.
        long squares = 0;
        foreach (var count in counts)
            squares += (long)count * count;
        var random = sample.Length + ((long)sample.Length * (sample.Length - 1) / 256);
        return squares > random * 5 / 4;
    }
}
