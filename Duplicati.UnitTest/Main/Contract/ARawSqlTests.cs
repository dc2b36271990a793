// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// Plain statements on the connection of a backup, as core's own tests run them: they see everything, and what they change is seen.
/// </summary>
[TestFixture]
internal sealed class ARawSqlTests
{
    private static readonly DateTime s_time = new(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);

    private BackupFixture m_backup = null!;

    private LocalBackupDatabase Db => m_backup.Database;

    [SetUp]
    public async Task SetUp() => m_backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task TearDown() => await m_backup.DisposeAsync();

    [Test]
    [Contract("A 6.1 Connection")]
    public async Task A_command_made_before_sees_entries_and_blocks_added_after_it()
    {
        var fileId = await m_backup.AddFileAsync("/a", 1);
        await Db.CreateFilesetAsync(await m_backup.AddVolumeAsync("list", RemoteVolumeType.Files), s_time, default);
        using var entries = Db.Connection.CreateCommand("""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FileID" = @id""");
        using var blocks = Db.Connection.CreateCommand("""SELECT COUNT(*) FROM "Block" """);
        var before = await blocks.ExecuteScalarInt64Async(default);

        await Db.CreateFilesetAsync(await m_backup.AddVolumeAsync("list2", RemoteVolumeType.Files), s_time.AddHours(1), default);
        await Db.AddKnownFileAsync(fileId, s_time, default);
        await Db.AddBlockAsync(BlockFixture.Hash(77), 10, m_backup.VolumeId, default);

        Assert.That(
            await entries.SetTransaction(Db.Transaction).SetParameterValue("@id", fileId).ExecuteScalarInt64Async(default),
            Is.EqualTo(2)
        );
        Assert.That(await blocks.SetTransaction(Db.Transaction).ExecuteScalarInt64Async(default), Is.EqualTo(before + 1));
    }

    [Test]
    [Contract("A 6.1 Connection")]
    public async Task A_kept_connection_and_every_kind_of_call_see_what_is_pending()
    {
        var connection = Db.Connection;
        for (var i = 0; i < 6; i++)
        {
            await Db.AddBlockAsync(BlockFixture.Hash(100 + i), 10, m_backup.VolumeId, default);
            using var command = connection.CreateCommand();
            const string Count = """SELECT COUNT(*) FROM "Block" """;
            var seen = i switch
            {
                0 => await command.ExecuteScalarInt64Async(Count, default),
                1 => command.ExecuteScalarInt64(Count),
                2 => (long)(await command.ExecuteScalarAsync(Count, default))!,
                3 => await FirstAsync(command.ExecuteReaderEnumerableAsync(Count, default)),
                4 => command.ExecuteReaderEnumerable(Count).Select(row => row.GetInt64(0)).First(),
                _ => await command.SetCommandAndParameters(Count).ExecuteScalarInt64PerformanceSensitiveAsync(false, default),
            };
            Assert.That(seen, Is.EqualTo(i + 1), $"call {i}");
        }
    }

    [Test]
    [Contract("A 5.6 Transaction")]
    public async Task The_transaction_that_is_handed_out_sees_what_is_pending()
    {
        using var command = new SqliteCommand("""SELECT COUNT(*) FROM "Block" """, Db.Connection);
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        command.Transaction = Db.Transaction.Transaction;
        Assert.That(command.ExecuteScalar(), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 7.2 AddBlockAsync")]
    public async Task Blocks_inserted_and_deleted_with_a_kept_command_are_known()
    {
        using var command = Db.Connection.CreateCommand();
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default), Is.True);
        var insert = $"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(2)}', 10, {m_backup.VolumeId})""";
        Assert.That(await command.ExecuteNonQueryAsync(insert, default), Is.EqualTo(1));

        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(2), 10, m_backup.VolumeId, default), Is.False);
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.Positive);

        await command.ExecuteNonQueryAsync("""DELETE FROM "Block" """, default);
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(1), 10, default), Is.EqualTo(-1));
        Assert.That(await Db.AddBlockAsync(BlockFixture.Hash(2), 10, m_backup.VolumeId, default), Is.True);
    }

    [Test]
    [Contract("A 6.12 GetOrCreatePathPrefixAsync")]
    public async Task A_prefix_deleted_with_a_kept_command_is_made_again()
    {
        using var command = Db.Connection.CreateCommand();
        await Db.GetOrCreatePathPrefixAsync("/a/", default);
        await command.ExecuteNonQueryAsync("""DELETE FROM "PathPrefix" """, default);
        await Db.GetOrCreatePathPrefixAsync("/a/", default);
        Assert.That(await command.ExecuteScalarInt64Async("""SELECT COUNT(*) FROM "PathPrefix" """, default), Is.EqualTo(1));
    }

    [Test]
    [Contract("A 1.2 operation row")]
    public async Task The_row_of_the_operation_is_there_for_commands_and_in_no_other_connection()
    {
        await m_backup.ReopenAsync();
        using var command = Db.Connection.CreateCommand();
        const string Count = """SELECT COUNT(*) FROM "Operation" WHERE "Description" = 'Backup'""";
        Assert.That(await command.ExecuteScalarInt64Async(Count, default), Is.EqualTo(2));
        Assert.That(m_backup.Committed(Count), Is.EqualTo(1));

        await m_backup.ReopenAsync();
        Assert.That(m_backup.Number(Count), Is.EqualTo(2), "the one before was rolled back");
    }

    [Test]
    public async Task A_child_sees_what_its_parent_has_pending_and_the_other_way_round()
    {
        await Db.AddBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default);
        await using var child = await LocalDeleteDatabase.CreateAsync(Db, null, default);
        await Db.AddBlockAsync(BlockFixture.Hash(2), 10, m_backup.VolumeId, default);
        using var query = await child.CreateBlockQueryHelperAsync(default);
        Assert.That(await query.UseBlockAsync(BlockFixture.Hash(1), 10, m_backup.VolumeId, default), Is.True);
        Assert.That(await query.UseBlockAsync(BlockFixture.Hash(2), 10, -1, default), Is.True);

        await child.RemoveRemoteVolumeAsync("block-1", default);
        Assert.That(await Db.FindBlockIDAsync(BlockFixture.Hash(2), 10, default), Is.EqualTo(-1));
    }

    private static async Task<long> FirstAsync(IAsyncEnumerable<SqliteDataReader> rows)
    {
        await foreach (var row in rows)
            return row.GetInt64(0);
        return -1;
    }
}
