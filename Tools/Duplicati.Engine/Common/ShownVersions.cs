// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Common;

/// <summary>
/// The versions that a choice has come to, so that none but those are changed: it is made anew when the operation has its turn, and another
/// backup in between moves the numbers of versions and what a rule keeps.
/// </summary>
public sealed class ShownVersions
{
    private HashSet<DateTime>? m_times;

    /// <summary>Whether there was a choice before.</summary>
    internal bool IsKnown => m_times is not null;

    /// <summary>Notes the times of the chosen versions, and fails if others were noted before.</summary>
    /// <exception cref="UserInformationException">Help id <c>VersionsHaveChanged</c>.</exception>
    internal void Require(IEnumerable<DateTime> times)
    {
        var chosen = times.Select(x => x.ToUniversalTime()).ToHashSet();
        m_times ??= chosen;
        if (!m_times.SetEquals(chosen))
            throw new UserInformationException(
                "Another operation has changed the versions meanwhile, and others would be chosen now than at first. No version was changed.",
                "VersionsHaveChanged"
            );
    }
}

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
