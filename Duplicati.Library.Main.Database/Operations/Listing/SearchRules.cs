// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Listing;

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
