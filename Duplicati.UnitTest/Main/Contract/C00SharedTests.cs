// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.VolumeTest;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>
/// What all types of listing, testing, purging and repairing have in common: how they are made, what they share, when they commit, how versions are
/// chosen.
/// </summary>
[TestFixture]
public sealed partial class C00SharedTests : SampleTestBase
{
    // No field, so that what a test calls by it is found by those who read the code of the test.
    private static Dictionary<
        string,
        (Func<string, bool, Task<LocalDatabase>> FromPath, Func<LocalDatabase, bool, Task<LocalDatabase>>? FromParent)
    > Factories =>
        new()
        {
            ["List"] = (async (x, y) => await LocalListDatabase.CreateAsync(x, y ? new() : null, default), null),
            ["ListBrokenFiles"] = (
                async (x, y) => await LocalListBrokenFilesDatabase.CreateAsync(x, y ? new() : null, default),
                async (x, y) => await LocalListBrokenFilesDatabase.CreateAsync(x, y ? new() : null, default)
            ),
            ["ListAffected"] = (async (x, y) => await LocalListAffectedDatabase.CreateAsync(x, y ? new() : null, default), null),
            ["ListChanges"] = (async (x, y) => await LocalListChangesDatabase.CreateAsync(x, y ? new() : null, default), null),
            ["Purge"] = (
                async (x, y) => await LocalPurgeDatabase.CreateAsync(x, y ? new() : null, default),
                async (x, y) => await LocalPurgeDatabase.CreateAsync(x, y ? new() : null, default)
            ),
            ["Test"] = (
                async (x, y) => await LocalTestDatabase.CreateAsync(x, y ? new() : null, default),
                async (x, y) => await LocalTestDatabase.CreateAsync(x, y ? new() : null, default)
            ),
            ["BugReportCreate"] = (async (x, y) => await LocalBugReportDatabase.CreateAsync(x, y ? new() : null, default), null),
            ["Lock"] = (
                async (x, y) => await LocalLockDatabase.CreateAsync(x, y ? new() : null, default),
                async (x, _) => await LocalLockDatabase.CreateAsync(x, default)
            ),
            ["Repair"] = (
                async (x, y) => await LocalRepairDatabase.CreateRepairDatabaseAsync(x, y ? new() : null, default),
                async (x, y) => await LocalRepairDatabase.CreateAsync(x, y ? new() : null, default)
            ),
        };

    private static IEnumerable<string> Types => Factories.Keys;

    private static IEnumerable<string> Children => Factories.Keys.Where(x => Factories[x].FromParent is not null);

