// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class EmptyMetadataTests : LocalDatabaseTestBase
{
    private Task<long> Find(IEnumerable<long> missing, string hash, long length) =>
        Db.GetEmptyMetadataBlocksetIdAsync(missing, hash, length, default);

    // Metadata: 2 (empty, in volume 1), 3 (longer, in volume 2), 4 (longest, in both).
    private void Fill() =>
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
                VALUES (1, 1, 'first', 'Blocks', 'Verified', 0, 0, 0, 0), (2, 1, 'second', 'Blocks', 'Verified', 0, 0, 0, 0);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'empty', 2, 1), (2, 'long', 10, 2), (3, 'longer', 20, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (2, 2, 'empty'), (3, 10, 'long'), (4, 30, 'both');
            INSERT INTO BlocksetEntry VALUES (2, 0, 1), (3, 0, 2), (4, 0, 2), (4, 1, 3);
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2), (2, 3), (3, 4);
            """
        );

    [Test]
    [Contract("A 6.13 none")]
    public async Task Nothing_at_all_gives_minus_one() => Assert.That(await Find([], "empty", 2), Is.EqualTo(-1));

    [Test]
    [Contract("A 6.13 step 1")]
    [Contract("A 13 Q4")]
    public async Task Empty_metadata_that_is_not_missing_is_best()
    {
        Fill();

        Assert.That(await Find([], "empty", 2), Is.EqualTo(2));
        Assert.That(await Find([2], "empty", 2), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 6.13 step 2")]
    public async Task Without_it_an_empty_blockset_is_taken()
    {
        Fill();
        Execute("INSERT INTO Blockset (ID, Length, FullHash) VALUES (9, 0, 'nothing')");

        Assert.That(await Find([1], "empty", 2), Is.EqualTo(9));
    }

    [Test]
    [Contract("A 6.13 step 3")]
    [Contract("A 12 row 8")]
    public async Task Else_the_shortest_metadata_of_which_nothing_is_missing()
    {
        Fill();

        Assert.That(await Find([1], "empty", 2), Is.EqualTo(3));
        Assert.That(await Find([1, 2], "empty", 2), Is.EqualTo(-1));
    }

    // A purge removes the rows of the lost blocks before it asks; a recreate leaves blocks of no volume, which count as -1.
    [TestCase("DELETE FROM Block WHERE VolumeID = 1")]
    [TestCase("UPDATE Block SET VolumeID = -1 WHERE VolumeID = 1")]
    [TestCase("UPDATE Remotevolume SET Type = 'Files' WHERE ID = 1")]
    [TestCase("UPDATE Remotevolume SET State = 'Deleting' WHERE ID = 1")]
    [TestCase("UPDATE Remotevolume SET State = 'Temporary' WHERE ID = 1")]
    public async Task What_has_lost_any_of_its_blocks_is_no_substitute(string loss)
    {
        Fill();
        Execute("INSERT INTO Blockset (ID, Length, FullHash) VALUES (5, 4, 'two'); INSERT INTO Metadataset (ID, BlocksetID) VALUES (4, 5)");
        Execute("INSERT INTO BlocksetEntry VALUES (5, 0, 1), (5, 1, 2)");
        Execute(loss);

        Assert.That(await Find([1], "empty", 2), Is.EqualTo(3));
        Assert.That(await Find([], "empty", 2), Is.EqualTo(3));
        Assert.That(await Find([1, 2], "empty", 2), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_blockset_that_has_lost_its_entries_is_no_substitute()
    {
        Execute("INSERT INTO Blockset (ID, Length, FullHash) VALUES (2, 2, 'empty')");

        Assert.That(await Find([], "empty", 2), Is.EqualTo(-1));
    }

    [Test]
    public async Task More_volumes_than_a_chunk_and_a_lone_empty_blockset_give_that_blockset()
    {
        Execute("INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 0, 'nothing')");

        Assert.That(await Find(Enumerable.Range(1, 150).Select(x => (long)x), "nothing", 0), Is.EqualTo(1));
    }
}
