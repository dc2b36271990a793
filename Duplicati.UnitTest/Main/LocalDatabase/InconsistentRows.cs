// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>
/// Small random contents of a database: shared blocks, blocksets, metadata and files over several filesets, some of them without
/// a file entry, with every kind of volume and state. Not consistent on purpose where the layer must cope with it.
/// </summary>
internal static class InconsistentRows
{
    private const long FAR_FUTURE = 4_000_000_000;

    internal static void Fill(SqliteConnection connection, Random random)
    {
        var volumes = random.Next(4, 14);
        for (var id = 1; id <= volumes; id++)
            AddVolume(connection, random, id);

        var blocks = random.Next(5, 40);
        for (var id = 1; id <= blocks; id++)
            connection.Execute(
                $"INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES ({id}, 'b{id}', {random.Next(1, 100)}, {random.Next(1, volumes + 1)})"
            );
        AddBlocksets(connection, random, blocks);
        AddFilesets(connection, random, volumes);
        for (var i = random.Next(6); i > 0; i--)
        {
            connection.Execute($"INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES ('d{i}', {i}, {random.Next(1, volumes + 1)})");
            connection.Execute(
                $"INSERT OR IGNORE INTO DuplicateBlock VALUES ({random.Next(1, blocks + 1)}, {random.Next(1, volumes + 1)})"
            );
            connection.Execute($"INSERT INTO IndexBlockLink VALUES ({random.Next(1, volumes + 1)}, {random.Next(1, volumes + 1)})");
        }
    }

    private static void AddVolume(SqliteConnection connection, Random random, int id)
    {
        var grace = random.Next(3) == 0 ? FAR_FUTURE : 0;
        connection.Execute(
            $"""
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES ({id}, 1, 'v{id}', '{(RemoteVolumeType)random.Next(3)}', '{(RemoteVolumeState)random.Next(6)}', 0, {grace}, 0, 0)
            """
        );
    }

    private static void AddBlocksets(SqliteConnection connection, Random random, int blocks)
    {
        for (var id = 1; id <= 20; id++)
        {
            connection.Execute($"INSERT INTO Blockset (ID, Length, FullHash) VALUES ({id}, {random.Next(100)}, 'full{id}')");
            for (var index = random.Next(4); index > 0; index--)
                connection.Execute($"INSERT INTO BlocksetEntry VALUES ({id}, {index - 1}, {random.Next(1, blocks + 1)})");
            if (random.Next(3) == 0)
                connection.Execute($"INSERT INTO BlocklistHash VALUES ({id}, 0, 'b{random.Next(1, blocks + 5)}')");
        }

        for (var id = 1; id <= 6; id++)
            connection.Execute($"INSERT INTO Metadataset (ID, BlocksetID) VALUES ({id}, {random.Next(1, 21)})");
    }

    private static void AddFilesets(SqliteConnection connection, Random random, int volumes)
    {
        connection.Execute("INSERT INTO PathPrefix VALUES (1, '/')");
        for (var id = 1; id <= 25; id++)
            connection.Execute(
                $"INSERT INTO FileLookup VALUES ({id}, 1, 'f{id}', {(random.Next(4) == 0 ? -100 : random.Next(1, 21))}, {random.Next(1, 7)})"
            );
        for (var id = 1; id <= 4; id++)
        {
            connection.Execute(
                $"INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES ({id}, 1, {random.Next(1, volumes + 1)}, 1, {id})"
            );
            connection.Execute(
                $"INSERT INTO ChangeJournalData (FilesetID, VolumeName, JournalID, NextUsn, ConfigHash) VALUES ({id}, 'C', 1, 1, '')"
            );
            for (var file = random.Next(10); file > 0; file--)
                connection.Execute($"INSERT OR IGNORE INTO FilesetEntry VALUES ({id}, {random.Next(1, 26)}, 0)");
        }
    }
}
