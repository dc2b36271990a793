// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Forward reading of JSON tokens from a stream in bounded memory: a buffer of 64 KB that grows to 1 MB for the longest single
/// value. Bad JSON, deep nesting and longer values are errors that name the volume.
/// </summary>
/// <remarks>Not safe for concurrent use. Owns the stream.</remarks>
internal sealed class JsonTokenStream : IDisposable
{
    private const int START_SIZE = 64 * 1024;

    // A path of 32 kB with every character escaped has less than 200 kB.
    private const int MAX_SIZE = 1024 * 1024;

    // Skipped objects of unknown types may nest a little; real volumes nest three levels.
    private const int MAX_DEPTH = 16;

    private readonly Stream m_stream;
    private readonly string m_volume;
    private readonly string m_entry;
    private byte[] m_buffer = ArrayPool<byte>.Shared.Rent(START_SIZE);
    private JsonReaderState m_state = new(new JsonReaderOptions { MaxDepth = MAX_DEPTH });
    private int m_start;
    private int m_end;
    private bool m_final;
    private int m_valueStart;
    private int m_valueLength;
    private bool m_escaped;
    private long m_consumed;

    /// <summary>Starts reading; a byte order mark is skipped.</summary>
    /// <param name="stream">The UTF-8 text, owned.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <param name="entry">The name of the entry, for errors.</param>
    public JsonTokenStream(Stream stream, string volume, string entry)
    {
        m_stream = stream;
        m_volume = volume;
        m_entry = entry;
        Fill();
        if (m_buffer.AsSpan(0, m_end).StartsWith(JsonTextWriter.ByteOrderMark))
            Consume(JsonTextWriter.ByteOrderMark.Length);
    }

    /// <summary>The kind of the current token.</summary>
    public JsonTokenType TokenType { get; private set; }

    /// <summary>Number of objects and arrays around the current token.</summary>
    public int Depth { get; private set; }

    /// <summary>Whether reading can go on after an error: what was found was JSON, and not what was expected.</summary>
    public bool CanGoOn { get; private set; } = true;

    /// <summary>The current value as it stands in the text, without quotes. Gone with the next <see cref="Read"/>.</summary>
    public ReadOnlySpan<byte> RawValue => m_buffer.AsSpan(m_valueStart, m_valueLength);

    /// <summary>The text after the current token as far as it is in memory.</summary>
    public ReadOnlySpan<byte> Buffered => m_buffer.AsSpan(m_start, m_end - m_start);

    /// <summary>
    /// Passes over text the caller has parsed itself. It must lead back to the same state: whole values between two elements of one array.
    /// </summary>
    /// <param name="bytes">The length of the text.</param>
    public void PassOver(int bytes) => Consume(bytes);

    /// <summary>Moves to the next token.</summary>
    /// <returns>False at the end of the document.</returns>
    /// <exception cref="CorruptVolumeException">The text is not JSON, ends too early, or nests or extends beyond the bounds.</exception>
    public bool Read()
    {
        while (!TryRead())
        {
            if (m_final)
                return false;
            Fill();
        }

        return true;
    }

    /// <summary>Moves to the next token, which must be there.</summary>
    /// <returns>Its kind.</returns>
    public JsonTokenType Next() => Read() ? TokenType : throw End("the text ends too early");

    /// <summary>Moves to the next token, which must be of a kind.</summary>
    /// <param name="type">The kind.</param>
    public void Expect(JsonTokenType type)
    {
        if (Next() != type)
            throw Error($"{type} expected, {TokenType} found");
    }

    /// <summary>Moves to the next token, which must be the name of a property.</summary>
    /// <param name="name">The name.</param>
    public void Property(ReadOnlySpan<byte> name)
    {
        if (Next() != JsonTokenType.PropertyName || !ValueIs(name))
            throw Error($"property '{Encoding.UTF8.GetString(name)}' expected");
    }

    /// <summary>Whether the current value is a text without escapes equal to this.</summary>
    /// <param name="utf8">The text.</param>
    public bool ValueIs(ReadOnlySpan<byte> utf8) => !m_escaped && RawValue.SequenceEqual(utf8);

    /// <summary>Moves to a text value and reads it.</summary>
    public string NextString()
    {
        Expect(JsonTokenType.String);
        return GetString();
    }

