// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>Database files for rebuild tests, and what is in them with ids replaced by what they stand for.</summary>
internal static class RebuildFile
{
    private const string Contents = """
        SELECT 'volume', Name, Type, State, Size, Hash FROM Remotevolume
        UNION ALL SELECT 'link', IndexVolumeID, BlockVolumeID, 0, 0, 0 FROM IndexBlockLink
        UNION ALL SELECT 'block', Hash, Size, VolumeID, 0, 0 FROM Block
        UNION ALL SELECT 'deleted', Hash, Size, VolumeID, 0, 0 FROM DeletedBlock
        UNION ALL SELECT 'duplicate', b.Hash, b.Size, d.VolumeID, 0, 0 FROM DuplicateBlock d LEFT JOIN Block b ON b.ID = d.BlockID
        UNION ALL SELECT 'blockset', FullHash, Length, 0, 0, 0 FROM Blockset
        UNION ALL SELECT 'blocklist', s.FullHash, s.Length, l."Index", l.Hash, 0 FROM BlocklistHash l LEFT JOIN Blockset s ON s.ID = l.BlocksetID
        UNION ALL SELECT 'entry', s.FullHash, s.Length, e."Index", b.Hash, b.Size FROM BlocksetEntry e LEFT JOIN Blockset s ON s.ID = e.BlocksetID LEFT JOIN Block b ON b.ID = e.BlockID
        UNION ALL SELECT 'metadata', s.FullHash, s.Length, m.Content, 0, 0 FROM Metadataset m LEFT JOIN Blockset s ON s.ID = m.BlocksetID
        UNION ALL SELECT 'file', f.PrefixID, f.Path, CASE WHEN f.BlocksetID < 0 THEN f.BlocksetID ELSE s.FullHash || s.Length END, ms.FullHash || ms.Length, COALESCE(e.FilesetID || '/' || e.Lastmodified, 'unlisted')
            FROM FileLookup f LEFT JOIN Blockset s ON s.ID = f.BlocksetID LEFT JOIN Metadataset m ON m.ID = f.MetadataID LEFT JOIN Blockset ms ON ms.ID = m.BlocksetID
            LEFT JOIN FilesetEntry e ON e.FileID = f.ID
        """;

    /// <summary>Makes a database with volumes and filesets 1 to 3.</summary>
    internal static async Task<string> CreateAsync(TestFolder folder, string name, IEnumerable<PlanVolume> volumes)
    {
        var path = folder.File(name);
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default);
        var connection = db.Connection;
        foreach (var volume in volumes)
        {
            connection.Execute(
                $"INSERT INTO Remotevolume VALUES ({volume.Id}, 1, '{volume.Name}', 'Blocks', 1000, NULL, '{volume.State}', 0, 0, 0, 0)"
            );
            connection.Execute($"INSERT INTO IndexBlockLink VALUES ({volume.Id + 100}, {volume.Id})");
        }

        connection.Execute(
            "INSERT INTO Fileset VALUES (1, 1, 1, 1, 1000), (2, 1, 2, 1, 2000), (3, 1, 3, 1, 3000); INSERT INTO PathPrefix VALUES (1, '/data/')"
        );
        await db.CommitAsync(CancellationToken.None);
        return path;
    }

    /// <summary>All rows as text, sorted.</summary>
    internal static List<string> Dump(string path)
    {
        using var connection = Databases.Open(path);
        return [.. connection.Lines(Contents).Order(StringComparer.Ordinal)];
    }

    /// <summary>The definitions of all tables, indexes and views.</summary>
    internal static List<string> Schema(string path)
    {
        using var connection = Databases.Open(path);
        return
        [
            .. connection.Lines(
                "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1"
            ),
        ];
    }
}
