// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;

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

/// <summary>Says which paths are wanted.</summary>
public interface IFilter
{
    /// <summary>Whether there is no rule at all.</summary>
    bool Empty { get; }

    /// <summary>Tries the rules on a path, in their order.</summary>
    /// <param name="entry">A full path.</param>
    /// <param name="result">Whether the deciding rule includes the path.</param>
    /// <param name="match">The deciding rule, if there is one.</param>
    /// <returns>Whether any rule matched.</returns>
    bool Matches(string entry, out bool result, out IFilter? match);
}

/// <summary>How a filter compares, simplest first.</summary>
public enum FilterType
{
    /// <summary>No rule.</summary>
    Empty,

    /// <summary>The whole path.</summary>
    Simple,

    /// <summary><c>*</c> and <c>?</c>.</summary>
    Wildcard,

    /// <summary>A regular expression, written in square brackets.</summary>
    Regexp,

    /// <summary>A named group of rules, written in braces.</summary>
    Group,
}

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

/// <summary>Two filters, tried one after the other.</summary>
public class JoinedFilterExpression : IFilter
{
    /// <summary>The filter that is tried first.</summary>
#pragma warning disable CA1051 // fields upstream
    public readonly IFilter First;

    /// <summary>The filter that is tried when no rule of the first matches.</summary>
    public readonly IFilter Second;
#pragma warning restore CA1051

    /// <summary>Joins two filters.</summary>
    /// <param name="first">Tried first.</param>
    /// <param name="second">Tried second.</param>
    public JoinedFilterExpression(IFilter first, IFilter second)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        First = first;
        Second = second;
    }

    /// <inheritdoc/>
    public bool Empty => First.Empty && Second.Empty;

    /// <inheritdoc/>
    public bool Matches(string entry, out bool result, out IFilter? match) =>
        First.Matches(entry, out result, out match) || Second.Matches(entry, out result, out match);

    /// <inheritdoc/>
    public override string ToString() =>
        First.Empty ? $"{Second}"
        : Second.Empty ? $"{First}"
        : $"({First}) || ({Second})";
}

/// <summary>The rules behind the group names that filters use in braces.</summary>
internal static class FilterGroups
{
    private const string SYSTEM_FILES = "SystemFiles";
    private const string OPERATING_SYSTEM = "OperatingSystem";
    private const string CACHE_FILES = "CacheFiles";
    private const string TEMPORARY_FILES = "TemporaryFiles";
    private const string APPLICATIONS = "Applications";
    private const string DEFAULT_EXCLUDES = "DefaultExcludes";

    /// <summary>The rules of one or more groups.</summary>
    /// <param name="names">Group names in any case, separated by commas.</param>
    /// <exception cref="ArgumentException">A name is not known.</exception>
    internal static IEnumerable<string> GetFilterStrings(string names) =>
        names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).SelectMany(Group);

    private static IEnumerable<string> Group(string name) =>
        name.ToUpperInvariant() switch
        {
            "SYSTEMFILES" => SystemFiles,
            "OPERATINGSYSTEM" => OperatingSystemFiles,
            "CACHEFILES" => CacheFiles,
            "TEMPORARYFILES" => TemporaryFiles,
            "APPLICATIONS" => Applications,
            "DEFAULTEXCLUDES" => [.. SystemFiles, .. OperatingSystemFiles, .. CacheFiles, .. TemporaryFiles, .. Applications],
            _ => throw new ArgumentException(
                $"Unknown filter group {name}; known are {string.Join(", ", SYSTEM_FILES, OPERATING_SYSTEM, CACHE_FILES, TEMPORARY_FILES, APPLICATIONS, DEFAULT_EXCLUDES)}",
                nameof(name)
            ),
        };

    private static string[] SystemFiles =>
        OperatingSystem.IsWindows()
            ?
            [
                @"?:\pagefile.sys",
                @"?:\swapfile.sys",
                @"?:\hiberfil.sys",
                @"?:\System Volume Information\*",
                @"?:\$Recycle.Bin\*",
                @"*\desktop.ini",
                @"*\Thumbs.db",
            ]
            : ["/dev/*", "/proc/*", "/sys/*", "/run/*", "*/lost+found/*", "*/.DS_Store", "*/.Trash*/*"];

    private static string[] OperatingSystemFiles =>
        OperatingSystem.IsWindows()
            ? [@"?:\Windows\*", @"?:\Recovery\*"]
            : ["/bin/*", "/boot/*", "/lib/*", "/lib64/*", "/sbin/*", "/usr/*", "/System/*"];

    private static string[] CacheFiles =>
        OperatingSystem.IsWindows()
            ? [@"*\Cache\*", @"*\INetCache\*", @"*\Temporary Internet Files\*"]
            : ["*/.cache/*", "/var/cache/*", "*/Library/Caches/*"];

    private static string[] TemporaryFiles =>
        OperatingSystem.IsWindows() ? [@"*\Temp\*", @"*.tmp", @"*.temp"] : ["/tmp/*", "/var/tmp/*", "*/.Trash/*", "*.tmp", "*~"];

    private static string[] Applications =>
        OperatingSystem.IsWindows() ? [@"?:\Program Files\*", @"?:\Program Files (x86)\*"] : ["/Applications/*", "/opt/*", "/snap/*"];
}
