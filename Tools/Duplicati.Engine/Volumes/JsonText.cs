// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Text;
using System.Text;
using System.Text.Json;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Resolves escapes of JSON texts. Unlike the reader of the framework it keeps a surrogate that lacks its partner, so that no path is
/// changed.
/// </summary>
internal static class JsonText
{
    private static readonly UTF8Encoding s_strictUtf8 = new(false, throwOnInvalidBytes: true);

    /// <summary>The text that a reader stands on.</summary>
    /// <param name="reader">A reader over memory that is all there.</param>
    /// <exception cref="DecoderFallbackException">It is not UTF-8.</exception>
    public static string GetString(in Utf8JsonReader reader) => GetString(reader.ValueSpan, reader.ValueIsEscaped);

    /// <summary>Decodes a text.</summary>
    /// <param name="raw">The text between the quotes, already checked to be JSON.</param>
    /// <param name="isEscaped">Whether it holds escapes.</param>
    /// <exception cref="DecoderFallbackException">It is not UTF-8.</exception>
    public static string GetString(ReadOnlySpan<byte> raw, bool isEscaped) => isEscaped ? Unescape(raw) : s_strictUtf8.GetString(raw);

    private static string Unescape(ReadOnlySpan<byte> raw)
    {
        var text = new StringBuilder(raw.Length);
        while (!raw.IsEmpty)
        {
            var plain = raw.IndexOf((byte)'\\');
            text.Append(s_strictUtf8.GetString(plain < 0 ? raw : raw[..plain]));
            if (plain < 0)
                break;
            raw = raw[(plain + 1)..];
            text.Append(Escaped(raw));
            raw = raw[(raw[0] == 'u' ? 5 : 1)..];
        }

        return text.ToString();
    }

    private static char Escaped(ReadOnlySpan<byte> escape) =>
        (char)escape[0] switch
        {
            'b' => '\b',
            'f' => '\f',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => Utf8Parser.TryParse(escape[1..5], out ushort code, out _, 'X') ? (char)code : '\uFFFD',
            var itself => itself,
        };
}
