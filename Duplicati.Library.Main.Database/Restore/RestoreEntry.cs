#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>One entry of a file list.</summary>
/// <param name="Id">FileLookup.ID.</param>
/// <param name="Path">The path it was backed up from.</param>
/// <param name="FullHash">Base64 hash of the file; null without a blockset.</param>
/// <param name="Length">Bytes; 0 without a blockset.</param>
/// <param name="BlocksetId">Its blockset, or the mark of a folder or a symbolic link.</param>
/// <param name="MetadataId">Its metadataset.</param>
/// <param name="HasBlocks">Whether the blockset has blocks.</param>
internal sealed record RestoreEntry(long Id, string Path, string? FullHash, long Length, long BlocksetId, long MetadataId, bool HasBlocks)
{
    /// <summary>Reads an entry; null if it is not in the list any more.</summary>
    internal static RestoreEntry? Read(DatabaseSession session, long id)
    {
        using var entry = session.Take(RestoreReadSql.Entry);
        entry.Bind(1, id);
        return entry.Step()
            ? new RestoreEntry(id, entry.GetString(0)!, entry.GetString(1), entry.GetInt64(2), entry.GetInt64(3), entry.GetInt64(4), entry.GetInt64(5) != 0)
            : null;
    }
}
