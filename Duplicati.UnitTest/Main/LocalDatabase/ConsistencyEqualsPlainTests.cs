// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.UnitTest.Main.Plain;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Random databases with random damage fail at the same check as when checked by plain statements.</summary>
public sealed class ConsistencyEqualsPlainTests : LocalDatabaseTestBase
{
    private const int RUNS = 250;
    private const int ENTRIES_PER_BLOCKLIST = 3;

    // Text of a message that only this check has.
    private static readonly (string Text, int Check)[] s_messages =
    [
        ("Found inconsistency", 1),
        ("positions are taken more than once", 2),
        ("missing or extra blocklist", 3),
        ("non-empty blockset", 4),
        ("non-existing blockset", 5),
        ("missing or deleted volume", 6),
        ("list volume", 7),
        ("file entries that reference", 8),
        ("found ", 9),
    ];

    private static readonly string[] s_damages =
    [
        "UPDATE Blockset SET Length = Length + 1 WHERE ID = {0}",
        "DELETE FROM Block WHERE ID = {0}",
        "UPDATE Block SET Size = Size + 1 WHERE ID = {0}",
        "INSERT INTO BlocklistHash SELECT BlocksetID, \"Index\", Hash FROM BlocklistHash WHERE BlocksetID = {0}",
        "DELETE FROM BlocklistHash WHERE BlocksetID = {0}",
        "INSERT INTO BlocklistHash VALUES ({0}, 7, 'extra')",
        "DELETE FROM BlocksetEntry WHERE BlocksetID = {0}",
        "DELETE FROM Blockset WHERE ID = {0}",
        "INSERT INTO Blockset (Length, FullHash) VALUES (5, 'lone{0}')",
        "UPDATE FileLookup SET BlocksetID = 900 WHERE ID = {0}",
        "UPDATE FileLookup SET BlocksetID = -100 WHERE ID = {0}",
        "UPDATE FileLookup SET BlocksetID = -300 WHERE ID = {0}",
        "UPDATE FileLookup SET PrefixID = 99 WHERE ID = {0}",
        "UPDATE FileLookup SET MetadataID = 99 WHERE ID = {0}",
        "DELETE FROM FileLookup WHERE ID = {0}",
        "DELETE FROM Metadataset WHERE ID = {0}",
        "DELETE FROM Fileset WHERE ID = {0}",
        "DELETE FROM Remotevolume WHERE ID = {0}",
        "UPDATE Remotevolume SET State = 'Deleted' WHERE ID = {0}",
        "UPDATE Remotevolume SET State = 'Deleting' WHERE ID = {0}",
        "UPDATE Fileset SET VolumeID = 1 WHERE ID = {0}",
        "INSERT OR IGNORE INTO FilesetEntry VALUES (1, {0}, 0)",
        "INSERT OR IGNORE INTO FilesetEntry VALUES (77, {0}, 0)",
        "INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) SELECT PrefixID, Path, BlocksetID, 1 + MetadataID FROM FileLookup WHERE ID = {0}; INSERT OR IGNORE INTO FilesetEntry VALUES (2, last_insert_rowid(), 0)",
        "INSERT INTO FileLookup (PrefixID, Path, BlocksetID, MetadataID) SELECT 3, '/' || Path, BlocksetID, MetadataID FROM FileLookup WHERE ID = {0} AND PrefixID = 1; INSERT OR IGNORE INTO FilesetEntry VALUES (2, last_insert_rowid(), 0)",
    ];

