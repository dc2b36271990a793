// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>
/// The rules of a search, tried on paths as they are read. They decide as the statements of <see cref="SearchListing"/> do, without one for
/// each path.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PathRules
{
    private const int FewestBytes = 512;

    private readonly List<Rule> m_rules;
    private readonly bool m_keepsUnmatched;
    private readonly bool m_caseSensitive;
    private byte[] m_path = new byte[FewestBytes];
    private int m_prefixLength;

    private PathRules(SearchRules rules, bool caseSensitive)
    {
        m_rules = [.. rules.All.Select(x => Rule.Of(x.Text, x.IsPattern, x.IsInclude, caseSensitive))];
        m_keepsUnmatched = rules.KeepsUnmatched;
        m_caseSensitive = caseSensitive;
    }

    /// <summary>Takes over the rules; null if the engine refuses one of the patterns for its length.</summary>
    internal static PathRules? TryCreate(SearchRules rules, bool caseSensitive) =>
        rules.All.All(x => Encoding.UTF8.GetByteCount(x.Text) <= GlobPattern.MostBytes) ? new PathRules(rules, caseSensitive) : null;

    /// <summary>The folder of the paths that follow, in UTF-8.</summary>
    internal void SetPrefix(ReadOnlySpan<byte> prefix) => m_prefixLength = Append(0, prefix);

    /// <summary>Whether a search wants the path of a name in the folder: the first rule that fits decides. The name is UTF-8.</summary>
    internal bool Want(ReadOnlySpan<byte> name)
    {
        var length = Append(m_prefixLength, name);
        m_path[length] = 0;
        var path = m_path.AsSpan(0, length + 1);
        foreach (var rule in m_rules)
        {
            if (rule.Fits(path))
                return rule.IsInclude;
        }

        return m_keepsUnmatched;
    }

    private int Append(int start, ReadOnlySpan<byte> text)
    {
        // One more for the NUL at the end.
        if (m_path.Length <= start + text.Length)
            Array.Resize(ref m_path, 2 * (start + text.Length + 1));
        var target = m_path.AsSpan(start, text.Length);
        text.CopyTo(target);
        if (!m_caseSensitive)
            Lower(target);
        return start + text.Length;
    }

    // Letters beyond ASCII stay as they are, as the engine leaves them.
    private static void Lower(Span<byte> text)
    {
        foreach (ref var letter in text)
        {
            if (letter is >= (byte)'A' and <= (byte)'Z')
                letter |= 0x20;
        }
    }

    /// <summary>A rule: a pattern for the whole path, or else a text that occurs in it.</summary>
    private sealed record Rule(GlobPattern? Pattern, byte[] Text, bool IsInclude)
    {
        internal static Rule Of(string text, bool isPattern, bool isInclude, bool caseSensitive)
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            if (!caseSensitive)
                Lower(bytes);
            return new Rule(isPattern ? new GlobPattern(bytes) : null, bytes, isInclude);
        }

        internal bool Fits(ReadOnlySpan<byte> path) => Pattern?.Fits(path) ?? path[..^1].IndexOf(Text) >= 0;
    }
}

/// <summary>The rules of a filter as a search understands them, in written order.</summary>
internal sealed class SearchRules
{
    private readonly List<(string Text, bool IsPattern, bool IsInclude)> m_rules = [];

    /// <summary>Takes the rules out of a filter; null or an empty one has none.</summary>
    /// <exception cref="UserInformationException">Help id FilterTypeNotSupported: there is something else than plain texts and
    /// wildcards.</exception>
    internal SearchRules(IFilter? filter) => Add(filter);

    internal IReadOnlyList<(string Text, bool IsPattern, bool IsInclude)> All => m_rules;

    /// <summary>What happens to paths that no rule fits: only a filter that does nothing but include leaves them out.</summary>
    internal bool KeepsUnmatched => m_rules.Count == 0 || m_rules.Exists(x => !x.IsInclude);

    private void Add(IFilter? filter)
    {
        switch (filter)
        {
            case null or FilterExpression { Type: FilterType.Empty }:
                return;
            case JoinedFilterExpression joined:
                Add(joined.First);
                Add(joined.Second);
                return;
            case FilterExpression { Type: FilterType.Simple or FilterType.Wildcard } leaf:
                m_rules.AddRange(leaf.GetSimpleList().Select(text => (text, leaf.Type == FilterType.Wildcard, leaf.Result)));
                return;
            default:
                throw new UserInformationException(
                    $"A search understands plain texts and wildcards only, not the filter {filter}",
                    "FilterTypeNotSupported"
                );
        }
    }
}
