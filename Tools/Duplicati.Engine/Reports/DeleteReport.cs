// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Reports;

/// <summary>What a deletion did, or would do in a dry run.</summary>
/// <param name="Times">Times of the chosen versions (local).</param>
/// <param name="DeletedVersions">Versions deleted.</param>
/// <param name="DeletedVolumes">File list volumes deleted.</param>
/// <param name="DeletedBytes">Their bytes.</param>
/// <param name="Compact">What compacting did; null if it was not allowed.</param>
/// <param name="Losses">What went with the versions, in the order of <paramref name="Times"/>.</param>
/// <param name="DryRun">True if nothing was changed.</param>
public sealed record DeleteReport(
    IReadOnlyList<DateTime> Times,
    int DeletedVersions,
    int DeletedVolumes,
    long DeletedBytes,
    CompactReport? Compact,
    IReadOnlyList<VersionLoss> Losses,
    bool DryRun
)
{
    /// <summary>Times (UTC) that were chosen and are those of no version.</summary>
    public IReadOnlyList<DateTime> NotFound { get; init; } = [];
}

/// <summary>
/// Which versions a deletion takes: those named, or those that one rule does not keep. A rule never takes the newest version, nor the
/// newest complete one.
/// </summary>
public sealed record DeleteChoices
{
    /// <summary>Positions in the list of versions, 0 = newest.</summary>
    public IReadOnlyCollection<long> Versions { get; init; } = [];

    /// <summary>Instead, or as well: times of versions, local or UTC. Those of no version are in the report.</summary>
    public IReadOnlyCollection<DateTime> Times { get; init; } = [];

    /// <summary>Permits to delete every version there is.</summary>
    public bool AllowAll { get; init; }

    /// <summary>Instead: number of newest complete versions to keep.</summary>
    public int? KeepVersions { get; init; }

    /// <summary>Instead: the time, local or UTC, of which older versions are deleted.</summary>
    public DateTime? KeepSince { get; init; }

    /// <summary>Instead: how many versions of which age to keep.</summary>
    public RetentionPolicy? Policy { get; init; }

    /// <summary>What somebody was shown of these choices, so that nothing else goes; null if nobody was.</summary>
    public ShownVersions? Shown { get; init; }

    /// <summary>The time (UTC) that ages count from.</summary>
    internal DateTime Now { get; init; } = DateTime.UtcNow;
}

/// <summary>What a version loses for good, as a user counts it.</summary>
/// <param name="Time">Its time (local).</param>
/// <param name="IsWhole">Whether the whole version goes.</param>
/// <param name="Entries">Files, folders and symbolic links that go.</param>
/// <param name="Files">Files among them.</param>
/// <param name="Bytes">Bytes of those files.</param>
public sealed record VersionLoss(DateTime Time, bool IsWhole, long Entries, long Files, long Bytes);
