// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Repair;

public sealed class BlocklistRebuildTests : RepairTestBase
{
    private const string BLOCKLISTS = """SELECT BlocksetID, "Index", Hash FROM BlocklistHash""";
    private const int HASHES_PER_BLOCK = 4;
    private const long BLOCKSIZE = (HASHES_PER_BLOCK * 32) + 31;

    [Test]
    [Contract("B 5.5 FixMissingBlocklistHashesAsync")]
    [Contract("B 7 row 1")]
    public async Task Blocklists_of_a_real_backup_are_rebuilt_row_for_row(
        [Values("a-plain-1k", "c-plain-10k-1mb", "i-sha512", "i-md5-sha1", "e-delete-nocompact")] string set,
        [Values("1", "BlocksetID % 3 = 0", "\"Index\" = 0", "\"Index\" > 0")] string lost
    )
    {
        using var folder = new TestFolder();
        var path = GoldenData.UnpackDatabase(set, folder.Path);
        var before = SampleDatabase.Rows(path, BLOCKLISTS);
        await using (var db = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, None))
        {
            db.Connection.Execute($"DELETE FROM BlocklistHash WHERE {lost}");
            var options = await db.GetDbOptionsAsync(None);
            await db.FixMissingBlocklistHashesAsync(options["blockhash"], long.Parse(options["blocksize"], null), None);
        }

