
namespace Duplicati.Engine.Reports;

/// <summary>One version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="IsFull">Whether the backup went to its end; null where the listing does not know.</param>
/// <param name="Volume">Its file list volume, or null.</param>
/// <param name="Entries">Files, folders and symbolic links in it; null where the listing does not know.</param>
/// <param name="Bytes">Bytes of its files; null where the listing does not know.</param>
/// <param name="OwnBytes">Bytes of contents that no other version has; null where the listing does not know.</param>
public sealed record ListedVersion(long Version, DateTime Time, bool? IsFull, string? Volume, long? Entries = null, long? Bytes = null, long? OwnBytes = null);
