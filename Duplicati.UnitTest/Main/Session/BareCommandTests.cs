// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// The provider's own commands, on a connection and a transaction that were fetched once and kept: they see everything that members
/// have accepted since, and members notice whatever they do.
/// </summary>
[TestFixture]
internal sealed class BareCommandTests : BackupTestBase
{
    private const string CountBlocks = """SELECT COUNT(*) FROM "Block" """;

    private static readonly DateTime s_time = new(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);

#pragma warning disable NUnit1032 // The database's own.
    private SqliteConnection m_kept = null!;
#pragma warning restore NUnit1032

    [SetUp]
    public void SetUp() => m_kept = Db.Connection;

    [Test]
    [Contract("A 5.6 Transaction")]
    public async Task Pending_blocks_are_seen_by_commands_that_were_made_before()
    {
        using var command = m_kept.CreateCommand();
        command.CommandText = CountBlocks;
        command.Prepare();
        using var other = new SqliteCommand(CountBlocks, m_kept);
        for (var i = 0; i < 3; i++)
        {
            await AddAsync(i);
            Assert.That(command.ExecuteScalar(), Is.EqualTo(i + 1));
        }

        other.Transaction = Db.Transaction.Transaction;
        Assert.That(other.ExecuteScalar(), Is.EqualTo(3));
    }

    [Test]
    [Contract("A 6.1 Connection")]
    public async Task A_command_made_before_sees_entries_and_blocks_added_after_it()
    {
        var fileId = await Backup.AddFileAsync("/a", 1);
        await Db.CreateFilesetAsync(await Backup.AddVolumeAsync("list", RemoteVolumeType.Files), s_time, default);
        using var entries = m_kept.CreateCommand("""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FileID" = @id""");
        using var blocks = m_kept.CreateCommand(CountBlocks);
        var before = await blocks.ExecuteScalarInt64Async(default);

        await Db.CreateFilesetAsync(await Backup.AddVolumeAsync("list2", RemoteVolumeType.Files), s_time.AddHours(1), default);
        await Db.AddKnownFileAsync(fileId, s_time, default);
        await Db.AddBlockAsync(BlockFixture.Hash(77), 10, Backup.VolumeId, default);

        Assert.That(
            await entries.SetTransaction(Db.Transaction).SetParameterValue("@id", fileId).ExecuteScalarInt64Async(default),
            Is.EqualTo(2)
        );
        Assert.That(await blocks.SetTransaction(Db.Transaction).ExecuteScalarInt64Async(default), Is.EqualTo(before + 1));
        Assert.That(Number("""SELECT COUNT(*) FROM "FilesetEntry" """), Is.EqualTo(2));
    }

    [Test]
    [Contract("A 6.1 Connection")]
    public async Task A_kept_connection_and_every_kind_of_call_see_what_is_pending()
    {
        for (var i = 0; i < 7; i++)
        {
            await AddAsync(100 + i);
            using var command = m_kept.CreateCommand();
            var seen = i switch
            {
                0 => await command.ExecuteScalarInt64Async(CountBlocks, default),
                1 => command.ExecuteScalarInt64(CountBlocks),
                2 => (long)(await command.ExecuteScalarAsync(CountBlocks, default))!,
                3 => await FirstAsync(command.ExecuteReaderEnumerableAsync(CountBlocks, default)),
                4 => command.ExecuteReaderEnumerable(CountBlocks).Select(row => row.GetInt64(0)).First(),
                5 => Number(CountBlocks),
                _ => await command.SetCommandAndParameters(CountBlocks).ExecuteScalarInt64PerformanceSensitiveAsync(false, default),
            };
            Assert.That(seen, Is.EqualTo(i + 1), $"call {i}");
        }
    }

    [Test]
    public async Task A_commit_of_the_transaction_that_was_handed_out_takes_what_was_added_with_it()
    {
        var transaction = Db.Transaction.Transaction;
        await AddAsync(1);
        transaction.Commit();
        Assert.That(Backup.Committed(CountBlocks), Is.EqualTo(1));
        Bare("BEGIN");
    }

    [Test]
    public async Task A_savepoint_divides_what_is_added([Values] bool byText)
    {
        var transaction = Db.Transaction.Transaction;
        await AddAsync(1);
        if (byText)
            Bare("SAVEPOINT here");
        else
            transaction.Save("here");
        await AddAsync(2);
        if (byText)
            Bare("ROLLBACK TO here");
        else
            transaction.Rollback("here");

        Assert.That(await IdAsync(1), Is.EqualTo(1));
        Assert.That(await IdAsync(2), Is.EqualTo(-1));
        await AddAsync(3);
        Assert.That(await IdAsync(3), Is.EqualTo(2));
        Assert.That(Number(CountBlocks), Is.EqualTo(2));
    }

