// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

[TestFixture]
public class BackupBlocksetTests : BackupTestBase
{
    [TestCase(0)]
    [TestCase(1)]
    [TestCase(31)]
    [TestCase(32)]
    [TestCase(33)]
    [TestCase(1000)]
    [TestCase(1024)]
    [TestCase(2100)]
    [Contract("A 1.6 numbering")]
    [Contract("A 7.3 AddBlocksetAsync")]
    public async Task Entries_and_blocklists_are_numbered_from_0_in_order(int blocks)
    {
        var hashes = Enumerable.Range(0, blocks).Select(i => BlockFixture.Hash(blocks - i)).ToArray();
        var length = Math.Max(0, (blocks * 1024) - 100);
        for (var i = 0; i < blocks; i++)
            await Db.AddBlockAsync(hashes[i], i == blocks - 1 ? 924 : 1024, Backup.VolumeId, default);

        var (isNew, id) = await Db.AddBlocksetAsync("full", length, 1024, hashes, ["list 0", "list 1"], default);

        Assert.That(isNew, Is.True);
        Assert.That(
            Db.Connection.Lines(
                $"""
                SELECT "BlocksetEntry"."Index", "Block"."Hash", "Block"."Size" FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE "BlocksetID" = {id} ORDER BY "BlocksetEntry"."Index"
                """
            ),
            Is.EqualTo(hashes.Select((hash, i) => $"{i}|{hash}|{(i == blocks - 1 ? 924 : 1024)}"))
        );
        Assert.That(
            Db.Connection.Lines("""SELECT "Index", "Hash" FROM "BlocklistHash" ORDER BY 1"""),
            Is.EqualTo(["0|list 0", "1|list 1"])
        );
        Assert.That(Backup.Number($"""SELECT "Length" FROM "Blockset" WHERE "ID" = {id} AND "FullHash" = 'full'"""), Is.EqualTo(length));
    }

