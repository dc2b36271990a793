// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Main.Plain;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Delete;

/// <summary>Deletions of a large share of the rows, which drop indexes and empty tables on the way.</summary>
[TestFixture]
public class MassDeletionTests
{
    private const string Schema = """SELECT "type", "name", "tbl_name", "sql" FROM "sqlite_master" """;

    // The engine samples the numbers anew where it thinks so.
    private const string Statistics = """SELECT "tbl", "idx" FROM "sqlite_stat1" """;

    private static readonly DeletionLimits s_always = new() { FewestRows = 1 };
    private static readonly DeletionLimits s_never = new() { FewestRows = long.MaxValue };
    private static readonly DeletionLimits s_unsorted = new()
    {
        FewestRows = 1,
        MostRowsInMemory = 0,
        Share = 2,
        ShareOfBlocksInOrder = 2,
    };

    // Rows that earlier, interrupted operations may have left: all must go, at every place among the ids that stay.
    private static readonly string[] s_leftOver =
    [
        """INSERT INTO "FilesetEntry" VALUES (77, 1, 0)""",
        """INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash") VALUES (77, 'v', 1, 1, 'c'), (3, 'v', 1, 1, 'c')""",
        """INSERT INTO "FileLookup" VALUES (5000, 1, 'orphan', 5000, 5000)""",
        """INSERT INTO "Metadataset" ("ID", "BlocksetID") VALUES (5000, 5001)""",
        """INSERT INTO "Blockset" VALUES (5000, 1, 'x'), (5001, 1, 'y'), (-7, 1, 'z')""",
        """INSERT INTO "BlocksetEntry" VALUES (5000, 0, 1), (6000, 0, 2), (-7, 0, 3), (-9, 0, 3)""",
        """INSERT INTO "BlocklistHash" VALUES (1, 0, 'kept'), (6000, 0, 'gone'), (-9, 0, 'gone')""",
        """INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('kept', 5, 1), ('gone', 6, 1), ('lost', 7, -1)""",
    ];

    [Test]
    public async Task Whatever_share_of_the_versions_goes_the_same_rows_and_the_same_schema_are_left(
        [Values(0, 1, 20, 30, 50, 90, 100)] int versions
    )
    {
        using var sample = RandomBackup.OfManyVersions(LongRun.Seed());
        await AssertAllLeaveTheSameAsync(sample, versions);
    }

    [Test]
    public async Task Of_few_versions_that_share_their_rows_go_those_that_nothing_refers_to([Values(1, 2)] int versions)
    {
        using var sample = new RandomBackup(LongRun.Seed());
        foreach (var sql in s_leftOver.Append("ANALYZE"))
            SampleDatabase.Rows(sample.Path, sql);
        await AssertAllLeaveTheSameAsync(sample, versions);
    }

