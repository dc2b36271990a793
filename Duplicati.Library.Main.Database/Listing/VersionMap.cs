#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The filesets in which a listing looks for files, and the entries of a file in them.</summary>
internal sealed class VersionMap
{
    private readonly Dictionary<long, FilesetRow> m_filesets = [];

    /// <summary>Knows the given filesets, or all if there are none given. Reads Fileset once.</summary>
    internal VersionMap(DatabaseSession session, long[]? filesetIds)
    {
        var wanted = filesetIds is { Length: > 0 } ? filesetIds.ToHashSet() : null;
        foreach (var fileset in FilesetListing.All(session).Where(x => wanted is null || wanted.Contains(x.Id)))
            m_filesets[fileset.Id] = fileset; // Damaged pages may give an id twice.
    }

    /// <summary>Adds the entries of one file to a list, in no order.</summary>
    /// <param name="select">The statement <see cref="FileVersionSql.Entries"/>.</param>
    /// <param name="fileId">The file.</param>
    /// <param name="entries">Takes them.</param>
    internal void Read(Statement select, long fileId, List<VersionEntry> entries)
    {
        select.Bind(1, fileId);
        while (select.Step())
        {
            if (m_filesets.TryGetValue(select.GetInt64(0), out var fileset))
                entries.Add(new VersionEntry(fileId, fileset, select.GetInt64(1)));
        }
    }
}