    [TestCaseSource(nameof(Types))]
    [Contract("C 1.1")]
    [Contract("A 9 CreateAsync")]
    [Contract("B 5.1 CreateRepairDatabaseAsync")]
    [Contract("C 0.3 from a path")]
    public async Task An_object_from_a_path_owns_its_connection_and_records_its_operation_only_with_a_commit(string operation)
    {
        var path = Data.Close();
        var before = DateTime.UtcNow;
        await using (var db = await Factories[operation].FromPath(path, false))
        {
            Assert.That(db.ShouldCloseConnection, Is.True);
            Assert.That(db.OperationTimestamp, Is.InRange(before, DateTime.UtcNow));
            Assert.That(
                db.Connection.Scalar("""SELECT "Description" || ' ' || "Timestamp" FROM "Operation" ORDER BY "ID" DESC LIMIT 1"""),
                Is.EqualTo($"{operation} {new DateTimeOffset(db.OperationTimestamp).ToUnixTimeSeconds()}")
            );
            db.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");
        }

        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup" }), "disposal rolls back");
        await using (var db = await Factories[operation].FromPath(path, true))
            await db.Transaction.CommitAsync(default);
        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EquivalentTo(new[] { "Backup", operation }));
    }

    [TestCaseSource(nameof(Children))]
    [Contract("B 0.2")]
    [Contract("B 5.1 CreateAsync")]
    [Contract("C 0.3 from a parent")]
    public async Task An_object_from_a_parent_shares_everything_and_closes_nothing(string operation)
    {
        var path = Data.Close();
        await using (var parent = await LocalDatabase.CreateLocalDatabaseAsync(path, "Parent", true, null, default))
        {
            parent.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('from', 'parent')""");
            using (var child = await Factories[operation].FromParent!(parent, true))
            {
                Assert.That((child.ShouldCloseConnection, child.OperationTimestamp), Is.EqualTo((false, parent.OperationTimestamp)));
                Assert.That(child.Transaction, Is.SameAs(parent.Transaction));
                Assert.That(child.Connection, Is.SameAs(parent.Connection));
                Assert.That((await child.GetDbOptionsAsync(default))["from"], Is.EqualTo("parent"));
                child.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('of', 'child')""");
                child.Dispose();
            }

            await parent.Transaction.CommitAsync(default);
            await (await Factories[operation].FromParent!(parent, false)).Transaction.RollBackAsync(default);
        }

        Assert.That(Data.Rows("""SELECT "Key" FROM "Configuration" """), Is.EqualTo(new[] { "from", "of" }));
        Assert.That(
            Data.Rows("""SELECT "Description" FROM "Operation" """),
            Is.EquivalentTo(new[] { "Backup", "Parent" }),
            "a child has no operation of its own"
        );
    }

    [Test]
    [Contract("C 0.3 from a path")]
    [Contract("C 0.10")]
    public async Task A_plain_listing_leaves_no_trace_and_no_warning()
    {
        Data.Fileset(1000, Data.File("/a", SampleDatabase.Folder));
        var path = Data.Close();
        var before = await File.ReadAllBytesAsync(path);
        using var log = new LogCapture();
        await using (var db = await LocalListDatabase.CreateAsync(path, null, default))
            Assert.That(await db.ListFilesetsExtendedAsync(default).CountAsync(), Is.EqualTo(1));

        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup" }));
        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(before, Is.Not.Empty);
    }

    [Test]
    [Contract("C 0.4")]
    public async Task A_command_belongs_to_the_transaction_it_was_made_in()
    {
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, default);
        var connection = db.Connection;
        await using var early = connection.CreateCommand();
        early.CommandText = """SELECT COUNT(*) FROM "Operation" """;
        Assert.That(early.Transaction, Is.SameAs(db.Transaction.Transaction));
        connection.Execute("CREATE TEMP TABLE kept (x); ");
        await db.Transaction.CommitAsync(default);

        Assert.That(early.ExecuteScalar, Throws.InvalidOperationException);
        early.Transaction = db.Transaction.Transaction;
        Assert.That(early.ExecuteScalar(), Is.EqualTo(2));
        connection.Execute("CREATE TEMP TABLE lost (x)");
        await db.Transaction.RollBackAsync(default);
        Assert.That(connection.Scalar("SELECT GROUP_CONCAT(name) FROM sqlite_temp_master"), Is.EqualTo("kept"));
    }

    [TestCase("*", true)]
    [TestCase("", false)]
    [Contract("C 0.5")]
    [Contract("C 1.4 SelectFilesAsync")]
    public async Task A_filtered_listing_commits_and_an_unfiltered_one_does_not(string filter, bool commits)
    {
        Data.Fileset(1000, Data.File("/a", Data.Blockset("a", 1)));
        var path = Data.Close();
        await using (var db = await LocalListDatabase.CreateAsync(path, null, default))
        {
            db.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");
            await using var sets = await db.SelectFileSetsAsync(default, [], default);
            var files = sets.SelectFilesAsync(filter.Length == 0 ? new FilterExpression() : new FilterExpression(filter), default);
            Assert.That(Data.Rows("""SELECT "Key" FROM "Configuration" """), Is.Empty, "nothing happens before the first row is asked for");
            Assert.That(await files.Select(x => x.Path).ToListAsync(), Is.EqualTo(new[] { "/a" }));
        }

        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), commits ? Does.Contain("List") : Does.Not.Contain("List"));
    }

    [Test]
    [Contract("C 0.6")]
    public async Task Temporary_tables_of_objects_end_in_32_hexadecimal_digits_and_can_be_read()
    {
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var purge = await LocalPurgeDatabase.CreateAsync(db, null, default);
        await using var files = await db.CreateFilelistAsync("v", default);
        await using var links = await db.CreateIndexlistAsync("v", default);
        // In memory there is no table.
        await using var blocks = new FoundBlocks(db.Session, "v", 0);
        await using var blocklists = await db.CreateBlocklistHashListAsync("v", default);
        await using var another = new FoundBlocks(db.Session, "v", 0);
        await using var temporary = await purge.CreateTemporaryFilesetAsync(1, default);
        await using var names = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(
            db,
            new FilterExpression(),
            default
        );
        await files.AddAsync("/p", 1, "h", 2, "m", [], default, default, default);
        await links.AddBlockLinkAsync("n", "h", 1, default);
        await blocks.AddBlockAsync("h", 1, default);
        await another.AddBlockAsync("g", 2, default);
        await blocklists.AddBlockHashAsync("h", 1, default);

        var tables = db
            .Connection.Scalar(
                "SELECT GROUP_CONCAT(name, ',') FROM (SELECT name FROM sqlite_temp_master WHERE type = 'table' AND name LIKE '%-%' ORDER BY name)"
            )!
            .Split(',');

        Assert.That(TemporaryTables.Templates.Select(x => x.Name("0")), Has.All.EndsWith("-0"));
        Assert.That(
            tables.Select(x => Digits().Replace(x, "")),
            Is.EqualTo(
                new[] { "Blocklist", "Blocklist", "BlocklistHashList", "Filelist", "Filenames", "Indexlist", "TempDeletedFilesTable" }
            )
        );
        Assert.That(
            db.Connection.Scalar($"""SELECT "Path" || "Size" || "Hash" || "Metasize" || "Metahash" FROM "{tables[3]}" """),
            Is.EqualTo("/p1h2m")
        );
        Assert.That(db.Connection.Scalar($"""SELECT "Name" || "Hash" || "Size" FROM "{tables[5]}" """), Is.EqualTo("nh1"));
        Assert.That(
            db.Connection.Scalar(
                $"""SELECT GROUP_CONCAT(a."Hash" || a."Size") FROM (SELECT * FROM "{tables[0]}" UNION SELECT * FROM "{tables[1]}" ORDER BY 1) a"""
            ),
            Is.EqualTo("g2,h1")
        );
        Assert.That(db.Connection.Scalar($"""SELECT "Hash" || "Size" FROM "{tables[2]}" """), Is.EqualTo("h1"));
    }

    // Filesets at 1000, 2000 and 3000: versions 2, 1 and 0.
    [TestCase(0, "", "0 1 2")]
    [TestCase(2000, "", "1 2")]
    [TestCase(1999, "", "2")]
    [TestCase(999, "", "")]
    [TestCase(0, "1", "1")]
    [TestCase(0, "2,0,2", "0 2")]
    [TestCase(1500, "0", "0 2")]
    [TestCase(0, "7", "0 1 2")]
    [TestCase(0, "-1", "0 1 2")]
    [TestCase(0, "7,1", "1")]
    [Contract("C 0.9")]
    [Contract("C 1.3")]
    public async Task Versions_are_chosen_by_time_or_number(long until, string versions, string expected)
    {
        foreach (var time in new[] { 2000, 1000, 3000 })
            Data.Fileset(time);
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, default);
        var numbers = versions.Length == 0 ? [] : Array.ConvertAll(versions.Split(','), long.Parse);
        using var log = new LogCapture();

        foreach (var kind in new[] { DateTimeKind.Utc, DateTimeKind.Local })
        {
            var time =
                until == 0 ? new DateTime(0, kind)
                : kind == DateTimeKind.Utc ? DateTime.UnixEpoch.AddSeconds(until)
                : DateTime.UnixEpoch.AddSeconds(until).ToLocalTime();
            await using var sets = await db.SelectFileSetsAsync(time, numbers, default);
            Assert.That(string.Join(' ', await sets.SetsAsync(default).Select(x => x.Version).ToListAsync()), Is.EqualTo(expected));
            Assert.That(await sets.QuickSetsAsync(default).CountAsync(), Is.EqualTo(3));
        }

        Assert.That(
            log.WarningsAndErrors.Select(x => x.Id).Distinct(),
            Is.EqualTo(numbers.Any(x => x is < 0 or > 2) ? new[] { "SkipInvalidVersion" } : [])
        );
    }

    [Test]
    [Contract("C 1.3")]
    [Contract("C 1.4 QuickSetsAsync")]
    public async Task Numbers_of_versions_are_those_of_the_moment_of_the_choice()
    {
        Data.Fileset(1000, Data.File("/a", Data.Blockset("a", 1)));
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, default);
        var sets = await db.SelectFileSetsAsync(default, [], default);
        db.Connection.Execute("""INSERT INTO "Fileset" ("OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, 1, 0, 5000)""");

        Assert.That(
            await sets.SetsAsync(default).Select(x => (x.Version, x.FileCount, x.IsFullBackup, x.Time.Kind)).ToListAsync(),
            Is.EqualTo(new[] { (0L, 1L, BackupType.FULL_BACKUP, DateTimeKind.Local) })
        );
        Assert.That(await sets.QuickSetsAsync(default).Select(x => x.Version).ToListAsync(), Is.EqualTo(new[] { 0L }));
        sets.Dispose();
        sets.Dispose();
        await sets.DisposeAsync();
    }

    [Test]
    [Contract("C 0.10")]
    public async Task Timers_have_the_ids_of_the_contract()
    {
        var fileset = Data.Fileset(
            1000,
            Data.File("/a", Data.Blockset("a", 1), Data.Metadata(Data.Blockset("m", 1))),
            Data.File("/b", SampleDatabase.Folder)
        );
        var path = Data.Close();
        using var log = new LogCapture();
        await using (var db = await LocalListChangesDatabase.CreateAsync(path, null, default))
        await using (var storage = await db.CreateStorageHelperAsync(default))
            await storage.AddFromDbAsync(fileset, true, null!, default);
        await using (var db = await LocalPurgeDatabase.CreateAsync(path, null, default))
        await using (var temporary = await db.CreateTemporaryFilesetAsync(fileset, default))
            await temporary.ApplyFilterAsync(new FilterExpression("/a"), default);
        await using (var db = await LocalBugReportDatabase.CreateAsync(path, null, default))
            await db.ObfuscateAsync(default);

        foreach (var id in new[] { "AddFromDb", "ApplyFilter", "CommitUpdateBugReport" })
            Assert.That(log.Of(LogMessageType.Profiling, id), Has.Count.EqualTo(2), id);
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("C 0.8 cancellation")]
    public async Task A_token_may_come_with_the_enumeration_and_is_seen_between_rows()
    {
        Data.Fileset(1000, [.. Enumerable.Range(0, 10).Select(i => Data.File($"/{i}", Data.Blockset($"{i}", 1)))]);
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(default, [], default);
        using var source = new CancellationTokenSource();
        var streams = new[]
        {
            db.GetMinimalUniquePrefixEntriesAsync(1, default).Select(x => x.Path),
            db.GetPrefixIdsAsync(["/"], default).Select(x => $"{x}"),
            sets.SelectFilesAsync(new FilterExpression("*"), default).Select(x => x.Path!),
            sets.SetsAsync(default).Select(x => $"{x.Version}"),
        };

        foreach (var stream in streams)
            Assert.That(await stream.WithCancellation(source.Token).GetAsyncEnumerator().MoveNextAsync(), Is.True);
        var roots = db.GetMinimalUniquePrefixEntriesAsync(1, default).WithCancellation(source.Token).GetAsyncEnumerator();
        Assert.That(await roots.MoveNextAsync(), Is.True);
        await source.CancelAsync();
        Assert.That(async () => await roots.MoveNextAsync(), Throws.InstanceOf<OperationCanceledException>());
        foreach (var stream in streams)
            Assert.That(
                async () => await stream.WithCancellation(source.Token).GetAsyncEnumerator().MoveNextAsync(),
                Throws.InstanceOf<OperationCanceledException>()
            );
        Assert.That(await streams[0].CountAsync(default), Is.EqualTo(10), "the database is as usable as before");
    }

    [GeneratedRegex("-[0-9A-Fa-f]{32}$")]
    private static partial Regex Digits();
}