    [Test]
    public async Task The_schema_is_read_again_after_a_deletion_was_rolled_back([Range(1, 4)] int changes)
    {
        using var sample = RandomBackup.OfManyVersions(3);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            await db.Session.LongAsync(session => FilesetDeletion.Run(session, [.. RandomBackup.Times(60)], s_always), default);
            await db.Transaction.RollBackAsync();
            using (var other = SQLiteLoader.LoadConnection(sample.Path))
            {
                for (var i = 0; i < changes; i++)
                    other.Execute($"CREATE INDEX X{i} ON Block (VolumeID, Size)");
            }

            db.Connection.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('new', 1, 1)""");
            await db.Transaction.CommitAsync();
        }

        Databases.AssertSound(sample.Path);
    }

    [Test]
    public async Task What_nothing_referred_to_before_goes_too(
        [Values(1, 40)] int versions,
        [Values(1L, 1L << 40)] long farFile,
        [Values] bool isMass
    )
    {
        var seed = LongRun.Seed();
        using var sample = RandomBackup.OfManyVersions(seed);
        foreach (var sql in Orphans(farFile))
            SampleDatabase.Rows(sample.Path, sql);
        using var folder = new TestFolder();
        var plain = folder.File("plain.sqlite");
        File.Copy(sample.Path, plain);

        await DeleteAsync(sample.Path, versions, isMass ? s_always : s_never with { MostGaps = 1 });

        AssertEqualsPlain(sample, plain, versions);
    }

    [Test]
    public async Task Indexes_are_dropped_only_where_a_large_share_goes([Values(1, 30, 90)] int versions)
    {
        using var sample = RandomBackup.OfManyVersions(1);
        var before = SampleDatabase.Rows(sample.Path, "PRAGMA schema_version");
        await DeleteAsync(sample.Path, versions, s_always);

        Assert.That(SampleDatabase.Rows(sample.Path, "PRAGMA schema_version"), versions > 1 ? Is.Not.EqualTo(before) : Is.EqualTo(before));
    }

    [Test]
    public async Task More_blocks_than_can_be_sorted_in_memory_go_without_a_sort_and_their_indexes_stay([Values(1, 30, 90)] int versions)
    {
        using var sample = RandomBackup.OfManyVersions(1);
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default);
        var statements = new HashSet<string>();
        db.Session.Statements.Observe(sql => statements.Add(sql));
        await DeleteAsync(db, versions, s_unsorted);
        db.Session.Statements.Fault = null;
        Assert.Multiple(() =>
        {
            Assert.That(statements, Does.Not.Contain(UnusedBlocks.BlocksInUnusedRanges));
            Assert.That(statements.Where(x => x.StartsWith("DROP INDEX \"Block", StringComparison.Ordinal)), Is.Empty);
            Assert.That(statements, Does.Contain(UnusedBlocks.BlocksByHash));
        });
    }

    [Test]
    public async Task Others_see_the_versions_and_all_indexes_until_the_commit()
    {
        using var sample = RandomBackup.OfManyVersions(2);
        var before = Content(sample.Path);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            await DeleteAsync(db, 90, s_always);
            Assert.That(Content(sample.Path), Is.EqualTo(before));
        }

        Assert.That(Content(sample.Path), Is.EqualTo(before), "nothing is committed");
        Databases.AssertSound(sample.Path);
    }

    [Test]
    public async Task A_reader_of_the_caller_that_is_open_stays_open_and_the_indexes_stay([Values(30, 50, 100)] int versions)
    {
        using var sample = RandomBackup.OfManyVersions(3);
        using var folder = new TestFolder();
        var other = folder.File("other.sqlite");
        File.Copy(sample.Path, other);
        await DeleteAsync(other, versions, s_never);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            using var command = db.Connection.CreateCommand();
            command.CommandText = """SELECT "ID" FROM "Remotevolume" ORDER BY "ID" """;
            using (var reader = command.ExecuteReader())
            {
                Assert.That(reader.Read(), Is.True);
                await DeleteAsync(db, versions, s_always);
                Assert.That((reader.Read(), reader.GetInt64(0)), Is.EqualTo((true, 2)));
            }

            await db.Transaction.CommitAsync();
        }

        Assert.That(Content(sample.Path), Is.EqualTo(Content(other)));
    }

    [Test]
    public async Task Blocks_remembered_before_are_not_found_after([Values(0, 20_000)] long fewestRows)
    {
        using var sample = RandomBackup.OfManyVersions(4);
        await using var backup = await LocalBackupDatabase.CreateAsync(sample.Path, new Options([]), default);
        var volume = (await backup.GetRemoteVolumesAsync(default).FirstAsync()).ID;
        for (var i = 0; i < 500; i++)
            await backup.AddBlockAsync(SampleDatabase.Hash($"new{i}"), 10, volume, default);
        Assert.That(await backup.FindBlockIDAsync(SampleDatabase.Hash("new7"), 10, default), Is.Positive);
        await using var delete = await LocalDeleteDatabase.CreateAsync(backup, null, default);

        await DeleteAsync(delete, RandomBackup.ManyVersions, new() { FewestRows = fewestRows });

        Assert.That(await backup.FindBlockIDAsync(SampleDatabase.Hash("new7"), 10, default), Is.EqualTo(-1));
    }

    [Test]
    public async Task A_block_that_is_recorded_as_deleted_already_is_refused_and_the_transaction_is_as_if_nothing_was_done()
    {
        using var sample = RandomBackup.OfManyVersions(5);
        SampleDatabase.Rows(
            sample.Path,
            """INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" LIMIT 1"""
        );
        var before = Content(sample.Path);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            Assert.That(() => DeleteAsync(db, 100, s_always), Refused.Engine(raw.SQLITE_CONSTRAINT));
            await db.Transaction.CommitAsync();
        }

        Assert.That(Content(sample.Path), Is.EqualTo(before));
        Databases.AssertSound(sample.Path);
    }

    [TestCase("CREATE INDEX")]
    [TestCase("CREATE UNIQUE INDEX")]
    [TestCase("DELETE FROM \"BlocksetEntry\"")]
    [TestCase("INSERT INTO \"DeletedBlock\"")]
    [TestCase("DELETE FROM \"Block\"")]
    public async Task A_failure_while_indexes_are_missing_cannot_be_committed(string statement)
    {
        using var sample = RandomBackup.OfManyVersions(6);
        var before = Content(sample.Path);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            db.Session.Statements.Fault = sql => sql.StartsWith(statement, StringComparison.Ordinal) ? raw.SQLITE_FULL : raw.SQLITE_OK;
            Assert.That(() => DeleteAsync(db, 90, s_always), Refused.Engine(raw.SQLITE_FULL));
            db.Session.Statements.Fault = null;
            await db.Transaction.CommitAsync();
            await DeleteAsync(db, 90, s_always);
            await db.Transaction.RollBackAsync();
        }

        Assert.That(Content(sample.Path), Is.EqualTo(before));
        Databases.AssertSound(sample.Path);
    }

    // All at once, row by row as the API does it for so few, and without sorting.
    private static async Task AssertAllLeaveTheSameAsync(RandomBackup sample, int versions)
    {
        using var folder = new TestFolder();
        var (plain, rows, unsorted) = (folder.File("plain.sqlite"), folder.File("rows.sqlite"), folder.File("unsorted.sqlite"));
        foreach (var copy in (string[])[plain, rows, unsorted])
            File.Copy(sample.Path, copy);
        var volumes = await DeleteAsync(sample.Path, versions, s_always);

        Assert.That(
            volumes,
            Is.EqualTo(
                Enumerable.Range(0, versions).Select(i => KeyValuePair.Create($"duplicati-{RandomBackup.Seconds(i)}.dlist.zip", 1000L))
            )
        );
        Assert.That(volumes, Is.EqualTo(await DeleteAsync(rows, versions, null)));
        Assert.That(volumes, Is.EqualTo(await DeleteAsync(unsorted, versions, s_unsorted)));
        foreach (var path in (string[])[sample.Path, rows, unsorted])
        {
            using var connection = SQLiteLoader.LoadConnection(path);
            PlannerStatistics.RefreshAtOpen(connection);
        }

        foreach (var path in (string[])[sample.Path, unsorted])
        {
            Assert.That(Content(path), Is.EqualTo(Content(rows)));
            Assert.That(SampleDatabase.Rows(path, Statistics), Is.EqualTo(SampleDatabase.Rows(rows, Statistics)));
        }

        AssertEqualsPlain(sample, plain, versions);
    }

    // Without limits: by the API.
    private static async Task<List<KeyValuePair<string, long>>> DeleteAsync(string path, int versions, DeletionLimits? limits)
    {
        await using var db = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default);
        var volumes = limits is { } chosen
            ? await DeleteAsync(db, versions, chosen)
            : await db.DropFilesetsFromTableAsync(RandomBackup.Times(versions), default).ToListAsync();
        await db.Transaction.CommitAsync();
        return volumes;
    }

    private static Task<List<KeyValuePair<string, long>>> DeleteAsync(LocalDeleteDatabase db, int versions, DeletionLimits limits) =>
        db.Session.LongAsync(session => FilesetDeletion.Run(session, RandomBackup.Times(versions), limits), default);

    private static string[] Content(string path) => [AllRows.Of(path, AllRows.DeletedBlockIds), .. SampleDatabase.Rows(path, Schema)];

    // More of them than are removed at a time, and entries in and behind the gaps of their parents' ids.
    private static string[] Orphans(long farFile) =>
        [
            """INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") SELECT "FilesetID" + 1000, "FileID", 0 FROM "FilesetEntry" WHERE "FileID" % 5 = 0""",
            """WITH RECURSIVE "N"("I") AS (SELECT 1 UNION ALL SELECT "I" + 1 FROM "N" WHERE "I" < 40000) INSERT INTO "Blockset" ("Length", "FullHash") SELECT 1, 'orphan ' || "I" FROM "N" """,
            """INSERT INTO "Metadataset" ("BlocksetID") SELECT "ID" FROM "Blockset" WHERE "FullHash" LIKE 'orphan %' AND "ID" % 2 = 0""",
            $"""INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "ID" + {farFile}, 1, 'orphan ' || "ID", "BlocksetID" + 1, "ID" FROM "Metadataset" WHERE "ID" > 1000 AND "ID" % 3 = 0""",
            """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT "ID" + 100000, 0, "ID" FROM "Block" WHERE "ID" % 4 = 0""",
            """INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") SELECT "ID" + 200000, 0, "Hash" FROM "Block" WHERE "ID" % 5 = 0""",
        ];

    // Deletes from a copy by plain statements.
    private static void AssertEqualsPlain(RandomBackup sample, string plain, int versions)
    {
        using (var connection = Databases.Open(plain))
            PlainLayer.DeleteFilesets(connection, [.. Enumerable.Range(0, versions).Select(RandomBackup.Seconds)]);
        Assert.That(Content(sample.Path), Is.EqualTo(Content(plain)));
        Databases.AssertSound(sample.Path);
    }
}
