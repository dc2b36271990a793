// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Statistics that are wrong while a database is in use: every question of the data layer takes about as many steps of the engine as
/// with right ones. Opening a database mends them; this is what happens until then.
/// </summary>
[TestFixture]
internal sealed class StaleStatisticsTests
{
    private const int Files = 2000;
    private const int Versions = 4;
    private const int Factor = 3;

    // Reading the same through another index costs a little more or less; small statements differ by more than a factor in nothing.
    private const long Allowance = 2000;

    private const string Fill = """
        WITH RECURSIVE "N"("I") AS (SELECT 1 UNION ALL SELECT "I" + 1 FROM "N" WHERE "I" < 2000)
        INSERT INTO "Block" ("Hash", "Size", "VolumeID") SELECT 'hash-' || "I", 1024, 1 + "I" % 20 FROM "N";
        INSERT INTO "Blockset" ("Length", "FullHash") SELECT 1024, 'full-' || "ID" FROM "Block";
        INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT "ID", 0, "ID" FROM "Block";
        INSERT INTO "Metadataset" ("BlocksetID") SELECT "ID" FROM "Blockset" WHERE "ID" % 10 = 0;
        INSERT INTO "PathPrefix" ("Prefix") SELECT '/folder-' || "ID" || '/' FROM "Block" WHERE "ID" <= 50;
        INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") SELECT 1 + "ID" % 50, 'file-' || "ID", "ID", 1 + "ID" % 200 FROM "Blockset";
        INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") SELECT "Fileset"."ID", "FileLookup"."ID", 1 FROM "Fileset", "FileLookup";
        """;

    private const string Empty = """
        DELETE FROM "Block"; DELETE FROM "Blockset"; DELETE FROM "BlocksetEntry"; DELETE FROM "Metadataset";
        DELETE FROM "PathPrefix"; DELETE FROM "FileLookup"; DELETE FROM "FilesetEntry";
        """;

    private static readonly Dictionary<string, string> s_stale = new(StringComparer.Ordinal)
    {
        ["emptied"] = "DELETE FROM sqlite_stat1",
        ["of a database a thousand times larger"] =
            "UPDATE sqlite_stat1 SET stat = (CAST(stat AS INTEGER) * 1000) || substr(stat, length(CAST(stat AS INTEGER)) + 1)",
    };

    private static IEnumerable<string> Stale => s_stale.Keys;

    private static IEnumerable<(string Name, string Sql)> Questions =>
        from constant in SqlConstants.In(typeof(LocalDatabase).Assembly)
        where constant.Sql.StartsWith("SELECT", StringComparison.Ordinal) || constant.Sql.StartsWith("WITH", StringComparison.Ordinal)
        orderby constant.Name
        select (constant.Name, constant.Sql);

    [TestCaseSource(nameof(Stale))]
    public async Task Questions_take_about_as_many_steps_with_statistics(string stale)
    {
        using var sample = Sample();
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(sample.Path, "Test", true, null, default);
        Execute(database.Connection, Fill);
        var good = Analysed(database.Connection);
        Execute(database.Connection, s_stale[stale] + "; ANALYZE sqlite_master");

        AssertNotSlower(good, Steps(database.Connection));
    }

    [Test]
    public async Task Questions_take_about_as_many_steps_when_the_database_was_small_at_open()
    {
        using var sample = Sample();
        await using (var small = await LocalDatabase.CreateLocalDatabaseAsync(sample.Path, "Test", true, null, default))
        {
            Execute(small.Connection, Fill.Replace("< 2000)", "< 2)", StringComparison.Ordinal));
            await small.CommitAsync(default);
        }

        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(sample.Path, "Test", true, null, default);
        Assert.That(
            database.Connection.Scalar("SELECT 1 FROM sqlite_stat1 WHERE tbl = 'FileLookup'"),
            Is.EqualTo("1"),
            "there are statistics"
        );
        Execute(database.Connection, Empty + Fill);
        var early = Steps(database.Connection);

        AssertNotSlower(Analysed(database.Connection), early);
    }

    private static SampleDatabase Sample()
    {
        var sample = new SampleDatabase();
        for (var i = 0; i < 20; i++)
            sample.Volume($"block-{i}");
        for (var i = 0; i < Versions; i++)
            sample.Fileset(1000 + i);
        sample.Close();
        return sample;
    }

    private static Dictionary<string, long> Analysed(SqliteConnection connection)
    {
        Execute(connection, "ANALYZE");
        return Steps(connection);
    }

    private static void AssertNotSlower(Dictionary<string, long> good, Dictionary<string, long> bad)
    {
        var slower = good.Where(x => bad[x.Key] > (Factor * x.Value) + Allowance)
            .Select(x => $"{x.Key}: {x.Value} steps, then {bad[x.Key]}")
            .ToList();
        TestContext.Out.WriteLine($"{good.Count} statements, {good.Values.Sum()} steps; with stale statistics {bad.Values.Sum()}");
        slower.ForEach(TestContext.Out.WriteLine);
        Assert.That(good, Has.Count.GreaterThan(100), "statements that need no table of one caller's");
        Assert.That(good.Values.Max(), Is.GreaterThan(Files), "some read whole tables");
        Assert.That(slower, Is.Empty);
    }

    /// <summary>Steps of the engine for each statement that can be prepared, run with numbers and with texts that are there.</summary>
    private static Dictionary<string, long> Steps(SqliteConnection connection)
    {
        var steps = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (var (name, sql) in Questions)
        {
            if (raw.sqlite3_prepare_v2(connection.Handle, sql, out var statement) != raw.SQLITE_OK)
                continue;
            using (statement)
                steps[name] =
                    Run(statement, i => raw.sqlite3_bind_int64(statement, i, 2))
                    + Run(statement, i => raw.sqlite3_bind_text(statement, i, "hash-7"));
        }

        return steps;
    }

    private static long Run(sqlite3_stmt statement, Action<int> bind)
    {
        for (var i = 1; i <= raw.sqlite3_bind_parameter_count(statement); i++)
            bind(i);
        while (raw.sqlite3_step(statement) == raw.SQLITE_ROW) { }

        raw.sqlite3_reset(statement);
        return raw.sqlite3_stmt_status(statement, raw.SQLITE_STMTSTATUS_VM_STEP, 1);
    }

    private static void Execute(SqliteConnection connection, string sql) =>
        Assert.That(
            raw.sqlite3_exec(connection.Handle, sql),
            Is.EqualTo(raw.SQLITE_OK),
            raw.sqlite3_errmsg(connection.Handle).utf8_to_string()
        );
}
