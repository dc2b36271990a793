#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>A row of FileLookup with its folder and its length.</summary>
/// <param name="Id">Row id.</param>
/// <param name="Prefix">The folder with its separator.</param>
/// <param name="Name">The last component of the path.</param>
/// <param name="BlocksetId">The blockset, or the mark of a folder or symbolic link.</param>
/// <param name="Length">Bytes; 0 without a blockset.</param>
internal readonly record struct StoredFile(long Id, string Prefix, string Name, long BlocksetId, long Length)
{
    /// <summary>The row with an id, which must exist. Row ids only.</summary>
    internal static StoredFile Read(DatabaseSession session, long id)
    {
        using var select = session.Take(FileVersionSql.File);
        select.Bind(1, id);
        return select.Step()
            ? new StoredFile(id, select.GetString(3) ?? "", select.GetString(0) ?? "", select.GetInt64(1), select.GetInt64(2, 0))
            : throw new InvalidOperationException($"The file with id {id} has vanished.");
    }
}
