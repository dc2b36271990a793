// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Blocks;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>
/// The sequences of a new content are the caller's code, which may do anything with the database meanwhile: nobody, and no commit, ever
/// sees a part of a content.
/// </summary>
[TestFixture]
public class BlocksetSequenceTests : BackupTestBase
{
    private const int Pool = 3000;

    private const string Parts = """
        SELECT COUNT(*) FROM "Blockset" b
        WHERE b."Length" <> 1024 * (SELECT COUNT(*) FROM "BlocksetEntry" e WHERE e."BlocksetID" = b."ID")
           OR (SELECT COUNT(*) FROM "BlocklistHash" l WHERE l."BlocksetID" = b."ID") <> 2
        """;

    private const string Orphans = """
        SELECT (SELECT COUNT(*) FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset"))
             + (SELECT COUNT(*) FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset"))
        """;

    private static readonly string[] s_lists = ["list 0", "list 1"];

    [SetUp]
    public Task AddBlocksAsync() => AddBlocksAsync(Pool);

    [Test]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    public async Task Whatever_a_sequence_does_a_content_is_whole_or_not_there()
    {
        var random = new Random(LongRun.Seed());
        int[] counts = [1, 40, 1024, 1025, Pool];
        for (var round = 0; round < 50; round++)
        {
            var name = $"content {round}";
            string[] hashes = [.. Enumerable.Range(random.Next(Pool), counts[random.Next(counts.Length)]).Select(i => Hash(i % Pool))];
            var actions = Enumerable
                .Range(0, random.Next(1, 4))
                .Select(_ => (At: random.Next(hashes.Length + 1), What: (Deed)random.Next((int)Deed.Fail + 1)))
                .OrderBy(x => x.At)
                .ToArray();
            var what = $"round {round}, {hashes.Length} blocks, {string.Join(", ", actions)}";

            var mayFail = actions.Any(x => x.What is Deed.ChangeBlock or Deed.Fail);
            try
            {
                var (isNew, id) = await AddAsync(name, hashes, Acting(hashes, name, actions, what));
                Assert.That(isNew || actions.Any(x => x.What is Deed.AddSame or Deed.AddSameOnAnotherThread), what);
                Assert.That(Hashes(id), Is.EqualTo(hashes), what);
                Assert.That(Backup.Committed($"""SELECT "ID" FROM "Blockset" WHERE "FullHash" = '{name}'"""), Is.EqualTo(id), what);
            }
            catch (Exception ex) when (mayFail && ex is IOException or InvalidOperationException)
            {
                // Nothing of it is there, or what somebody else has added.
            }

            AssertNoParts(what);
            await AddBlocksAsync(Pool);
            AssertNoParts(what);
        }
    }

    [Test]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    public async Task A_content_that_others_add_while_its_sequence_is_read_is_whole_for_all(
        [Values] bool onAnotherThread,
        [Values] bool fails
    )
    {
        var hashes = Numbered(Pool);
        var inner = (IsNew: false, Id: -1L);
        var sequence = With(
            hashes,
            2500,
            () =>
            {
                inner = onAnotherThread
                    ? Task.Run(() => AddAsync("same", hashes, hashes)).Await()
                    : AddAsync("same", hashes, hashes).Await();
                Assert.That(Hashes(inner.Id), Is.EqualTo(hashes), "what the other one was told");
                if (fails)
                    throw new IOException("no more");
            }
        );

        if (fails)
            Assert.That(() => AddAsync("same", hashes, sequence), Throws.TypeOf<IOException>());
        else
            Assert.That(await AddAsync("same", hashes, sequence), Is.EqualTo((false, inner.Id)));

        Assert.That(inner.IsNew);
        Assert.That(Hashes(inner.Id), Is.EqualTo(hashes), "it stays");
        AssertNoParts("at the end");
    }

    [TestCase(10)]
    [TestCase(Pool)]
    [Contract("A 7.3 AddBlocksetAsync sequences")]
    public async Task A_content_that_others_add_and_that_loses_a_block_is_made_of_its_blocks_again(int blocks)
    {
        var hashes = Numbered(blocks);
        var inner = -1L;
        var sequence = With(
            hashes,
            0,
            () =>
            {
                (_, inner) = AddAsync("same", hashes, hashes).Await();
                ChangeBlock(hashes[5]);
            }
        );

        Assert.That(await AddAsync("same", hashes, sequence), Is.EqualTo((false, inner)));
        Assert.That(Hashes(inner), Is.EqualTo(hashes));
    }

