// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>
/// Entries of file lists that cannot be so and are left out: the first are told one by one, of the others how many there are. Not
/// thread-safe.
/// </summary>
internal sealed class RefusedEntries
{
    private const int Most = 20;

    private readonly List<string> m_first = [];

    /// <summary>Number of entries left out.</summary>
    internal long Count { get; private set; }

    /// <summary>Adds an entry.</summary>
    /// <param name="entry">Its path, or where it is.</param>
    /// <param name="problem">What is wrong with it.</param>
    internal void Add(string entry, string problem)
    {
        Count++;
        if (m_first.Count < Most)
            m_first.Add($"Left out {entry}: {problem}");
    }

    /// <summary>Adds entries of which the first are known.</summary>
    internal void Add(IReadOnlyList<string> first, long count, string problem)
    {
        foreach (var entry in first)
            Add(entry, problem);
        Count += count - first.Count;
    }

    /// <summary>Tells of them.</summary>
    /// <param name="progress">Told.</param>
    internal void Tell(IEngineProgress progress)
    {
        foreach (var text in m_first)
            progress.Warning(text);
        if (Count > m_first.Count)
            progress.Warning($"Left out {SizeText.Count(Count - m_first.Count, "more entry", "more entries")}");
    }
}
