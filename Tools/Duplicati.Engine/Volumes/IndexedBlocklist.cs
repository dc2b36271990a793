namespace Duplicati.Engine.Volumes;

/// <summary>A blocklist of an index volume whose content was checked against its hash.</summary>
/// <param name="Hash">Its block hash, Base64.</param>
/// <param name="Digests">Its content: raw digests one after the other. Valid until the next blocklist is asked for.</param>
public readonly record struct IndexedBlocklist(string Hash, ReadOnlyMemory<byte> Digests);