    [Test]
    [Contract("A 10 order")]
    public async Task The_same_check_fails_first()
    {
        var seed = LongRun.Seed();
        Execute("DROP INDEX BlocklistHashBlocksetIDIndex");
        var seen = new HashSet<int>();
        for (var run = 0; run < RUNS; run++)
        {
            var random = new Random(seed + run);
            Fill(random);
            var damages = Enumerable
                .Range(0, random.Next(3))
                .Select(_ => string.Format(s_damages[random.Next(s_damages.Length)], random.Next(1, 9)))
                .ToList();
            // The second of two equal ones would be refused by a unique index.
            foreach (var damage in damages.Distinct())
                Execute(damage);

            foreach (var (strict, lists) in new[] { (true, true), (true, false), (false, true), (false, false) })
            {
                var expected = PlainLayer.FirstInconsistency(Db.Connection, ENTRIES_PER_BLOCKLIST, strict, lists);
                Assert.That(
                    await FirstFailure(strict, lists),
                    Is.EqualTo(expected),
                    $"seed {seed}, run {run}, strict {strict}, lists {lists}: {string.Join("; ", damages)}"
                );
                seen.Add(expected);
            }
        }

        Assert.That(seen, Has.Count.GreaterThan(6), "the damage is of many kinds");
    }

    private async Task<int> FirstFailure(bool strict, bool lists)
    {
        try
        {
            await (strict ? Db.VerifyConsistencyAsync(96, 32, lists, default) : Db.VerifyConsistencyForRepairAsync(96, 32, lists, default));
            return 0;
        }
        catch (DatabaseInconsistencyException ex)
        {
            return s_messages.First(x => ex.Message.Contains(x.Text, StringComparison.Ordinal)).Check;
        }
    }

    // Consistent: blocksets 1..6 (blocks of 10 bytes), metadata 1..3, files and folders under two prefixes, filesets 1..3.
    private void Fill(Random random)
    {
        foreach (
            var table in new[]
            {
                "Remotevolume",
                "Fileset",
                "FilesetEntry",
                "PathPrefix",
                "FileLookup",
                "BlocklistHash",
                "Blockset",
                "BlocksetEntry",
                "Block",
                "Metadataset",
            }
        )
            Execute($"DELETE FROM {table}");
        for (var id = 1; id <= 12; id++)
            Execute($"INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES ({id}, 'h{id}', 10, 1)");
        for (var id = 1; id <= 6; id++)
            AddBlockset(id, id > 3 ? random.Next(1, 3) : random.Next(0, 9));
        Execute(
            """
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 4), (2, 5), (3, 6);
            INSERT INTO PathPrefix VALUES (1, '/'), (2, '/d/'), (3, '');
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'b', 'Blocks', 'Verified', 0, 0, 0, 0), (2, 1, 'l2', 'Files', 'Verified', 0, 0, 0, 0), (3, 1, 'l3', 'Files', 'Verified', 0, 0, 0, 0), (4, 1, 'l4', 'Files', 'Verified', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 10), (2, 1, 3, 1, 20), (3, 1, 4, 1, 30);
            """
        );
        for (var id = 1; id <= 8; id++)
            Execute(
                $"INSERT INTO FileLookup VALUES ({id}, {random.Next(1, 3)}, 'n{id}', {(random.Next(3) == 0 ? -100 * random.Next(1, 3) : random.Next(1, 4))}, {random.Next(1, 4)})"
            );
        for (var fileset = 1; fileset <= 3; fileset++)
            Execute($"INSERT INTO FilesetEntry SELECT {fileset}, ID, 0 FROM FileLookup WHERE (ID + {random.Next(8)}) % 3 <> {fileset % 3}");
    }

    private void AddBlockset(int id, int entries)
    {
        Execute($"INSERT INTO Blockset (ID, Length, FullHash) VALUES ({id}, {entries * 10}, 'f{id}')");
        for (var index = 0; index < entries; index++)
            Execute($"INSERT INTO BlocksetEntry VALUES ({id}, {index}, {1 + ((id + index) % 12)})");
        for (var index = 0; entries > 1 && index * ENTRIES_PER_BLOCKLIST < entries; index++)
            Execute($"INSERT INTO BlocklistHash VALUES ({id}, {index}, 'l{id}{index}')");
    }
}
