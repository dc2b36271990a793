namespace Duplicati.Engine.Operations;

/// <summary>One version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="IsFull">Whether the backup went to its end; null where the listing does not know.</param>
/// <param name="Volume">Its file list volume, or null.</param>
public sealed record ListedVersion(long Version, DateTime Time, bool? IsFull, string? Volume);
