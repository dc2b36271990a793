// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

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
