// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Refreshes of the planner's statistics that core asks for, with the steps of its own tests.</summary>
[TestFixture]
[Contract("D 3.1 RefreshQueryStatisticsAsync")]
internal sealed class QueryStatisticsTests : SampleTestBase
{
    private const int Folders = 40;
    private const int FilesOfFolder = 10;
    private const int Rows = 1 + Folders + (Folders * FilesOfFolder);

    [SetUp]
    public async Task SetUp()
    {
        var volume = Data.Volume("block");
        List<long> files = [Data.File("/source/", SampleDatabase.Folder)];
        for (var folder = 0; folder < Folders; folder++)
        {
            files.Add(Data.File($"/source/folder-{folder}/", SampleDatabase.Folder));
            for (var file = 0; file < FilesOfFolder; file++)
            {
                var name = $"{folder}-{file}";
                var blockset = Data.Blockset(name, 5, Data.Block(name, 5, volume));
                files.Add(Data.File($"/source/folder-{folder}/file-{file}.txt", blockset));
            }
        }

        Data.Fileset(1000, [.. files]);
        Data.Close();
        // An operation leaves statistics.
        await using var first = await LocalDatabase.CreateLocalDatabaseAsync(Data.Path, "Backup", true, null, default);
        await first.CommitAsync(default);
    }

    [Test]
    public async Task Stale_statistics_are_right_again_after_a_refresh_in_an_open_transaction()
    {
        using (var connection = await SQLiteLoader.LoadConnectionAsync(Data.Path))
        {
            Assert.That(connection.Scalar("SELECT COUNT(*) > 0 FROM sqlite_stat1"), Is.EqualTo("1"));
            connection.Execute("UPDATE sqlite_stat1 SET stat = '1' || substr(stat, instr(stat || ' ', ' '))");
        }

        Assert.That(Recorded(await StatisticsAsync()), Is.EqualTo(1));
        Assert.That(Data.Rows("""SELECT COUNT(*) FROM "FileLookup" """), Is.EqualTo(new[] { "441" }));

        await RefreshAsync();

        Assert.That(Recorded(await StatisticsAsync()), Is.EqualTo(Rows));
    }

    [Test]
    public async Task Current_statistics_are_left_alone_to_the_letter()
    {
        using (var connection = await SQLiteLoader.LoadConnectionAsync(Data.Path))
            connection.Execute("UPDATE sqlite_stat1 SET stat = stat || ' 1' WHERE tbl = 'FileLookup'");
        var marked = await StatisticsAsync();
        Assert.That(Recorded(marked), Is.GreaterThan(0));
        Assert.That(Recorded(marked) * 10, Is.GreaterThan(Rows));

        await RefreshAsync();

        Assert.That(await StatisticsAsync(), Is.EqualTo(marked));
    }

    [Test]
    public async Task A_refresh_counts_what_the_open_transaction_has_added_and_goes_with_it()
    {
        await using (var database = await LocalBackupDatabase.CreateAsync(Data.Path, new Library.Main.Options([]), default))
        {
            await database.CommitAsync(default);
            for (var block = 0; block < 20 * Rows; block++)
                await database.AddBlockAsync(SampleDatabase.Hash($"new-{block}"), 1000, 1, default);
            await database.RefreshQueryStatisticsAsync(default);
            Assert.That(RecordedBlocks(database.Connection), Is.GreaterThan(10 * Rows), "rows that were held back");
            await database.Transaction.RollBackAsync();
        }

        using var connection = await SQLiteLoader.LoadConnectionAsync(Data.Path);
        Assert.That(RecordedBlocks(connection), Is.EqualTo(Folders * FilesOfFolder), "nothing was committed");
    }

    [Test]
    public async Task A_small_table_stays_recorded_with_a_thousand_rows()
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(Data.Path, "test", true, null, default);
        database.Connection.Execute("UPDATE sqlite_stat1 SET stat = '2 1' WHERE tbl = 'PathPrefix'; ANALYZE sqlite_master");

        await database.RefreshQueryStatisticsAsync(default);

        Assert.That(database.Connection.Scalar("SELECT stat FROM sqlite_stat1 WHERE tbl = 'PathPrefix'"), Does.StartWith("1000 "));
    }

    [Test]
    public async Task The_time_is_logged_by_its_name()
    {
        using var log = new LogCapture();
        await RefreshAsync();
        Assert.That(log.Of(LogMessageType.Profiling, "RefreshQueryStatistics"), Is.Not.Empty);
    }

    private async Task RefreshAsync()
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(Data.Path, "test", true, null, default);
        await database.RefreshQueryStatisticsAsync(default);
        await database.Transaction.CommitAsync();
    }

    private async Task<string> StatisticsAsync()
    {
        await using var connection = await SQLiteLoader.LoadConnectionAsync(Data.Path);
        return connection.Scalar("SELECT stat FROM sqlite_stat1 WHERE tbl = 'FileLookup' LIMIT 1")!;
    }

    private static long Recorded(string statistics) => long.Parse(statistics.Split(' ')[0], CultureInfo.InvariantCulture);

    private static long RecordedBlocks(SqliteConnection connection) =>
        Recorded(connection.Scalar("SELECT stat FROM sqlite_stat1 WHERE tbl = 'Block' AND idx = 'BlockHashSize'")!);
}
