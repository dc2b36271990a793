// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Reads the headers of a tar container, of the forms v7, ustar, pax and GNU (POSIX.1-2017, pax; GNU tar, "Basic Tar Format"). Of what is
/// no regular file, such as a link or a device, nothing is done. The framework's reader takes as much memory as a header says.
/// </summary>
internal static class TarContainer
{
    /// <summary>Headers and contents begin at multiples of this.</summary>
    internal const int BlockBytes = 512;

    private const int NameBytes = 100;
    private const int SizeAt = 124;
    private const int ChecksumAt = 148;
    private const int ChecksumBytes = 8;
    private const int TypeAt = 156;
    private const int MagicAt = 257;
    private const int PrefixAt = 345;
    private const int PrefixBytes = 155;

    // Names are a hundred bytes long.
    private const int MostExtraBytes = 64 * 1024;

    /// <summary>A header.</summary>
    internal readonly record struct Header(string Name, long Length, byte Type)
    {
        /// <summary>Whether a file follows.</summary>
        internal bool IsFile => Type is 0 or (byte)'0' or (byte)'7';
    }

    /// <summary>Whether a stream begins with a header. Its position is not kept.</summary>
    internal static bool IsTar(Stream stream)
    {
        Span<byte> block = stackalloc byte[BlockBytes];
        stream.Position = 0;
        return stream.ReadAtLeast(block, BlockBytes, throwOnEndOfStream: false) == BlockBytes && TryParse(block, out _);
    }

    /// <summary>The files in the order of the container.</summary>
    /// <param name="stream">The container, seekable.</param>
    /// <exception cref="InvalidDataException">A header is damaged, or what it says goes beyond the end.</exception>
    internal static IEnumerable<VolumeEntry> Entries(Stream stream)
    {
        var length = stream.Length;
        var block = new byte[BlockBytes];
        string? name = null;
        long? size = null;
        for (var at = 0L; at < length; )
        {
            stream.Position = at;
            stream.ReadExactly(block);
            if (!block.AsSpan().ContainsAnyExcept((byte)0))
                yield break;
            if (!TryParse(block, out var header))
                throw new InvalidDataException($"The header at {at} is damaged.");
            var isExtra = header.Type is (byte)'x' or (byte)'g' or (byte)'L' or (byte)'K';
            var bytes = isExtra ? header.Length : size ?? header.Length;
            at += BlockBytes;
            if (bytes > length - at)
                throw new InvalidDataException($"The entry '{header.Name}' goes beyond the end.");
            if (header.Type == (byte)'L')
                name = UntilZero(ReadExtra(stream, bytes));
            else if (header.Type == (byte)'x')
                ReadRecords(ReadExtra(stream, bytes), ref name, ref size);
            else if (header.IsFile)
                yield return new VolumeEntry(name ?? header.Name, bytes, bytes, at, ZipMethod.None, Checksum: null);
            if (!isExtra)
                (name, size) = (null, null);
            at += (bytes + BlockBytes - 1) / BlockBytes * BlockBytes;
        }
    }

    /// <summary>Reads a header, if it is one: its checksum fits.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> block, out Header header)
    {
        header = default;
        if (!TryNumber(block.Slice(ChecksumAt, ChecksumBytes), out var checksum) || checksum != Checksum(block))
            return false;
        if (!TryNumber(block[SizeAt..(SizeAt + 12)], out var length))
            return false;
        var name = UntilZero(block[..NameBytes]);
        // GNU has something else in the place of the prefix, and a blank for the zero behind the word.
        if (block.Slice(MagicAt, 6).SequenceEqual("ustar\0"u8) && block[PrefixAt] != 0)
            name = UntilZero(block.Slice(PrefixAt, PrefixBytes)) + "/" + name;
        header = new Header(name, length, block[TypeAt]);
        return true;
    }

    private static long Checksum(ReadOnlySpan<byte> block)
    {
        var sum = (long)ChecksumBytes * ' ';
        foreach (var value in block[..ChecksumAt])
            sum += value;
        foreach (var value in block[(ChecksumAt + ChecksumBytes)..])
            sum += value;
        return sum;
    }

    // Octal digits between blanks and zeros; or a large number in binary, whose first bit is set.
    private static bool TryNumber(ReadOnlySpan<byte> field, out long value)
    {
        value = 0;
        if ((field[0] & 0x80) != 0)
        {
            foreach (var part in field[^sizeof(long)..])
                value = (value << 8) | part;
            return field[0] == 0x80 && value >= 0 && !field[1..^sizeof(long)].ContainsAnyExcept((byte)0);
        }

        field = field.Trim(" \0"u8);
        foreach (var digit in field)
        {
            if (digit is < (byte)'0' or > (byte)'7')
                return false;
            value = (value << 3) | (long)(digit - '0');
        }

        return true;
    }

    private static byte[] ReadExtra(Stream stream, long bytes)
    {
        if (bytes > MostExtraBytes)
            throw new InvalidDataException($"A name of {bytes} bytes is impossible.");
        var extra = new byte[bytes];
        stream.ReadExactly(extra);
        return extra;
    }

    // Each is its length in digits, a blank, key=value and a line feed.
    private static void ReadRecords(ReadOnlySpan<byte> records, ref string? name, ref long? size)
    {
        while (!records.IsEmpty)
        {
            var blank = records.IndexOf((byte)' ');
            if (
                blank <= 0
                || !int.TryParse(records[..blank], System.Globalization.CultureInfo.InvariantCulture, out var length)
                || length <= blank + 1
                || length > records.Length
            )
                throw new InvalidDataException("An extended header is damaged.");
            var record = records[(blank + 1)..(length - 1)];
            if (record.StartsWith("path="u8))
                name = Encoding.UTF8.GetString(record["path=".Length..]);
            else if (record.StartsWith("size="u8))
                size =
                    long.TryParse(record["size=".Length..], System.Globalization.CultureInfo.InvariantCulture, out var value) && value >= 0
                        ? value
                        : throw new InvalidDataException("An extended header has an impossible size.");
            records = records[length..];
        }
    }

    private static string UntilZero(ReadOnlySpan<byte> text) =>
        Encoding.UTF8.GetString(text.IndexOf((byte)0) is >= 0 and var end ? text[..end] : text);
}