    [Test]
    public async Task A_rollback_that_takes_blocks_with_it_ends_the_call_and_leaves_nothing_behind([Values] bool byStatement)
    {
        string[] hashes = [Hash(Pool), .. Numbered(Pool - 1)];
        await Db.AddBlockAsync(hashes[0], 1024, Backup.VolumeId, default);

        Assert.That(
            () => AddAsync("x", hashes, With(hashes, 2500, () => RollBack(byStatement))),
            Throws.TypeOf<InvalidOperationException>()
        );

        await Db.Transaction.RollBackAsync(CancellationToken.None);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Blockset" """), Is.Zero);
        AssertNoParts("at the end");
    }

    [Test]
    public async Task A_transaction_that_the_sequence_has_ended_by_a_statement_makes_no_parts([Values("COMMIT", "ROLLBACK")] string end)
    {
        var hashes = Numbered(Pool);
        var inserts = 0;
        var parts = -1L;
        Db.Session.Statements.Fault = sql =>
        {
            if (!sql.Contains("INSERT OR FAIL INTO \"BlocksetEntry\"", StringComparison.Ordinal) || ++inserts < 80)
                return raw.SQLITE_OK;
            // What a kill at that moment would leave.
            parts = Backup.Committed("""SELECT COUNT(*) FROM "Blockset" """);
            return raw.SQLITE_IOERR;
        };

        Assert.That(() => AddAsync("x", hashes, With(hashes, 2500, () => Run(end))), Throws.Exception);
        Db.Session.Statements.Fault = null;

        Assert.That(parts, Is.Zero);
        AssertNoParts("after the failure");
        var (isNew, id) = await AddAsync("x", hashes, hashes);
        Assert.That(isNew);
        Assert.That(Hashes(id), Is.EqualTo(hashes));
    }

    [Test]
    public async Task A_write_that_fails_leaves_nothing_of_the_content([Values("BlocklistHash", "BlocksetEntry")] string table)
    {
        var inserts = 0;
        Db.Session.Statements.Fault = sql =>
            sql.Contains($"INTO \"{table}\"", StringComparison.Ordinal) && ++inserts == 2 ? raw.SQLITE_FULL : raw.SQLITE_OK;
        Assert.That(() => AddAsync("x", Numbered(Pool), Numbered(Pool)), Throws.Exception);
        Db.Session.Statements.Fault = null;

        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Blockset" """), Is.Zero);
        AssertNoParts("after the failure");
    }

    private enum Deed
    {
        Commit,
        RollBack,
        AddSame,
        AddSameOnAnotherThread,
        AddOther,
        Remove,
        CommitByStatement,
        ChangeBlock,
        Fail,
    }

    private IEnumerable<string> Acting(string[] hashes, string name, (int At, Deed What)[] actions, string what)
    {
        for (var i = 0; i <= hashes.Length; i++)
        {
            foreach (var action in actions.Where(x => x.At == i))
            {
                Act(action.What, name, hashes);
                AssertNoParts(what);
            }

            if (i < hashes.Length)
                yield return hashes[i];
        }
    }

    private void Act(Deed deed, string name, string[] hashes)
    {
        switch (deed)
        {
            case Deed.Commit:
                Db.CommitAsync(default).Await();
                break;
            case Deed.AddSame:
                AddAsync(name, hashes, hashes).Await();
                break;
            case Deed.AddSameOnAnotherThread:
                Task.Run(() => AddAsync(name, hashes, hashes)).Await();
                break;
            case Deed.AddOther:
                AddAsync(name + " other", hashes, hashes).Await();
                break;
            case Deed.Remove:
                Remove(name);
                break;
            case Deed.CommitByStatement:
                Run("COMMIT; BEGIN");
                break;
            case Deed.ChangeBlock:
                ChangeBlock(hashes[hashes.Length / 2]);
                break;
            case Deed.Fail:
                throw new IOException("no more");
            default:
                RollBack(byStatement: false);
                break;
        }
    }

    private void RollBack(bool byStatement)
    {
        if (byStatement)
            Run("ROLLBACK");
        else
            Db.Transaction.RollBackAsync(CancellationToken.None).Await();
    }

    private void Run(string sql) => Assert.That(raw.sqlite3_exec(Db.Connection.Handle, sql), Is.Zero);

    // Another row of it, with another id.
    private void ChangeBlock(string hash)
    {
        Backup.Execute($"""DELETE FROM "Block" WHERE "Hash" = '{hash}'""");
        Db.AddBlockAsync(hash, 1024, Backup.VolumeId, default).Await();
    }

    private void Remove(string name)
    {
        foreach (var table in (string[])["BlocksetEntry", "BlocklistHash"])
            Backup.Execute($"""DELETE FROM "{table}" WHERE "BlocksetID" IN (SELECT "ID" FROM "Blockset" WHERE "FullHash" = '{name}')""");
        Backup.Execute($"""DELETE FROM "Blockset" WHERE "FullHash" = '{name}'""");
    }

    private Task<(bool IsNew, long Id)> AddAsync(string name, string[] hashes, IEnumerable<string> sequence) =>
        Db.AddBlocksetAsync(name, hashes.Length * 1024, 1024, sequence, s_lists, default);

    private void AssertNoParts(string what)
    {
        foreach (var sql in (string[])[Parts, Orphans])
        {
            Assert.That(Backup.Number(sql), Is.Zero, what);
            Assert.That(Backup.Committed(sql), Is.Zero, "committed, " + what);
        }
    }

    private static IEnumerable<string> With(string[] hashes, int position, Action action)
    {
        for (var i = 0; i < hashes.Length; i++)
        {
            if (i == position)
                action();
            yield return hashes[i];
        }
    }

    private static string Hash(int number) => BlockFixture.Hash(number);
}