    /// <summary>Whatever can be done to the rows of table Block, and the memory that leads to each structure.</summary>
    private static IEnumerable<TestCaseData> Changes()
    {
        string[] changes =
        [
            """DELETE FROM "Block" """,
            """DELETE FROM "Block" WHERE "ID" <= 40""",
            """DELETE FROM "Block"; INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (7, 'QQ==', 10, 1)""",
            """INSERT OR REPLACE INTO "Block" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" % 2""",
            """UPDATE OR REPLACE "Block" SET "ID" = "ID" + 1 WHERE "ID" % 2""",
            """ALTER TABLE "Block" RENAME TO "Old"; CREATE TABLE "Block" AS SELECT * FROM "Old" WHERE "ID" % 2""",
            """DROP TABLE "Block"; CREATE TABLE "Block" ("ID" INTEGER PRIMARY KEY, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "VolumeID" INTEGER NOT NULL)""",
            """SAVEPOINT a; DELETE FROM "Block"; RELEASE a""",
            """SAVEPOINT a; DELETE FROM "Block"; ROLLBACK TO a; RELEASE a""",
            """ATTACH ':memory:' AS "other"; CREATE TABLE "other"."Block" AS SELECT * FROM "main"."Block"; DELETE FROM "other"."Block" """,
            """CREATE TEMP TRIGGER "t" AFTER DELETE ON "Operation" BEGIN DELETE FROM "Block"; END; DELETE FROM "Operation" """,
        ];
        return from change in changes from bytes in new[] { 1L << 30, 3_000L, 300L, 0L } select new TestCaseData(change, bytes);
    }

    [TestCaseSource(nameof(Changes))]
    public async Task Members_notice_changed_blocks(string change, long mapBytes)
    {
        BlockOptions.Of(Db.Session).MapBytes = mapBytes;
        if (change.StartsWith("ATTACH", StringComparison.Ordinal))
            Bare("COMMIT");
        for (var i = 0; i < 100; i++)
            await AddAsync(i);
        if (change.StartsWith("ATTACH", StringComparison.Ordinal))
            Bare("""ATTACH ':memory:' AS "unused"; BEGIN""");

        foreach (var statement in change.StartsWith("CREATE TEMP TRIGGER", StringComparison.Ordinal) ? [change] : change.Split("; "))
            Bare(statement);

        await CompareAsync();
        Assert.That(await AddAsync(500), Is.True);
        Assert.That(await AddAsync(501), Is.True);
        await CompareAsync();
    }

    [Test]
    [Contract("A 7.2 AddBlockAsync")]
    public async Task Blocks_inserted_and_deleted_with_a_kept_command_are_known()
    {
        using var command = m_kept.CreateCommand();
        Assert.That(await AddAsync(1), Is.True);
        var insert = $"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(2)}', 10, {Backup.VolumeId})""";
        Assert.That(await command.ExecuteNonQueryAsync(insert, default), Is.EqualTo(1));

        Assert.That(await AddAsync(2), Is.False);
        Assert.That(await IdAsync(2), Is.Positive);

        await command.ExecuteNonQueryAsync("""DELETE FROM "Block" """, default);
        Assert.That(await IdAsync(1), Is.EqualTo(-1));
        Assert.That(await AddAsync(2), Is.True);
    }

    [Test]
    public async Task A_rollback_brings_back_what_was_emptied([Values] bool isLookedUpBefore)
    {
        for (var i = 0; i < 100; i++)
            await AddAsync(i);
        await Db.CommitAsync(default);
        await CompareAsync();
        Bare("""DELETE FROM "Block" """);
        if (isLookedUpBefore)
            await CompareAsync();
        await Db.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That(await IdAsync(7), Is.EqualTo(8));
        await CompareAsync();
    }

    [Test]
    public async Task A_rollback_of_the_transaction_that_was_handed_out_forgets_what_was_added()
    {
        var transaction = Db.Transaction.Transaction;
        await AddAsync(1);
        Assert.That(transaction.Rollback, Throws.Nothing);
        Bare("BEGIN");
        Assert.That(await IdAsync(1), Is.EqualTo(-1));
        Assert.That(await AddAsync(1), Is.True);
        Assert.That(Number(CountBlocks), Is.EqualTo(1));
    }

