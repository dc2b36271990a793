// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Plain;

internal sealed partial class PlainLayer
{
    /// <summary>Removes volumes: everything is read into sets, decided row by row, and deleted row by row.</summary>
    internal static void RemoveVolumes(SqliteConnection connection, string[] names)
    {
        var volumes = Rows(connection, "SELECT ID, Name FROM Remotevolume").Where(x => names.Contains(x[1])).Select(x => x[0]).ToHashSet();
        var blocks = Rows(connection, "SELECT ID, Hash, VolumeID FROM Block").Where(x => volumes.Contains(x[2])).ToList();
        var blockIds = blocks.Select(x => x[0]).ToHashSet();
        var blockHashes = blocks.Select(x => x[1]).ToHashSet();
        var sets = Rows(connection, "SELECT BlocksetID, BlockID FROM BlocksetEntry")
            .Where(x => blockIds.Contains(x[1]))
            .Select(x => x[0])
            .Concat(Rows(connection, "SELECT BlocksetID, Hash FROM BlocklistHash").Where(x => blockHashes.Contains(x[1])).Select(x => x[0]))
            .ToHashSet();

        var files = Rows(connection, "SELECT ID, BlocksetID, MetadataID FROM FileLookup").ToDictionary(x => x[0]);
        var metadata = Rows(connection, "SELECT ID, BlocksetID FROM Metadataset").ToDictionary(x => x[0], x => x[1]);
        var entries = Rows(connection, "SELECT FilesetID, FileID FROM FilesetEntry");
        var pairs = entries
            .Where(x => metadata.TryGetValue(files[x[1]][2], out var set) && sets.Contains(set))
            .Select(x => (Metadata: files[x[1]][2], Fileset: x[0]))
            .ToHashSet();
        var lostMetadata = pairs.Select(x => x.Metadata).ToHashSet();
        var hitFilesets = pairs.Select(x => x.Fileset).ToHashSet();

        foreach (var entry in entries)
        {
            var file = files[entry[1]];
            if ((hitFilesets.Contains(entry[0]) && lostMetadata.Contains(file[2])) || sets.Contains(file[1]))
                connection.Execute($"DELETE FROM FilesetEntry WHERE FilesetID = {entry[0]} AND FileID = {entry[1]}");
        }

        foreach (var file in files.Values.Where(x => lostMetadata.Contains(x[2]) || sets.Contains(x[1])))
            connection.Execute($"DELETE FROM FileLookup WHERE ID = {file[0]}");
        foreach (var id in metadata.Where(x => sets.Contains(x.Value)).Select(x => x.Key))
            connection.Execute($"DELETE FROM Metadataset WHERE ID = {id}");
        foreach (var id in sets)
            connection.Execute(
                $"DELETE FROM Blockset WHERE ID = {id}; DELETE FROM BlocksetEntry WHERE BlocksetID = {id}; DELETE FROM BlocklistHash WHERE BlocksetID = {id}"
            );
        foreach (var id in volumes)
            connection.Execute(
                $"DELETE FROM IndexBlockLink WHERE IndexVolumeID = {id} OR BlockVolumeID = {id}; DELETE FROM Block WHERE VolumeID = {id}; DELETE FROM DeletedBlock WHERE VolumeID = {id}"
            );
        RemoveFilesets(connection, volumes, hitFilesets);
        foreach (var name in names)
            connection.Execute(
                $"DELETE FROM Remotevolume WHERE Name = '{name}' AND (DeleteGraceTime < {DateTimeOffset.UtcNow.ToUnixTimeSeconds()} OR State <> 'Deleted')"
            );
    }

    private static void RemoveFilesets(SqliteConnection connection, HashSet<string> volumes, HashSet<string> hitFilesets)
    {
        var remaining = Rows(connection, "SELECT DISTINCT FilesetID FROM FilesetEntry").Select(x => x[0]).ToHashSet();
        foreach (var fileset in Rows(connection, "SELECT ID, VolumeID FROM Fileset"))
        {
            var listIsGone = volumes.Contains(fileset[1]);
            if (listIsGone)
                connection.Execute(
                    $"DELETE FROM ChangeJournalData WHERE FilesetID = {fileset[0]}; DELETE FROM FilesetEntry WHERE FilesetID = {fileset[0]}"
                );
            if (!listIsGone && (!hitFilesets.Contains(fileset[0]) || remaining.Contains(fileset[0])))
                continue;

            connection.Execute(
                $"UPDATE Remotevolume SET State = 'Deleting' WHERE ID = {fileset[1]} AND State NOT IN ('Deleting', 'Deleted')"
            );
            connection.Execute($"DELETE FROM Fileset WHERE ID = {fileset[0]}");
        }
    }

    private static List<string[]> Rows(SqliteConnection connection, string sql) => [.. connection.Lines(sql).Select(x => x.Split('|'))];
}
