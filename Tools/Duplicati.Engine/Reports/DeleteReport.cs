
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
    bool DryRun);
