// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>One setting of a connection: a pragma of SQLite, the value it is given and why.</summary>
/// <param name="Name">Name of the pragma, lower case; see https://www.sqlite.org/pragma.html.</param>
/// <param name="Value">The value as written in the pragma statement.</param>
/// <param name="Reason">Why this value, in words a user can weigh.</param>
/// <remarks>Immutable; may be shared between threads.</remarks>
internal sealed record Pragma(string Name, string Value, string Reason)
{
    /// <summary>Name and value as they stand in the statement, for messages.</summary>
    public override string ToString() => $"{Name}={Value}";
}

/// <summary>
/// What a pragma accepts and how SQLite reports it back, so that a value can be refused before it is set and compared
/// afterwards: <c>synchronous=NORMAL</c> reads back as <c>1</c>, <c>fullfsync=on</c> too.
/// </summary>
/// <remarks>Immutable; may be shared between threads.</remarks>
internal sealed class PragmaDefinition
{
    private static readonly Dictionary<string, string> BooleanWords = new(StringComparer.OrdinalIgnoreCase)
    {
        ["1"] = "1",
        ["on"] = "1",
        ["true"] = "1",
        ["yes"] = "1",
        ["0"] = "0",
        ["off"] = "0",
        ["false"] = "0",
        ["no"] = "0",
    };

    private readonly IReadOnlyDictionary<string, string>? m_words;

    private PragmaDefinition(string name, string accepts, IReadOnlyDictionary<string, string>? words)
    {
        Name = name;
        Accepts = accepts;
        m_words = words;
    }

    /// <summary>Name of the pragma, lower case.</summary>
    internal string Name { get; }

    /// <summary>The valid values in words, for error messages.</summary>
    internal string Accepts { get; }

    /// <summary>A pragma that takes a whole number.</summary>
    internal static PragmaDefinition Number(string name, long minimum, long maximum, string unit) =>
        new(name, $"{unit} from {minimum} to {maximum}", null);

    /// <summary>A pragma that takes a word and reads back as that word in lower case.</summary>
    internal static PragmaDefinition Words(string name, params string[] words) =>
        new(
            name,
            string.Join(", ", words),
            words.ToDictionary(word => word, word => word.ToLowerInvariant(), StringComparer.OrdinalIgnoreCase)
        );

    /// <summary>A pragma that takes a word or its number and reads back as the number: the position in <paramref name="words"/>.</summary>
    internal static PragmaDefinition Codes(string name, params string[] words)
    {
        var codes = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        for (var code = 0; code < words.Length; code++)
        {
            var text = code.ToString(CultureInfo.InvariantCulture);
            codes[words[code]] = text;
            codes[text] = text;
        }

        return new(name, string.Join(", ", words), codes);
    }

    /// <summary>A pragma that is on or off.</summary>
    internal static PragmaDefinition Switch(string name) => new(name, "ON, OFF", BooleanWords);

    /// <summary>The form in which SQLite reports <paramref name="value"/> back; null for a word or a number it cannot understand.</summary>
    internal string? Canonical(string value)
    {
        var text = Unquote(value.Trim());
        return m_words is not null ? m_words.GetValueOrDefault(text) : Number(text)?.ToString(CultureInfo.InvariantCulture);
    }

    // SQLite takes hexadecimal numbers without a sign only.
    private static long? Number(string text)
    {
        var isHexadecimal = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
        var digits = text.AsSpan(isHexadecimal ? 2 : 0);
        var style = isHexadecimal ? NumberStyles.AllowHexSpecifier : NumberStyles.AllowLeadingSign;
        return long.TryParse(digits, style, CultureInfo.InvariantCulture, out var number) && (number >= 0 || !isHexadecimal)
            ? number
            : null;
    }

    private static string Unquote(string text) => text.Length >= 2 && text[0] == text[^1] && text[0] is '\'' or '"' ? text[1..^1] : text;
}
