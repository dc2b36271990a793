#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>A file in a fileset.</summary>
/// <param name="FileId">Id of the FileLookup row.</param>
/// <param name="Fileset">The fileset.</param>
/// <param name="LastModified">Ticks, UTC.</param>
internal readonly record struct VersionEntry(long FileId, FilesetRow Fileset, long LastModified)
{
    /// <summary>The oldest fileset first.</summary>
    internal static int OldestFirst(VersionEntry x, VersionEntry y)
    {
        var result = y.Fileset.Version.CompareTo(x.Fileset.Version);
        return result != 0 ? result : x.FileId.CompareTo(y.FileId);
    }
}
