namespace Duplicati.Engine.Purge;

/// <summary>A version with files whose data or metadata is lost.</summary>
/// <param name="Version">Position among the versions, 0 = newest.</param>
/// <param name="FilesetId">Row of the fileset.</param>
/// <param name="Time">Its time (local).</param>
/// <param name="BrokenFiles">Number of broken entries.</param>
internal sealed record BrokenVersion(int Version, long FilesetId, DateTime Time, long BrokenFiles);
