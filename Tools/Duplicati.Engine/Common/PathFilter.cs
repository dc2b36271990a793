// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Common;

/// <summary>Filters made of what a user writes.</summary>
internal static class PathFilter
{
    /// <summary>
    /// Wants what one of the patterns fits and none of the exclusions; without patterns everything but the exclusions.
    /// Each text stays a rule of its own, so that a plain text beside one with wildcards keeps its meaning.
    /// </summary>
    internal static IFilter Of(IEnumerable<string> patterns, IEnumerable<string> exclusions) => Of(Rules(patterns, true), exclusions);

    /// <summary>
    /// As <see cref="Of(IEnumerable{string}, IEnumerable{string})"/>, but a path without wildcards takes all that is below it.
    /// </summary>
    internal static IFilter Trees(IEnumerable<string> patterns, IEnumerable<string> exclusions) =>
        Of(patterns.Select(Tree), exclusions.Select(Tree));

    /// <summary>The same with rules that know what they have fitted.</summary>
    internal static IFilter Trees(IncludedPaths included, IEnumerable<string> exclusions)
    {
        var filter = Of(included, exclusions.Select(Tree));
        // Said in full: only what is made of upstream's rules alone is taken to want nothing else.
        return ReferenceEquals(filter, included) && !included.Empty
            ? FilterExpression.Combine(included, new FilterExpression("*", false))
            : filter;
    }

    /// <summary>What is left out: each path with all below it, and what a pattern fits.</summary>
    internal static IFilter Exclusions(IEnumerable<string> texts) => Rules(texts.Select(Tree), false);

    /// <summary>What <see cref="Tree"/> takes for a path and nothing else, whatever letters are in that.</summary>
    internal static string TextOf(string path) => new FilterExpression(path).Type == FilterType.Simple ? path : Tree("@" + path);

    /// <summary>The rule for a path and all below it; one of any other kind as it is.</summary>
    internal static string Tree(string text)
    {
        var rule = new FilterExpression(text);
        if (rule.Type != FilterType.Simple)
            return text;

        var path = rule.GetSimpleList()[0];
        var separators = path.StartsWith('/') ? "/" : @"[/\\]";
        var bare = path.TrimEnd(path.StartsWith('/') ? ['/'] : ['/', '\\']);
        // With a separator at its end it is a folder, and no file of that name.
        return bare.Length < path.Length ? $"[{Regex.Escape(bare)}{separators}.*]" : $"[{Regex.Escape(bare)}(?:{separators}.*)?]";
    }

    private static IFilter Of(IFilter includes, IEnumerable<string> exclusions)
    {
        var excludes = Rules(exclusions, false);
        if (excludes.Empty)
            return includes;
        // Said in full: a list of exclusions alone is taken for a list of paths by the look-up of file names.
        var everything = new FilterExpression("*");
        return FilterExpression.Combine(
            FilterExpression.Combine(excludes, includes.Empty ? everything : includes),
            new FilterExpression("*", false)
        );
    }

    private static IFilter Rules(IEnumerable<string> texts, bool result) =>
        texts.Aggregate<string, IFilter>(
            new FilterExpression(),
            (filter, text) => FilterExpression.Combine(filter, new FilterExpression(text, result))
        );
}

/// <summary>
/// Wants what one of several rules fits, and knows which of them fitted nothing: a misspelt path must not go unnoticed. Not thread-safe.
/// </summary>
internal sealed class IncludedPaths : IFilter
{
    private readonly List<(string Text, FilterExpression Rule)> m_rules;
    private readonly HashSet<string> m_unmatched;

    /// <param name="texts">Paths, which take all below them, or patterns.</param>
    internal IncludedPaths(IEnumerable<string> texts)
    {
        m_rules =
        [
            .. texts
                .Where(x => !string.IsNullOrWhiteSpace(x))
                .Distinct(StringComparer.Ordinal)
                .Select(x => (x, new FilterExpression(PathFilter.Tree(x)))),
        ];
        m_unmatched = [.. m_rules.Select(x => x.Text)];
    }

    /// <inheritdoc/>
    public bool Empty => m_rules.Count == 0;

    /// <summary>The texts that have fitted nothing so far, in their order.</summary>
    internal IReadOnlyList<string> Unmatched => [.. m_rules.Select(x => x.Text).Where(m_unmatched.Contains)];

    /// <inheritdoc/>
    public bool Matches(string entry, out bool result, out IFilter? match)
    {
        result = false;
        foreach (var (text, rule) in m_rules)
        {
            if (!rule.Matches(entry, out _, out _))
                continue;
            m_unmatched.Remove(text);
            result = true;
        }

        match = result ? this : null;
        return result;
    }
}
