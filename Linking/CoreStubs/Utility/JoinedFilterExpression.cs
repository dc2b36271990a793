// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

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