    [Test]
    public async Task A_new_blockset_is_committed_with_its_blocks()
    {
        await Backup.AddContentAsync(1, 2, 3);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlockID" """), Is.EqualTo(3));
    }

    [Test]
    [Contract("A 7.3 AddBlocksetAsync")]
    public async Task A_known_blockset_is_found_without_touching_the_sequences_or_committing()
    {
        var id = await Backup.AddContentAsync(1, 2);
        await Db.AddBlockAsync(BlockFixture.Hash(7), 10, Backup.VolumeId, default);
        var result = await Db.AddBlocksetAsync("1+2", 2048, 1024, Untouchable(), Untouchable(), default);
        Assert.That(result, Is.EqualTo((false, id)));
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    public async Task The_sequences_are_enumerated_once()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 1024, Backup.VolumeId, default);
        var enumerations = 0;
        IEnumerable<string> Once(string value)
        {
            enumerations++;
            yield return value;
        }

        await Db.AddBlocksetAsync("x", 1024, 1024, Once(BlockFixture.Hash(1)), Once("list"), default);
        Assert.That(enumerations, Is.EqualTo(2));
    }

    [TestCase(1)]
    [TestCase(3000)]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    [Contract("C 0.8")]
    public async Task The_sequences_are_read_without_the_connection_lock(int blocks)
    {
        await AddBlocksAsync(blocks);
        var held = 0;
        IEnumerable<string> Watched(IEnumerable<string> values)
        {
            foreach (var value in values)
            {
                held += Monitor.IsEntered(Db.Session.ConnectionLock) ? 1 : 0;
                yield return value;
            }
        }

        await Db.AddBlocksetAsync("x", blocks * 1024, 1024, Watched(Numbered(blocks)), Watched(Numbered(blocks)), default);
        Assert.That(held, Is.Zero);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "BlocksetEntry" """), Is.EqualTo(blocks));
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "BlocklistHash" """), Is.EqualTo(blocks));
    }

    [TestCase(0)]
    [TestCase(40)]
    [TestCase(2000)]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    public async Task A_sequence_may_add_another_blockset(int before)
    {
        await AddBlocksAsync(before + 7);
        var inner = -1L;
        IEnumerable<string> Adding()
        {
            foreach (var (i, hash) in Numbered(before + 7).Index())
            {
                if (i == before + 3)
                    (_, inner) = Db.AddBlocksetAsync("inner", 2048, 1024, Numbered(2), null!, default).Await();
                yield return hash;
            }
        }

        var (_, outer) = await Db.AddBlocksetAsync("outer", (before + 7) * 1024, 1024, Adding(), null!, default);
        Assert.That(Hashes(outer), Is.EqualTo(Numbered(before + 7)));
        Assert.That(Hashes(inner), Is.EqualTo(Numbered(2)));
    }

    [Test]
    [Contract("A 7.3 AddBlocksetAsync error ids")]
    public async Task A_missing_block_is_an_error_that_leaves_nothing_behind()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 1024, Backup.VolumeId, default);
        await Db.AddBlockAsync(BlockFixture.Hash(2), 33, Backup.VolumeId, default);
        using var log = new LogCapture();
        Assert.That(
            () => Db.AddBlocksetAsync("x", 2048, 1024, [BlockFixture.Hash(1), BlockFixture.Hash(2)], ["list"], default),
            Throws.Exception.TypeOf<Exception>()
        );
        Assert.That(log.Of(LogMessageType.Error, "CheckingErrorsForIssue1400"), Has.Count.EqualTo(1));
        Assert.That(log.Of(LogMessageType.Error, "FoundIssue1400Error"), Has.Count.EqualTo(1));

        await Db.CommitAsync(default);
        Assert.That(
            Backup.Number(
                """SELECT (SELECT COUNT(*) FROM "Blockset") + (SELECT COUNT(*) FROM "BlocksetEntry") + (SELECT COUNT(*) FROM "BlocklistHash")"""
            ),
            Is.Zero
        );
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 7.3 GetMetadatasetIDAsync")]
    [Contract("A 13 Q3")]
    public async Task Metadata_is_found_by_the_hash_and_length_of_its_content()
    {
        var id = await Backup.AddMetadataAsync(5);
        Assert.That(await Db.GetMetadatasetIDAsync(BlockFixture.Hash(5), 100, default), Is.EqualTo((true, id)));
        Assert.That(await Db.GetMetadatasetIDAsync(BlockFixture.Hash(5), 101, default), Is.EqualTo((false, -1L)));
        Assert.That(await Db.GetMetadatasetIDAsync(BlockFixture.Hash(5), 0, default), Is.EqualTo((false, -2L)));
        Assert.That(
            await Db.AddMetadatasetAsync(BlockFixture.Hash(5), 100, 1, new BackupFixture.Metahash(""), default),
            Is.EqualTo((false, id))
        );
    }

    [Test]
    [Contract("A 13 Q3")]
    public async Task Metadata_of_several_blocks_is_found_too()
    {
        var blocksetId = await Backup.AddContentAsync(1, 2);
        var (_, id) = await Db.AddMetadatasetAsync("1+2", 2048, blocksetId, new BackupFixture.Metahash("1+2"), default);
        Assert.That(await Db.GetMetadatasetIDAsync("1+2", 2048, default), Is.EqualTo((true, id)));
    }

    [TestCase(false)]
    [TestCase(true)]
    [Contract("A 1.6 metadata text")]
    [Contract("A 1.9 store-metadata-content-in-database")]
    [Contract("A 7.3 AddMetadatasetAsync")]
    [Contract("A 12 row 10")]
    public async Task Metadata_is_committed_with_its_text_only_if_the_option_is_set(bool store)
    {
        await Backup.ReopenAsync(store ? new Dictionary<string, string?> { ["store-metadata-content-in-database"] = "true" } : null);
        await Backup.AddMetadataAsync(5);
        var expected = store ? $"{{\"a\":\"{BlockFixture.Hash(5)}\"}}" : null;
        Assert.That(Backup.Scalar("""SELECT "Content" FROM "Metadataset" """), Is.EqualTo(expected));
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Metadataset" """), Is.EqualTo(1));
    }

    [Test]
    public async Task Metadata_whose_block_was_lost_are_not_found_until_they_are_made_again()
    {
        var id = await Backup.AddMetadataAsync(5);
        Backup.Execute("""DELETE FROM "Block" """);

        Assert.That(await Db.GetMetadatasetIDAsync(BlockFixture.Hash(5), 100, default), Is.EqualTo((false, -1L)));
        Assert.That(await Backup.AddMetadataAsync(5), Is.EqualTo(id));

        Assert.That(await Db.GetMetadatasetIDAsync(BlockFixture.Hash(5), 100, default), Is.EqualTo((true, id)));
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlockID" """), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 7.3 AddBlocksetAsync")]
    public async Task A_known_blockset_of_which_blocks_were_lost_is_made_of_them_again_without_a_commit()
    {
        var id = await Backup.AddContentAsync(1, 2, 3);
        Backup.Execute($"""DELETE FROM "Block" WHERE "Hash" IN ('{BlockFixture.Hash(2)}', '{BlockFixture.Hash(3)}')""");

        Assert.That(await Backup.AddContentAsync(1, 2, 3), Is.EqualTo(id));

        Assert.That(
            Db.Connection.Lines(
                """SELECT "Index", "Hash" FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlockID" ORDER BY "Index" """
            ),
            Is.EqualTo(Enumerable.Range(0, 3).Select(i => $"{i}|{BlockFixture.Hash(i + 1)}"))
        );
        Assert.That(Backup.Committed("""SELECT MAX("BlockID") FROM "BlocksetEntry" """), Is.EqualTo(3));
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT MAX("BlockID") FROM "BlocksetEntry" """), Is.EqualTo(5));
    }

    [Test]
    public async Task A_known_blockset_stays_as_it_was_if_its_blocks_are_still_missing()
    {
        await Backup.AddContentAsync(1, 2, 3);
        Backup.Execute($"""DELETE FROM "Block" WHERE "Hash" IN ('{BlockFixture.Hash(1)}', '{BlockFixture.Hash(3)}')""");
        await Db.AddBlockAsync(BlockFixture.Hash(1), 1024, Backup.VolumeId, default);
        var before = Db.Connection.Lines("""SELECT * FROM "BlocksetEntry" """);

        Assert.That(
            () => Db.AddBlocksetAsync("1+2+3", 3072, 1024, [.. Enumerable.Range(1, 3).Select(i => BlockFixture.Hash(i))], [], default),
            Throws.Exception.TypeOf<Exception>()
        );

        Assert.That(Db.Connection.Lines("""SELECT * FROM "BlocksetEntry" """), Is.EqualTo(before));
    }

    [Test]
    public async Task After_the_engine_has_rolled_back_nothing_of_another_connection_is_removed()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 1024, Backup.VolumeId, default);
        IEnumerable<string> RolledBack()
        {
            yield return BlockFixture.Hash(1);
            Assert.That(SQLitePCL.raw.sqlite3_exec(Db.Connection.Handle, "ROLLBACK"), Is.Zero);
            Databases.Execute(Backup.Path, """INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1, 7, 'theirs')""");
            throw new IOException("full");
        }

        Assert.That(() => Db.AddBlocksetAsync("mine", 1024, 1024, RolledBack(), null!, default), Throws.InstanceOf<IOException>());
        await Db.CommitAsync(default);

        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Blockset" WHERE "FullHash" = 'theirs'"""), Is.EqualTo(1));
    }

    private static IEnumerable<string> Untouchable()
    {
        Assert.Fail("The sequence was enumerated.");
        yield break;
    }
}
