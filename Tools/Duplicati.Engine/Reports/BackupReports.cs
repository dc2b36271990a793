// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Reports;

/// <summary>What a backup did.</summary>
/// <param name="NewVersion">False if nothing had changed and no version was made.</param>
/// <param name="Files">Files examined.</param>
/// <param name="Folders">Folders examined.</param>
/// <param name="Symlinks">Symbolic links examined.</param>
/// <param name="SourceBytes">Bytes of the files examined.</param>
/// <param name="Skipped">Entries that could not be read.</param>
/// <param name="NewBlocks">Blocks that no earlier version had.</param>
/// <param name="NewBytes">Bytes of those blocks.</param>
/// <param name="UploadedVolumes">Volumes uploaded.</param>
/// <param name="UploadedBytes">Bytes uploaded.</param>
public sealed record BackupReport(
    bool NewVersion,
    long Files,
    long Folders,
    long Symlinks,
    long SourceBytes,
    long Skipped,
    long NewBlocks,
    long NewBytes,
    int UploadedVolumes,
    long UploadedBytes
);

/// <summary>
/// What compacting did, or would do in a dry run, where the bytes uploaded may differ by a few, as times of day compress differently.
/// </summary>
/// <param name="ReadVolumes">Block volumes whose remaining blocks were copied.</param>
/// <param name="NewVolumes">Volumes uploaded, index volumes included.</param>
/// <param name="UploadedBytes">Their bytes.</param>
/// <param name="DeletedVolumes">Volumes deleted, index volumes included.</param>
/// <param name="DeletedBytes">Their bytes.</param>
public sealed record CompactReport(int ReadVolumes, int NewVolumes, long UploadedBytes, int DeletedVolumes, long DeletedBytes);

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

/// <summary>The label that a version has now.</summary>
/// <param name="Time">When the version was made (UTC).</param>
/// <param name="Label">The text; null if it was removed.</param>
public sealed record LabelReport(DateTime Time, string? Label);
