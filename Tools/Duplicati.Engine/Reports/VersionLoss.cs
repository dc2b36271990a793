
namespace Duplicati.Engine.Reports;

/// <summary>What a version loses for good, as a user counts it.</summary>
/// <param name="Time">Its time (local).</param>
/// <param name="IsWhole">Whether the whole version goes.</param>
/// <param name="Entries">Files, folders and symbolic links that go.</param>
/// <param name="Files">Files among them.</param>
/// <param name="Bytes">Bytes of those files.</param>
public sealed record VersionLoss(DateTime Time, bool IsWhole, long Entries, long Files, long Bytes);
