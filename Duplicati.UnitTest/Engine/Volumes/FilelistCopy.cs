using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Writes an entry as it was read.</summary>
internal static class FilelistCopy
{
    internal static async Task AddAsync(FilelistWriter writer, FilelistEntry entry)
    {
        switch (entry.Type)
        {
            case FilelistEntryType.Folder:
                writer.AddDirectory(entry.Path, entry.MetaHash, entry.MetaSize, entry.MetaBlockHash, entry.MetaBlocklistHashes);
                break;
            case FilelistEntryType.Symlink:
                writer.AddSymlink(entry.Path, entry.MetaHash, entry.MetaSize, entry.MetaBlockHash, entry.MetaBlocklistHashes);
                break;
            default:
                await writer.AddFileAsync(entry.Path, entry.Hash!, entry.Size, entry.Time, entry.MetaHash, entry.MetaSize, entry.MetaBlockHash, entry.BlockHash, entry.BlockSize, entry.BlocklistHashes?.ToAsyncEnumerable(), entry.MetaBlocklistHashes);
                break;
        }
    }
}
