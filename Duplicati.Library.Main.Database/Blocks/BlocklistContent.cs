#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>A blocklist as it is stored in a volume.</summary>
/// <param name="Hash">The Base64 block hash of the content.</param>
/// <param name="Digests">The content: raw digests, one after the other, without padding.</param>
internal readonly record struct BlocklistContent(string Hash, byte[] Digests);
