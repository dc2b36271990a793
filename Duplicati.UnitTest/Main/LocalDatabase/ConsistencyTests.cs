// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class ConsistencyTests : LocalDatabaseTestBase
{
    private const int BLOCKSIZE = 96;
    private const int HASHSIZE = 32;

    // A file of four blocks (two blocklists of up to three entries), an empty file, a folder and a link.
    [SetUp]
    public async Task Fill()
    {
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'b', 'Blocks', 'Verified', 0, 0, 0, 0), (2, 1, 'l', 'Files', 'Verified', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 1000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'a', 96, 1), (2, 'b', 96, 1), (3, 'c', 96, 1), (4, 'd', 10, 1), (5, 'm', 20, 1), (6, 'l1', 96, 1), (7, 'l2', 32, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 298, 'file'), (2, 20, 'm'), (3, 0, 'empty');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (1, 1, 2), (1, 2, 3), (1, 3, 4), (2, 0, 5);
            INSERT INTO BlocklistHash VALUES (1, 0, 'l1'), (1, 1, 'l2');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f', 1, 1), (2, 1, 'd/', -100, 1), (3, 1, 'e', 3, 1), (4, 1, 's', -200, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0), (1, 3, 0), (1, 4, 0);
            """
        );
        await Db.Transaction.CommitAsync(default);
    }

    private Task Verify(bool lists = true) => Db.VerifyConsistencyAsync(BLOCKSIZE, HASHSIZE, lists, default);

    private Task VerifyLax(bool lists = true) => Db.VerifyConsistencyForRepairAsync(BLOCKSIZE, HASHSIZE, lists, default);

    private DatabaseInconsistencyException Fails(Func<Task> check) => Assert.ThrowsAsync<DatabaseInconsistencyException>(() => check())!;

    [Test]
    public void An_empty_database_passes()
    {
        Execute(
            "DELETE FROM FilesetEntry; DELETE FROM FileLookup; DELETE FROM Fileset; DELETE FROM Remotevolume; DELETE FROM Blockset; DELETE FROM BlocksetEntry; DELETE FROM BlocklistHash"
        );

        Assert.That(() => Verify(), Throws.Nothing);
    }

    // Check 1.
    [TestCase("UPDATE Blockset SET Length = 299 WHERE ID = 1", "/f", "299", "298")]
    [TestCase("DELETE FROM Block WHERE ID = 4", "/f", "298", "288")]
    [TestCase("UPDATE Blockset SET Length = 5 WHERE ID = 3", "/e", "5", "0")]
    // Check 2.
    [TestCase("DROP INDEX BlocklistHashBlocksetIDIndex; INSERT INTO BlocklistHash VALUES (1, 1, 'l2')", "3", "2", "blocklist")]
    // Check 3.
    [TestCase("DELETE FROM BlocklistHash WHERE \"Index\" = 1", "1 file(s)", "blocklist", "blocklist")]
    [TestCase("INSERT INTO BlocklistHash VALUES (1, 2, 'l3')", "1 file(s)", "blocklist", "blocklist")]
    // Check 4.
    [TestCase("INSERT INTO Blockset (Length, FullHash) VALUES (5, 'x')", "blockset", "blocks", "no")]
    // Check 5.
    [TestCase("UPDATE FileLookup SET BlocksetID = 99 WHERE ID = 3", "non-existing", "blockset", "1")]
    [TestCase("UPDATE FileLookup SET BlocksetID = -300 WHERE ID = 3", "non-existing", "blockset", "1")]
    // Check 8.
    [TestCase("DELETE FROM FileLookup WHERE ID = 4", "1 file entries", "Version 0", "fileset id 1")]
    [Contract("A 10 row 1")]
    [Contract("A 10 row 2")]
    [Contract("A 10 row 3")]
    [Contract("A 10 row 4")]
    [Contract("A 10 row 5")]
    [Contract("A 10 row 8")]
    [Contract("A 12 row 12")]
    [Contract("A 13 Q22")]
    public void Damage_is_found_by_the_strict_and_the_lax_check_with_and_without_lists(
        string damage,
        string first,
        string second,
        string third
    )
    {
        Execute(damage);

        foreach (var check in new[] { () => Verify(), () => Verify(false), () => VerifyLax(), () => VerifyLax(false) })
        {
            var error = Fails(check);
            Assert.That(error.HelpID, Is.EqualTo("DatabaseInconsistency"));
            Assert.That(error.Message, Does.Contain(first).And.Contain(second).And.Contain(third));
        }
    }

    // Check 6.
    [TestCase("DELETE FROM Remotevolume WHERE ID = 2", "1 fileset")]
    [TestCase("UPDATE Remotevolume SET State = 'Deleted' WHERE ID = 2", "1 fileset")]
    [TestCase("UPDATE Fileset SET VolumeID = 1", "1 fileset")]
    // Check 7.
    [TestCase("DELETE FROM Fileset; DELETE FROM FilesetEntry", "name l, state Verified")]
    [Contract("A 10 row 6")]
    [Contract("A 10 row 7")]
    [Contract("A 12 row 12")]
    public void Damaged_links_of_filesets_and_lists_are_found_by_the_strict_check_only(string damage, string part)
    {
        Execute(damage);

        Assert.That(Fails(() => Verify(false)).Message, Does.Contain(part));
        Assert.That(() => VerifyLax(), Throws.Nothing);
    }

    [Test]
    public void A_list_that_is_being_deleted_needs_no_fileset()
    {
        Execute("DELETE FROM Fileset; DELETE FROM FilesetEntry; UPDATE Remotevolume SET State = 'Deleting' WHERE ID = 2");

        Assert.That(() => Verify(), Throws.Nothing);
    }

    // Check 9.
    [TestCase("DELETE FROM Metadataset", "found 2 entries, but expected 4")]
    [TestCase("DELETE FROM Blockset WHERE ID = 2", "found 2 entries, but expected 4")]
    [TestCase(
        "DELETE FROM BlocksetEntry WHERE BlocksetID = 2; UPDATE Blockset SET Length = 0 WHERE ID = 2",
        "found 2 entries, but expected 4"
    )]
    [TestCase(
        "INSERT INTO FileLookup VALUES (5, 1, 'f', 3, 1); INSERT INTO FilesetEntry VALUES (1, 5, 0)",
        "found 4 entries, but expected 5"
    )]
    [TestCase(
        "INSERT INTO PathPrefix VALUES (2, ''); INSERT INTO FileLookup VALUES (5, 2, '/d/', -100, 1); INSERT INTO FilesetEntry VALUES (1, 5, 0)",
        "found 4 entries, but expected 5"
    )]
    [TestCase("UPDATE FileLookup SET PrefixID = 7 WHERE ID = 3", "found 3 entries, but expected 4")]
    [Contract("A 10 row 9")]
    [Contract("A 12 row 8")]
    public void Entries_that_a_list_would_lack_are_found_when_lists_are_checked(string damage, string part)
    {
        Execute(damage);

        foreach (var check in new[] { () => Verify(), () => VerifyLax() })
        {
            var error = Fails(check);
            Assert.That(error.HelpID, Is.EqualTo("FilesetDifferences"));
            Assert.That(error.Message, Does.Contain(part));
        }

        Assert.That(() => Verify(false), Throws.Nothing);
    }

    [Test]
    [Contract("A 10 row 1")]
    public void Many_wrong_files_are_counted_and_five_are_shown()
    {
        for (var i = 10; i < 20; i++)
            Execute($"INSERT INTO FileLookup VALUES ({i}, 1, 'x{i}', 1, 1)");
        Execute("UPDATE Blockset SET Length = 299 WHERE ID = 1");

        var message = Fails(() => Verify()).Message;

        Assert.That(message.Split("calculated").Length - 1, Is.EqualTo(5));
        Assert.That(message, Does.Contain("6 more"));
    }

    [Test]
    [Contract("A 6.14 reads only")]
    public async Task A_check_writes_nothing()
    {
        var before = Db.Session.Statements.TotalChanges;

        await Verify();
        await VerifyLax(false);

        Assert.That(Db.Session.Statements.TotalChanges, Is.EqualTo(before));
    }

    [Test]
    public void A_cancelled_check_throws_and_can_be_repeated()
    {
        Assert.That(
            () => Db.VerifyConsistencyAsync(BLOCKSIZE, HASHSIZE, true, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(() => Verify(), Throws.Nothing);
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithDatabase))]
    [Contract("A 10 invariants")]
    public async Task Real_databases_pass(string set)
    {
        foreach (
            var name in new[] { "local.sqlite", "recreated.sqlite", "recreated-by-109.sqlite", "after-compact.sqlite" }.Where(x =>
                GoldenData.Exists(set, x)
            )
        )
        {
            using var folder = new TestFolder();
            using var db = await LocalDatabase.CreateLocalDatabaseAsync(
                GoldenData.Unpack(set, name, folder.Path),
                "Test",
                true,
                null,
                default
            );
            var options = await db.GetDbOptionsAsync(default);
            var hashsize = options["blockhash"] switch
            {
                "MD5" => 16,
                "SHA512" => 64,
                "SHA1" => 20,
                _ => 32,
            };

            Assert.That(() => db.VerifyConsistencyAsync(long.Parse(options["blocksize"]), hashsize, true, default), Throws.Nothing, name);
        }
    }
}
