// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;

namespace Duplicati.Library.Utility;

/// <summary>One rule of a filter, read from its text.</summary>
internal sealed class FilterEntry
{
    private static readonly StringComparison s_comparison = Utility.IsFSCaseSensitive
        ? StringComparison.Ordinal
        : StringComparison.OrdinalIgnoreCase;

    private readonly Regex? m_regex;
    private readonly FilterEntry[] m_group = [];

    /// <summary>
    /// Reads a rule: <c>@literal</c>, <c>[regexp]</c>, <c>{group}</c>, a text with <c>*</c> or <c>?</c>, or a plain path.
    /// </summary>
    internal FilterEntry(string text)
    {
        (Type, Text) = Classify(text);
        if (Type == FilterType.Regexp)
            m_regex = new Regex(
                @"\A(?:" + Text + @")\z",
                RegexOptions.CultureInvariant
                    | RegexOptions.Singleline
                    | (Utility.IsFSCaseSensitive ? RegexOptions.None : RegexOptions.IgnoreCase)
            );
        else if (Type == FilterType.Group)
            m_group = [.. FilterGroups.GetFilterStrings(Text).Select(x => new FilterEntry(x))];
    }

    internal FilterType Type { get; }

    /// <summary>The rule without the characters that tell its type.</summary>
    internal string Text { get; }

    internal bool Matches(string path) =>
        Type switch
        {
            FilterType.Simple => string.Equals(path, Text, s_comparison),
            FilterType.Wildcard => MatchesWildcard(Text, path),
            FilterType.Regexp => m_regex!.IsMatch(path),
            FilterType.Group => Array.Exists(m_group, x => x.Matches(path)),
            _ => false,
        };

    /// <inheritdoc/>
    public override string ToString() =>
        Type switch
        {
            FilterType.Regexp => $"[{Text}]",
            FilterType.Group => $"{{{Text}}}",
            FilterType.Simple when Text.AsSpan().ContainsAny('*', '?') => "@" + Text,
            _ => Text,
        };

    private static (FilterType Type, string Text) Classify(string text)
    {
        if (text.StartsWith('@'))
            return (FilterType.Simple, text[1..]);
        if (text.Length > 1 && text[0] == '[' && text[^1] == ']')
            return (FilterType.Regexp, text[1..^1]);
        if (text.Length > 1 && text[0] == '{' && text[^1] == '}')
            return (FilterType.Group, text[1..^1]);
        return (text.AsSpan().ContainsAny('*', '?') ? FilterType.Wildcard : FilterType.Simple, text);
    }

    /// <summary>Linear in practice: after a mismatch only the last star is tried again, one character further.</summary>
    private static bool MatchesWildcard(ReadOnlySpan<char> pattern, ReadOnlySpan<char> path)
    {
        int p = 0,
            s = 0,
            star = -1,
            retry = 0;
        while (s < path.Length)
        {
            if (p < pattern.Length && pattern[p] == '*')
            {
                star = p++;
                retry = s;
            }
            else if (p < pattern.Length && (pattern[p] == '?' || pattern.Slice(p, 1).Equals(path.Slice(s, 1), s_comparison)))
            {
                p++;
                s++;
            }
            else if (star >= 0)
            {
                p = star + 1;
                s = ++retry;
            }
            else
            {
                return false;
            }
        }
        return pattern[p..].TrimStart('*').IsEmpty;
    }
}