        Assert.That(SampleDatabase.Rows(path, BLOCKLISTS), Is.EqualTo(before));
        Assert.That(before, Is.Not.Empty);
    }

    [Test]
    [Contract("B 5.5 FixMissingBlocklistHashesAsync")]
    [Contract("B 7 row 1")]
    public async Task Sizes_around_multiples_of_a_full_blocklist_are_rebuilt([Range(1, 13)] int blocks, [Values(-1, 0, 1)] int extra)
    {
        var expected = AddFile(blocks, Data.Volume("v")).Select((hash, i) => $"1|{i}|{hash}").ToArray();
        for (var i = 0; i < expected.Length + extra; i++)
            Data.Blocklist(1, i, "wrong");
        if (extra == 0)
            Data.Insert("DELETE FROM BlocklistHash");
        var db = Db;
        using var log = new LogCapture();

        await db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None);

        // A blockset of one block needs no blocklist; what it has is left alone.
        Assert.That(Committed(BLOCKLISTS), Is.EqualTo(blocks == 1 && extra == 1 ? [$"1|0|{SampleDatabase.Hash("wrong")}"] : expected));
        Assert.That(log.WithId("MissingBlocklistHashes"), Has.Count.EqualTo(blocks == 1 ? 0 : 1));
        Assert.That(log.WithId("MissingBlocklisthashesRepaired"), Has.Count.EqualTo(blocks == 1 ? 0 : 1));
    }

    [Test]
    public async Task What_another_connection_commits_before_the_lock_is_had_is_rebuilt_too()
    {
        var hash = AddFile(3, Data.Volume("v")).Single();
        await Db.Transaction.CommitAsync();
        var isCommitted = false;
        Db.Session.Statements.Fault = sql =>
        {
            if (sql == OperationSql.ChangeNothing && !isCommitted)
            {
                isCommitted = true;
                Committed(
                    """INSERT INTO "Blockset" ("ID", "Length", "FullHash") SELECT 2, "Length", 'theirs' FROM "Blockset" WHERE "ID" = 1"""
                );
                Committed("""INSERT INTO "BlocksetEntry" SELECT 2, "Index", "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" = 1""");
            }

            return 0;
        };

        await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None);

        Assert.That(isCommitted, Is.True);
        Assert.That(Committed(BLOCKLISTS), Is.EqualTo(new[] { $"1|0|{hash}", $"2|0|{hash}" }));
    }

    [TestCase("Blocks", "Uploaded", true)]
    [TestCase("Blocks", "Verified", true)]
    [TestCase("Blocks", "Deleting", false)]
    [TestCase("Blocks", "Deleted", false)]
    [TestCase("Blocks", "Temporary", false)]
    [TestCase("Index", "Verified", false)]
    [Contract("B 5.5 FixMissingBlocklistHashesAsync")]
    public async Task A_blocklist_that_was_deleted_comes_back_from_a_volume_that_still_has_it(string type, string state, bool expected)
    {
        var hash = AddFile(3, Data.Volume("v")).Single();
        var volume = Data.Volume("w", type, state);
        Data.Insert("INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, ?1 FROM Block WHERE Hash = ?2", volume, hash);
        Data.Insert("DELETE FROM Block WHERE Hash = ?1", hash);

        if (!expected)
        {
            Assert.That(async () => await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None), Throws.TypeOf<Exception>());
            Assert.That(Committed("SELECT COUNT(*) FROM DeletedBlock"), Is.EqualTo(new[] { "1" }));
            return;
        }

        await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None);
        Assert.That(Committed($"SELECT Hash, Size, VolumeID FROM Block WHERE Size = 96"), Is.EqualTo(new[] { $"{hash}|96|{volume}" }));
        Assert.That(Committed("SELECT * FROM DeletedBlock"), Is.Empty);
        Assert.That(Committed("SELECT Hash FROM BlocklistHash"), Is.EqualTo(new[] { hash }));
    }

    // With the id of a deleted block it would be said to have the copies that this one has.
    [Test]
    public async Task A_blocklist_that_comes_back_takes_no_id_of_which_copies_are_registered()
    {
        const long COPIED = 70;
        var volume = Data.Volume("v");
        var hash = AddFile(3, volume).Single();
        Data.DuplicateBlock(COPIED, Data.Volume("w"));
        Data.Insert("INSERT INTO DeletedBlock (Hash, Size, VolumeID) SELECT Hash, Size, VolumeID FROM Block WHERE Hash = ?1", hash);
        Data.Insert("DELETE FROM Block WHERE Hash = ?1", hash);

        await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None);

        Assert.That(Committed("SELECT Hash FROM Block WHERE ID > 70"), Is.EqualTo(new[] { hash }));
    }

    [Test]
    public void A_blockset_with_a_gap_or_a_lost_block_is_an_error(
        [Values(
            "DELETE FROM BlocksetEntry WHERE \"Index\" = 1",
            "DELETE FROM Block WHERE ID = 3",
            "UPDATE Block SET Hash = 'x' WHERE ID = 2"
        )]
            string damage
    )
    {
        AddFile(3, Data.Volume("v"));
        Data.Insert(damage);

        Assert.That(
            async () => await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None),
            Throws.TypeOf<Exception>().And.Not.TypeOf<UserInformationException>()
        );
        Assert.That(Committed("SELECT * FROM BlocklistHash"), Is.Empty);
    }

    [Test]
    [Contract("B 11.2 MissingBlocklistHashesRepairFailed")]
    public void Blocklists_that_cannot_be_written_are_an_error()
    {
        AddFile(3, Data.Volume("v"));
        Data.Insert("CREATE TRIGGER Keep BEFORE INSERT ON BlocklistHash BEGIN SELECT RAISE(IGNORE); END");

        Assert.That(
            async () => await Db.FixMissingBlocklistHashesAsync("SHA256", BLOCKSIZE, None),
            Refused.HelpId("MissingBlocklistHashesRepairFailed")
        );
    }

    /// <summary>Adds blockset 1 with its blocks and the blocks that its blocklists are; returns the hashes of the blocklists.</summary>
    private List<string> AddFile(int blocks, long volume)
    {
        Data.Blockset("file", blocks * BLOCKSIZE, [.. Enumerable.Range(0, blocks).Select(i => Data.Block($"b{i}", BLOCKSIZE, volume))]);
        var lists = new List<string>();
        foreach (var part in Enumerable.Range(0, blocks).Chunk(HASHES_PER_BLOCK).Where(_ => blocks > 1))
        {
            byte[] content = [.. part.SelectMany(i => Convert.FromBase64String(SampleDatabase.Hash($"b{i}")))];
            var hash = Convert.ToBase64String(SHA256.HashData(content));
            lists.Add(hash);
            Data.Insert("INSERT INTO Block (Hash, Size, VolumeID) VALUES (?1, ?2, ?3)", hash, (long)content.Length, volume);
        }

        return lists;
    }
}
