// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Reports;

/// <summary>One version rewritten without some of its files, or only with another time, to make room for another one.</summary>
/// <param name="Time">Its time before (local).</param>
/// <param name="NewTime">Its time after (local): a free second between its neighbours.</param>
/// <param name="RemovedFiles">Entries removed.</param>
/// <param name="RemovedBytes">Bytes of the blocks that only they used, within the version.</param>
/// <param name="UpdatedFiles">Entries that stayed with replaced metadata.</param>
/// <param name="Files">Paths of the removed files; in a dry run only.</param>
public sealed record PurgedVersion(
    DateTime Time,
    DateTime NewTime,
    long RemovedFiles,
    long RemovedBytes,
    long UpdatedFiles,
    IReadOnlyList<string> Files
);

/// <summary>What a purge did, or would do in a dry run.</summary>
public sealed record PurgeReport
{
    /// <summary>Versions rewritten, oldest first.</summary>
    public IReadOnlyList<PurgedVersion> Rewritten { get; init; } = [];

    /// <summary>Times (local) of the versions of which nothing was left, and of unfinished ones that were given up.</summary>
    public IReadOnlyList<DateTime> Deleted { get; init; } = [];

    /// <summary>True if nothing was changed.</summary>
    public required bool DryRun { get; init; }

    /// <summary>What compacting did; null if it did not run.</summary>
    public CompactReport? Compact { get; init; }

    /// <summary>
    /// What was removed: that of whole versions first, then of the rewritten ones. Versions that lose nothing are not named.
    /// </summary>
    public IReadOnlyList<VersionLoss> Losses { get; init; } = [];

    /// <summary>Times (UTC) that were chosen and are those of no version.</summary>
    public IReadOnlyList<DateTime> NotFound { get; init; } = [];
}

/// <summary>What a purge takes out of which versions.</summary>
public sealed record PurgeChoices
{
    /// <summary>
    /// Paths, which take all below them, patterns with <c>*</c> and <c>?</c>, or regular expressions in brackets, of the files to remove.
    /// </summary>
    public required IReadOnlyCollection<string> Patterns { get; init; }

    /// <summary>The same of what is kept.</summary>
    public IReadOnlyCollection<string> Exclusions { get; init; } = [];

    /// <summary>Versions to rewrite, 0 = newest.</summary>
    public IReadOnlyCollection<long> Versions { get; init; } = [];

    /// <summary>Times of further ones, local or UTC; with no version either, all. Those of no version are in the report.</summary>
    public IReadOnlyCollection<DateTime> Times { get; init; } = [];

    /// <summary>What somebody was shown of these choices, so that nothing else is rewritten; null if nobody was.</summary>
    public ShownVersions? Shown { get; init; }
}
