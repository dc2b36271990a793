// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Common;

/// <summary>
/// What was found lost when somebody was asked, so that nothing else goes after a yes: it is found anew when the operation has its turn,
/// and more may be lost by then.
/// </summary>
public sealed class ShownLosses
{
    private HashSet<string>? m_losses;

    /// <summary>Notes what is lost, and fails if others were noted before and did not have all of it.</summary>
    /// <exception cref="UserInformationException">Help id <c>LossesHaveChanged</c>.</exception>
    internal void Require(IEnumerable<string> losses)
    {
        var found = losses.ToHashSet(StringComparer.Ordinal);
        m_losses ??= found;
        if (!m_losses.IsSupersetOf(found))
            throw new UserInformationException(
                "More or something else is lost now than was shown. Nothing was changed. Run the same command again: it shows what would go.",
                "LossesHaveChanged"
            );
    }
}