    /// <summary>Moves to a whole number and reads it.</summary>
    public long NextInt64()
    {
        Expect(JsonTokenType.Number);
        return Utf8Parser.TryParse(RawValue, out long value, out var used) && used == m_valueLength
            ? value
            : throw Error($"'{Encoding.UTF8.GetString(RawValue[..Math.Min(m_valueLength, 40)])}' is not a whole number of 64 bits");
    }

    /// <summary>The current text value.</summary>
    public string GetString()
    {
        try
        {
            return JsonText.GetString(RawValue, m_escaped);
        }
        catch (DecoderFallbackException ex)
        {
            throw Error("a text is not UTF-8", ex);
        }
    }

    /// <summary>Reads over the rest of the object or array whose depth is given; stands on its end afterwards.</summary>
    /// <param name="depth">How many objects and arrays are open, counted by the caller, at least 1.</param>
    public void SkipOpen(int depth)
    {
        while (depth > 0)
        {
            depth += Next() switch
            {
                JsonTokenType.StartObject or JsonTokenType.StartArray => 1,
                JsonTokenType.EndObject or JsonTokenType.EndArray => -1,
                _ => 0,
            };
        }
    }

    /// <summary>Moves to the end of the object at a depth, from anywhere within it; stays there if it is there already.</summary>
    /// <param name="depth">The number of objects and arrays around it.</param>
    public void SkipToEnd(int depth)
    {
        while (TokenType != JsonTokenType.EndObject || Depth != depth)
            Next();
    }

    /// <summary>Moves over the next value, whatever it is.</summary>
    public void SkipValue()
    {
        if (Next() is JsonTokenType.StartObject or JsonTokenType.StartArray)
            SkipOpen(1);
    }

    /// <summary>Makes the error for a violation found by the caller.</summary>
    /// <param name="problem">What is wrong.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public CorruptVolumeException Error(string problem, Exception? inner = null) =>
        new(m_volume, $"The entry '{m_entry}' is invalid near byte {m_consumed}: {problem}.", inner);

    /// <inheritdoc/>
    public void Dispose()
    {
        if (m_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(m_buffer);
        m_buffer = [];
        m_start = m_end = m_valueLength = m_valueStart = 0;
        m_stream.Dispose();
    }

    private bool TryRead()
    {
        try
        {
            var reader = new Utf8JsonReader(m_buffer.AsSpan(m_start, m_end - m_start), m_final, m_state);
            if (!reader.Read())
            {
                // Blanks may have been used up, and the state must not be kept without them.
                m_state = reader.CurrentState;
                Consume((int)reader.BytesConsumed);
                return false;
            }

            m_state = reader.CurrentState;
            TokenType = reader.TokenType;
            Depth = reader.CurrentDepth;
            m_escaped = reader.ValueIsEscaped;
            m_valueStart =
                m_start + (int)reader.TokenStartIndex + (TokenType is JsonTokenType.String or JsonTokenType.PropertyName ? 1 : 0);
            m_valueLength = reader.ValueSpan.Length;
            Consume((int)reader.BytesConsumed);
            return true;
        }
        catch (JsonException ex)
        {
            throw End("it is not valid JSON, or nests too deep", ex);
        }
    }

    private void Consume(int bytes)
    {
        m_start += bytes;
        m_consumed += bytes;
    }

    private void Fill()
    {
        var kept = m_end - m_start;
        if (kept == m_buffer.Length)
            Grow();
        else
            m_buffer.AsSpan(m_start, kept).CopyTo(m_buffer);
        m_start = 0;
        m_end = kept;
        CanGoOn = false;
        var read = m_stream.Read(m_buffer.AsSpan(m_end));
        CanGoOn = true;
        m_end += read;
        m_final = read == 0;
    }

    private CorruptVolumeException End(string problem, Exception? inner = null)
    {
        CanGoOn = false;
        return Error(problem, inner);
    }

    private void Grow()
    {
        if (m_buffer.Length >= MAX_SIZE)
            throw End($"a value is longer than {MAX_SIZE} bytes");
        var larger = ArrayPool<byte>.Shared.Rent(m_buffer.Length * 4);
        m_buffer.AsSpan().CopyTo(larger);
        ArrayPool<byte>.Shared.Return(m_buffer);
        m_buffer = larger;
    }
}
