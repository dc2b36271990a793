using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Common;

/// <summary>Wants what one of several rules fits, and knows which of them fitted nothing: a misspelt path must not go unnoticed. Not thread-safe.</summary>
internal sealed class IncludedPaths : IFilter
{
    private readonly List<(string Text, FilterExpression Rule)> m_rules;
    private readonly HashSet<string> m_unmatched;

    /// <param name="texts">Paths, which take all below them, or patterns.</param>
    internal IncludedPaths(IEnumerable<string> texts)
    {
        m_rules = [.. texts.Where(x => !string.IsNullOrWhiteSpace(x)).Distinct(StringComparer.Ordinal).Select(x => (x, new FilterExpression(PathFilter.Tree(x))))];
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
