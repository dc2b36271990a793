namespace Duplicati.Engine.Operations;

/// <summary>What a deletion did.</summary>
/// <param name="Times">Times of the chosen versions (local).</param>
/// <param name="DeletedVersions">Versions deleted; 0 in a dry run.</param>
/// <param name="DeletedVolumes">File list volumes deleted.</param>
/// <param name="DeletedBytes">Their bytes.</param>
/// <param name="Compact">What compacting did; null if it was not allowed.</param>
public sealed record DeleteReport(IReadOnlyList<DateTime> Times, int DeletedVersions, int DeletedVolumes, long DeletedBytes, CompactReport? Compact);