    [Test]
    public async Task Indexes_that_a_first_backup_leaves_out_are_there_for_a_bare_statement()
    {
        for (var i = 0; i < BlockIndexes.FewestBlocks + 100; i++)
            await AddAsync(i);
        Assert.That(BlockIndexes.Of(Db.Session).AreMissing, Is.True);
        Assert.That(
            () => Bare($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(3)}', 10, 1)"""),
            Refused.Engine(19)
        );
        Assert.That(
            Number("""SELECT COUNT(*) FROM "sqlite_master" WHERE "name" IN ('BlockHashSize', 'BlockHashVolumeID')"""),
            Is.EqualTo(2)
        );
        await AddAsync(BlockIndexes.FewestBlocks + 100);
        await CompareAsync();
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed(CountBlocks), Is.EqualTo(BlockIndexes.FewestBlocks + 101));
        Assert.That(Db.Connection, Is.SameAs(m_kept));
        Assert.That(BlockIndexes.Of(Db.Session).AreMissing, Is.False);
    }

    [Test]
    [Contract("A 6.12 GetOrCreatePathPrefixAsync")]
    public async Task A_prefix_that_is_gone_is_made_again()
    {
        await Db.GetOrCreatePathPrefixAsync("/a/", default);
        foreach (var connection in (SqliteConnection[])[m_kept, Db.Connection])
        {
            connection.Execute("""DELETE FROM "PathPrefix" """);
            await Db.GetOrCreatePathPrefixAsync("/a/", default);
            Assert.That(Number("""SELECT COUNT(*) FROM "PathPrefix" """), Is.EqualTo(1));
        }
    }

    [Test]
    public async Task An_entry_inserted_in_between_makes_the_member_fail_that_adds_it_again()
    {
        var file = await Backup.AddFileAsync("/a", 1);
        var fileset = await Db.CreateFilesetAsync(await Backup.AddVolumeAsync("list", RemoteVolumeType.Files), s_time, default);
        Bare($"""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES ({fileset}, {file}, 1)""");
        Assert.That(() => Db.AddKnownFileAsync(file, s_time, default), Refused.Engine(19));
        Bare("""DELETE FROM "FilesetEntry" """);
        Assert.That(() => Db.AddKnownFileAsync(file, s_time, default), Throws.Nothing);
    }

    [Test]
    [Contract("A 1.2 operation row")]
    public async Task The_row_of_the_operation_is_there_for_commands_and_in_no_other_connection()
    {
        const string Count = """SELECT COUNT(*) FROM "Operation" WHERE "Description" = 'Backup'""";
        await Backup.ReopenAsync();
        m_kept = Kept();
        Assert.That(Number(Count), Is.EqualTo(2));
        Assert.That(Backup.Committed(Count), Is.EqualTo(1));

        await Backup.ReopenAsync();
        using var command = Db.Connection.CreateCommand();
        Assert.That(await command.ExecuteScalarInt64Async(Count, default), Is.EqualTo(2));
        Assert.That(Backup.Committed(Count), Is.EqualTo(1));

        await Backup.ReopenAsync();
        Assert.That(Backup.Number(Count), Is.EqualTo(2), "the one before was rolled back");
    }

    [Test]
    public async Task The_row_of_the_operation_is_there_also_while_another_thread_is_in_a_member()
    {
        await Backup.ReopenAsync();
        await Db.Transaction.RollBackAsync(default(CancellationToken));
        var connection = Db.Connection;
        using var ends = new ManualResetEventSlim();
        using var begun = new ManualResetEventSlim();
        var member = Task.Run(() =>
            Db.Session.Do(
                _ =>
                {
                    begun.Set();
                    Wait.For(ends, "the command");
                },
                default
            )
        );
        Wait.For(begun, "the member");

        var seen = connection.Scalar("""SELECT COUNT(*) FROM "Operation" WHERE "Description" = 'Backup'""");
        ends.Set();
        await member;

        Assert.That(seen, Is.EqualTo("2"));
    }

    [Test]
    public async Task A_child_sees_what_its_parent_has_pending_and_the_other_way_round()
    {
        await AddAsync(1);
        await using var child = await LocalDeleteDatabase.CreateAsync(Db, null, default);
        await AddAsync(2);
        using var query = await child.CreateBlockQueryHelperAsync(default);
        Assert.That(await query.UseBlockAsync(BlockFixture.Hash(1), 10, Backup.VolumeId, default), Is.True);
        Assert.That(await query.UseBlockAsync(BlockFixture.Hash(2), 10, -1, default), Is.True);

        await child.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(await IdAsync(2), Is.EqualTo(-1));
    }

    // As one who opened the connection would have it: without asking the object.
    private SqliteConnection Kept() => Db.Session.Connection;

    private async Task<bool> AddAsync(int number) => await Db.AddBlockAsync(BlockFixture.Hash(number), 10, Backup.VolumeId, default);

    private async Task<long> IdAsync(int number) => await Db.FindBlockIDAsync(BlockFixture.Hash(number), 10, default);

    private async Task CompareAsync()
    {
        var answers = new List<long>();
        for (var i = 0; i < 100; i++)
            answers.Add(await IdAsync(i));
        answers.Add(await Db.FindBlockIDAsync("QQ==", 10, default));
        var rows = Enumerable
            .Range(0, 100)
            .Select(i => BlockFixture.Hash(i))
            .Append("QQ==")
            .Select(hash => Number($"""SELECT IFNULL(MAX("ID"), -1) FROM "Block" WHERE "Hash" = '{hash}' AND "Size" = 10"""));
        Assert.That(answers, Is.EqualTo(rows.ToArray()));
    }

    private void Bare(string sql)
    {
        m_kept.Execute(sql);
    }

    private long Number(string sql) => long.Parse(m_kept.Scalar(sql)!, null);

    private static async Task<long> FirstAsync(IAsyncEnumerable<SqliteDataReader> rows)
    {
        await foreach (var row in rows)
            return row.GetInt64(0);
        return -1;
    }
}
