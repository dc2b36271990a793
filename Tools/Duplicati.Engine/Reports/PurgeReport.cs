
namespace Duplicati.Engine.Reports;

/// <summary>One version rewritten without some of its files, or only with another time, to make room for another one.</summary>
/// <param name="Time">Its time before (local).</param>
/// <param name="NewTime">Its time after (local): a free second between its neighbours.</param>
/// <param name="RemovedFiles">Entries removed.</param>
/// <param name="RemovedBytes">Bytes of the blocks that only they used, within the version.</param>
/// <param name="UpdatedFiles">Entries that stayed with replaced metadata.</param>
/// <param name="Files">Paths of the removed files; in a dry run only.</param>
public sealed record PurgedVersion(DateTime Time, DateTime NewTime, long RemovedFiles, long RemovedBytes, long UpdatedFiles, IReadOnlyList<string> Files);

/// <summary>What a purge did, or would do in a dry run.</summary>
/// <param name="Rewritten">Versions rewritten, oldest first.</param>
/// <param name="Deleted">Times (local) of the versions of which nothing was left.</param>
/// <param name="DryRun">True if nothing was changed.</param>
/// <param name="Compact">What compacting did; null if it did not run.</param>
/// <param name="Losses">What was removed: that of whole versions first, then of the rewritten ones. Versions that lose nothing are not named.</param>
public sealed record PurgeReport(IReadOnlyList<PurgedVersion> Rewritten, IReadOnlyList<DateTime> Deleted, bool DryRun, CompactReport? Compact, IReadOnlyList<VersionLoss> Losses);
