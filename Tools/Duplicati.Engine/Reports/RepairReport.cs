
namespace Duplicati.Engine.Reports;

/// <summary>What a repair did, or would do in a dry run.</summary>
/// <param name="DryRun">True if nothing was changed.</param>
/// <param name="Recreated">What the recreate did; null if there was a database to repair.</param>
/// <param name="Uploaded">Names of the volumes made anew, in order.</param>
/// <param name="Deleted">Names of the volumes deleted from the remote folder, in order.</param>
/// <param name="Adopted">Names of index volumes that were unknown and are used again.</param>
/// <param name="UnknownFiles">Names of volumes in the remote folder that the database does not know; they were kept.</param>
/// <param name="RecoveredBlocks">Number of blocks of missing block volumes found elsewhere.</param>
/// <param name="LostBlocks">Number of those not found; versions that need them stay broken until they are purged.</param>
/// <param name="Problems">What is still wrong, one text each; empty when all is well.</param>
/// <param name="Discarded">Volumes among the deleted ones that nothing replaces, as was asked for.</param>
/// <param name="KeptDamaged">Names that damaged volumes now have in the folder; everything that can be read of them is in other volumes.</param>
public sealed record RepairReport(
    bool DryRun,
    RecreateReport? Recreated,
    IReadOnlyList<string> Uploaded,
    IReadOnlyList<string> Deleted,
    IReadOnlyList<string> Adopted,
    IReadOnlyList<string> UnknownFiles,
    long RecoveredBlocks,
    long LostBlocks,
    IReadOnlyList<string> Problems,
    IReadOnlyList<DiscardedVolume> Discarded,
    IReadOnlyList<string> KeptDamaged);

/// <summary>A volume that was deleted without anything in its place.</summary>
/// <param name="Name">Its file name.</param>
/// <param name="Bytes">Its length.</param>
public sealed record DiscardedVolume(string Name, long Bytes);
