// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

/// <summary>A list of rules that all include, or all exclude, the paths they match.</summary>
public class FilterExpression : IFilter
{
    private readonly FilterEntry[] m_entries;

    /// <summary>The most complex of the rules' types; <see cref="FilterType.Empty"/> without rules.</summary>
#pragma warning disable CA1051 // the contract: a readonly field
    public readonly FilterType Type;
#pragma warning restore CA1051

    /// <summary>Makes a filter without rules.</summary>
    public FilterExpression()
        : this(true, []) { }

    /// <summary>Makes a filter of one rule.</summary>
    /// <param name="filter">A path, a text with <c>*</c> or <c>?</c>, <c>[regexp]</c>, <c>{group}</c> or <c>@literal</c>; blank makes the
    /// filter empty.</param>
    /// <param name="result">Whether a match includes the path.</param>
    public FilterExpression(string? filter, bool result = true)
        : this(result, Parse([filter])) { }

    /// <summary>Makes a filter of several rules.</summary>
    /// <param name="filter">The rules, written as for the other constructor; blank ones are left out.</param>
    /// <param name="result">Whether a match includes the path.</param>
    public FilterExpression(IEnumerable<string> filter, bool result = true)
        : this(result, Parse(filter)) { }

    private FilterExpression(bool result, FilterEntry[] entries)
    {
        Result = result;
        m_entries = entries;
        Type = entries.Length == 0 ? FilterType.Empty : entries.Max(x => x.Type);
    }

    /// <summary>Whether a match includes the path.</summary>
    public bool Result { get; }

    /// <inheritdoc/>
    public bool Empty => m_entries.Length == 0;

    /// <summary>The texts of the rules, without the <c>@</c> of a literal.</summary>
    /// <returns>One text a rule, in their order.</returns>
    /// <exception cref="InvalidOperationException">There is a regular expression or a group among them.</exception>
    public string[] GetSimpleList() =>
        Type is FilterType.Empty or FilterType.Simple or FilterType.Wildcard
            ? [.. m_entries.Select(x => x.Text)]
            : throw new InvalidOperationException($"A filter of type {Type} is not a list of paths");

    /// <inheritdoc/>
    public bool Matches(string entry, out bool result, out IFilter? match)
    {
        var matched = Array.Exists(m_entries, x => x.Matches(entry));
        result = matched && Result;
        match = matched ? this : null;
        return matched;
    }

    /// <summary>
    /// Decides whether a path is wanted. The first rule that matches decides; without one the path is wanted unless the filter only
    /// includes.
    /// </summary>
    /// <param name="filter">The filter; null or empty wants everything.</param>
    /// <param name="path">A full path.</param>
    /// <returns>True if it is wanted.</returns>
    public static bool Matches(IFilter filter, string path)
    {
        if (filter is null || filter.Empty)
            return true;
        if (filter.Matches(path, out var result, out _))
            return result;
        var (includes, excludes) = Kinds(filter);
        return excludes || !includes;
    }

    /// <summary>Joins two filters; the rules of the first are tried first.</summary>
    /// <param name="first">A filter, or null.</param>
    /// <param name="second">A filter, or null.</param>
    /// <returns>One filter for both; an empty one if both are null or empty.</returns>
    public static IFilter Combine(IFilter? first, IFilter? second)
    {
        if (first == null || first.Empty)
            return second ?? new FilterExpression();
        if (second == null || second.Empty)
            return first;
        if (first is FilterExpression a && second is FilterExpression b && a.Result == b.Result && a.Type == b.Type)
            return new FilterExpression(a.Result, [.. a.m_entries, .. b.m_entries]);
        return new JoinedFilterExpression(first, second);
    }

    /// <inheritdoc/>
    public override string ToString() => string.Join(Path.PathSeparator, m_entries.Select(x => x.ToString()));

    private static FilterEntry[] Parse(IEnumerable<string?> texts)
    {
        ArgumentNullException.ThrowIfNull(texts);
        return [.. texts.OfType<string>().Where(x => !string.IsNullOrWhiteSpace(x)).Select(x => new FilterEntry(x))];
    }

    private static (bool Includes, bool Excludes) Kinds(IFilter filter)
    {
        switch (filter)
        {
            case FilterExpression { Empty: true }:
                return (false, false);
            case FilterExpression expression:
                return (expression.Result, !expression.Result);
            case JoinedFilterExpression joined:
                var first = Kinds(joined.First);
                var second = Kinds(joined.Second);
                return (first.Includes || second.Includes, first.Excludes || second.Excludes);
            default:
                return (true, true);
        }
    }
}
