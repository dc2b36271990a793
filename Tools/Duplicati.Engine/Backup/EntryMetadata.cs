using Duplicati.Engine.Data;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Backup;

/// <summary>The metadata of one source entry as it will be stored.</summary>
/// <param name="FileHash">Base64 file hash of the blob.</param>
/// <param name="Blob">JSON text with byte order mark.</param>
/// <param name="Values">The pairs in it.</param>
internal sealed record EntryMetadata(string FileHash, byte[] Blob, Dictionary<string, string> Values) : IMetahash
{
    internal static EntryMetadata Read(MetadataReader reader, SourceEntry entry, VolumeHash algorithm)
    {
        var metadata = reader.Read(entry.FileSystemPath);
        var blob = metadata.ToBytes();
        return new EntryMetadata(algorithm.HashToBase64(blob), blob, new Dictionary<string, string>(metadata.Values, StringComparer.Ordinal));
    }
}
