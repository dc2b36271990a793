// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Writes JSON in exactly the spelling that volumes have: no blanks, every character beyond ASCII as itself. Escaped are the
/// quote, the backslash, control characters (short forms where they exist) and U+0085, U+2028, U+2029. A surrogate without
/// its partner cannot be UTF-8 and is escaped, so that no path is changed.
/// </summary>
/// <remarks>Buffers 64 KB. Does not close the stream. Not safe for concurrent use.</remarks>
public sealed class JsonTextWriter : IDisposable
{
    private const int BUFFER_SIZE = 64 * 1024;

    // The longest output of one character: \uXXXX.
    private const int MAX_ESCAPE = 6;

    // Longest plain value written at once besides texts: a number or a time.
    private const int MAX_SCALAR = 32;

    private static readonly SearchValues<char> s_special = SearchValues.Create(SpecialCharacters());

    private readonly Stream m_stream;
    private byte[] m_buffer = ArrayPool<byte>.Shared.Rent(BUFFER_SIZE);
    private int m_used;

    /// <summary>Starts writing.</summary>
    /// <param name="stream">Takes the UTF-8 text.</param>
    /// <param name="byteOrderMark">Whether the text starts with a byte order mark.</param>
    public JsonTextWriter(Stream stream, bool byteOrderMark)
    {
        m_stream = stream;
        if (byteOrderMark)
            Raw(ByteOrderMark);
    }

    /// <summary>The UTF-8 byte order mark.</summary>
    public static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Writes UTF-8 as it is: punctuation and property names.</summary>
    /// <param name="utf8">At most a few hundred bytes.</param>
    /// <returns>This writer.</returns>
    public JsonTextWriter Raw(ReadOnlySpan<byte> utf8)
    {
        Reserve(utf8.Length);
        utf8.CopyTo(m_buffer.AsSpan(m_used));
        m_used += utf8.Length;
        return this;
    }

    /// <summary>Writes a number.</summary>
    /// <param name="value">The number.</param>
    /// <returns>This writer.</returns>
    public JsonTextWriter Number(long value)
    {
        Reserve(MAX_SCALAR);
        Utf8Formatter.TryFormat(value, m_buffer.AsSpan(m_used), out var written);
        m_used += written;
        return this;
    }

    /// <summary>Writes a time as text.</summary>
    /// <param name="value">The time.</param>
    /// <returns>This writer.</returns>
    public JsonTextWriter Time(DateTime value)
    {
        Reserve(MAX_SCALAR);
        m_buffer[m_used] = (byte)'"';
        VolumeTime.Format(value, m_buffer.AsSpan(m_used + 1));
        m_buffer[m_used + 1 + VolumeTime.LENGTH] = (byte)'"';
        m_used += VolumeTime.LENGTH + 2;
        return this;
    }

    /// <summary>Writes a text with quotes, escaped.</summary>
    /// <param name="value">The text.</param>
    /// <returns>This writer.</returns>
    public JsonTextWriter Text(ReadOnlySpan<char> value)
    {
        Raw("\""u8);
        while (!value.IsEmpty)
        {
            var plain = value.IndexOfAny(s_special);
            Plain(plain < 0 ? value : value[..plain]);
            if (plain < 0)
                break;
            value = value[plain..];
            value = value[Special(value)..];
        }

        return Raw("\""u8);
    }

    /// <summary>Writes what is buffered to the stream.</summary>
    public void Flush()
    {
        m_stream.Write(m_buffer, 0, m_used);
        m_used = 0;
    }

    /// <summary>Flushes and gives the buffer back. Can be called more than once.</summary>
    public void Dispose()
    {
        if (m_buffer.Length == 0)
            return;
        Flush();
        ArrayPool<byte>.Shared.Return(m_buffer);
        m_buffer = [];
    }

    private void Plain(ReadOnlySpan<char> value)
    {
        // A surrogate is special, so a cut between two plain characters never parts a pair.
        while (!value.IsEmpty)
        {
            var part = value[..Math.Min(value.Length, BUFFER_SIZE / 4)];
            Reserve(Encoding.UTF8.GetMaxByteCount(part.Length));
            m_used += Encoding.UTF8.GetBytes(part, m_buffer.AsSpan(m_used));
            value = value[part.Length..];
        }
    }

    /// <summary>Writes the special character at the front; returns the characters used up.</summary>
    private int Special(ReadOnlySpan<char> value)
    {
        var c = value[0];
        if (char.IsHighSurrogate(c) && value.Length > 1 && char.IsLowSurrogate(value[1]))
        {
            Reserve(MAX_ESCAPE);
            m_used += Encoding.UTF8.GetBytes(value[..2], m_buffer.AsSpan(m_used));
            return 2;
        }

        var shortForm = "\"\\\b\f\n\r\t".IndexOf(c, StringComparison.Ordinal);
        if (shortForm >= 0)
            Raw([(byte)'\\', "\"\\bfnrt"u8[shortForm]]);
        else
            Raw([(byte)'\\', (byte)'u', Hex(c >> 12), Hex(c >> 8), Hex(c >> 4), Hex(c)]);
        return 1;
    }

    private static byte Hex(int digit) => "0123456789abcdef"u8[digit & 15];

    private void Reserve(int bytes)
    {
        if (m_buffer.Length - m_used < bytes)
            Flush();
    }

    private static string SpecialCharacters()
    {
        var special = new StringBuilder("\"\\\u0085\u2028\u2029");
        for (var c = '\0'; c < ' '; c++)
            special.Append(c);
        for (var c = '\uD800'; c <= '\uDFFF'; c++)
            special.Append(c);
        return special.ToString();
    }
}
