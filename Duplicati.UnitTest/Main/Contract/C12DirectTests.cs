// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>
/// The layer used as core's own unit tests use it: a new database, rows written by plain commands on its connection into the open
/// transaction, many of them without the rows they refer to.
/// </summary>
[TestFixture]
public sealed class C12DirectTests : FolderTestBase
{
    // Linux, drive letters, servers, a mixture, and names that continue each other.
    [TestCase("/home/u/|/home/u/a|/home/u/sub/|/home/u/sub/b", "/home/u/")]
    [TestCase(@"C:\Users\|C:\Users\a|D:\Data\|D:\Data\b", @"C:\Users\|D:\Data\")]
    [TestCase(@"\\server\share\|\\server\share\a|\\other\share\|\\other\share\b", @"\\other\share\|\\server\share\")]
    [TestCase(@"C:\Users\|C:\Users\a|\\server\share\|\\server\share\a", @"C:\Users\|\\server\share\")]
    [TestCase(@"C:\AA\|C:\AA\x|C:\AAA\|C:\AAA\x|C:\AAAA\|C:\AAAA\x", @"C:\AAAA\|C:\AAA\|C:\AA\")]
    [Contract("C 12 row 1")]
    [Contract("C 1.8")]
    public async Task Roots_are_found_with_prefixes_and_empty_names(string paths, string expected)
    {
        await using var db = await LocalListDatabase.CreateAsync(Folder.File("list.sqlite"), null, default);
        var fileset = await SeedFilesetAsync(db, 1000);
        foreach (var path in paths.Split('|'))
        {
            // As core's test stores a folder: the whole path is the prefix, the name is empty.
            var split = path[^1] is '/' or '\\' ? path.Length : path.LastIndexOfAny(['/', '\\']) + 1;
            await SeedFileAsync(db, fileset, path[..split], path[split..], blockset: split == path.Length ? -100 : 77);
        }

        var roots = await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).Select(x => x.Path).ToListAsync(default);

        Assert.That(roots, Is.EquivalentTo(expected.Split('|')));
        Assert.That(roots, Is.Ordered.Using((IComparer<string>)StringComparer.Ordinal));
    }

    [Test]
    [Contract("C 12 row 1")]
    [Contract("C 1.7")]
    [Contract("C 0.7")]
    public async Task A_folder_of_many_prefixes_lists_files_whose_blockset_and_metadata_do_not_exist()
    {
        await using var db = await LocalListDatabase.CreateAsync(Folder.File("list.sqlite"), null, default);
        var fileset = await SeedFilesetAsync(db, 1000);
        var prefixes = new List<long>();
        for (var i = 0; i < 150; i++)
        {
            await SeedFileAsync(db, fileset, $"/prefix{i:000}/", "file.txt", blockset: 9000 + i, metadata: 9000 + i);
            prefixes.Add(
                long.Parse(
                    db.Connection.Scalar("""SELECT MAX("ID") FROM "PathPrefix" """)!,
                    System.Globalization.CultureInfo.InvariantCulture
                )
            );
        }

        var result = await db.ListFolderAsync(prefixes, fileset, 0, 1000, default);

        var items = result.Items.ToList();
        Assert.That(items.Select(x => x.Path), Is.EqualTo(Enumerable.Range(0, 150).Select(i => $"/prefix{i:000}/file.txt")));
        Assert.That(
            items,
            Has.All.InstanceOf<LocalListDatabase.FolderEntry>()
                .And.All.Property("Size")
                .EqualTo(-1)
                .And.All.Property("IsDirectory")
                .False.And.All.Property("Metadata")
                .Null
        );
        Assert.That(items[0].LastModified, Is.EqualTo(new DateTime(5, DateTimeKind.Utc)).And.Property("Kind").EqualTo(DateTimeKind.Utc));
    }

    [Test]
    [Contract("C 12 row 1")]
    [Contract("C 1.10")]
    public async Task The_prefix_of_a_name_need_not_exist()
    {
        await using var db = await LocalListDatabase.CreateAsync(Folder.File("list.sqlite"), null, default);
        var fileset = await SeedFilesetAsync(db, 1000);
        await SeedFileAsync(db, fileset, "/gone/", "x");
        await SeedFileAsync(db, fileset, "/there/", "x");
        Run(db, """DELETE FROM "PathPrefix" WHERE "Prefix" = '/gone/'""");

        var versions = await db.ListFileVersionsAsync(["x"], null, 0, 0, default);

        Assert.That(versions.TotalCount, Is.EqualTo(2));
        Assert.That(versions.Items.Select(x => x.Size), Is.All.Zero, "of a content that does not exist");
    }

    [TestCase("o365:Name")]
    [TestCase("o365:DisplayName")]
    [TestCase("o365:Type")]
    [TestCase("gsuite:Name")]
    [TestCase("gsuite:DisplayName")]
    [TestCase("gsuite:SpaceName")]
    [TestCase("gsuite:Type")]
    [Contract("C 12 row 1")]
    [Contract("C 1.11 metadata")]
    public async Task A_search_looks_at_seven_names_in_metadata_and_passes_over_metadata_that_is_missing(string key)
    {
        await using var db = await LocalListDatabase.CreateAsync(Folder.File("list.sqlite"), null, default);
        var fileset = await SeedFilesetAsync(db, 1000);
        Run(
            db,
            $$"""INSERT INTO "Metadataset" ("ID", "BlocksetID", "Content") VALUES (5, 1, '{"{{key}}":"Budget 2026","other":"Secret"}'), (6, 1, NULL)"""
        );
        await SeedFileAsync(db, fileset, "/m/", "1", metadata: 5);
        await SeedFileAsync(db, fileset, "/m/", "2", metadata: 6);
        await SeedFileAsync(db, fileset, "/m/", "3", metadata: 0);

        foreach (
            var (filter, caseSensitive, readsMetadata, expected) in new[]
            {
                ("budget", false, true, "/m/1"),
                ("get 2", false, true, "/m/1"),
                ("budget", false, false, ""),
                ("budget", true, true, ""),
                ("Budget", true, true, "/m/1"),
                ("budget*", false, true, "/m/1"),
                ("*budget", false, true, ""),
                ("secret", false, true, ""),
                ("/m/", false, true, "/m/1,/m/2,/m/3"),
            }
        )
        {
            var found = await db.SearchEntriesAsync(null, new FilterExpression(filter), caseSensitive, null, readsMetadata, 0, 0, default);
            Assert.That(string.Join(',', found.Items.Select(x => x.Path)), Is.EqualTo(expected), filter);
        }
    }

    [Test]
    [Contract("C 1.11 metadata")]
    public async Task Metadata_that_is_no_json_fails_a_search_that_reads_it()
    {
        await using var db = await LocalListDatabase.CreateAsync(Folder.File("list.sqlite"), null, default);
        Run(db, """INSERT INTO "Metadataset" ("ID", "BlocksetID", "Content") VALUES (5, 1, 'no json')""");
        await SeedFileAsync(db, await SeedFilesetAsync(db, 1000), "/m/", "1", metadata: 5);

        Assert.That(
            async () => await db.SearchEntriesAsync(null, new FilterExpression("none"), false, null, true, 0, 0, default),
            Throws.TypeOf<SqliteException>().With.Message.Contains("malformed JSON")
        );
        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("none"), false, null, false, 0, 0, default)).TotalCount,
            Is.Zero
        );
    }

    [Test]
    [Contract("C 12 row 3")]
    [Contract("C 2.6")]
    public async Task Lost_metadata_is_replaced_and_the_database_is_consistent_again()
    {
        using var data = new SampleDatabase();
        var volume = data.Volume("blocks");
        var empty = data.Blockset("empty", 2, data.Block("empty", 2, volume));
        var lost = data.Blockset("lost", 5, data.Block("lost", 5, volume));
        data.Metadata(empty);
        var fileset = data.Fileset(1000, data.File("/a", data.Blockset("a", 3, data.Block("a", 3, volume)), data.Metadata(lost)));
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(data.Close(), null, default);
        Run(db, $"""DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = {lost}; DELETE FROM "Blockset" WHERE "ID" = {lost}""");

        var id = await db.GetEmptyMetadataBlocksetIdAsync([], SampleDatabase.Hash("empty"), 2, default);
        var replaced = await db.ReplaceMetadataAsync(fileset, id, default);
        await db.Transaction.CommitAsync(default);

        Assert.That((id, replaced), Is.EqualTo((empty, 1)));
        Assert.That(() => db.VerifyConsistencyAsync(100, 32, false, default), Throws.Nothing);
        Assert.That(await db.ReplaceMetadataAsync(fileset, id, default), Is.Zero, "nothing is lost any more");
    }

    private static async Task<long> SeedFilesetAsync(LocalListDatabase db, long time)
    {
        await using var command = db.Connection.CreateCommand();
        return command
            .SetCommandAndParameters(
                """INSERT INTO "Fileset" ("OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, -1, 1, @Time); SELECT last_insert_rowid();"""
            )
            .SetParameterValue("@Time", time)
            .ExecuteScalarInt64(-1);
    }

    private static async Task SeedFileAsync(
        LocalListDatabase db,
        long fileset,
        string prefix,
        string name,
        long blockset = 1234,
        long metadata = 1234
    )
    {
        await using var command = db.Connection.CreateCommand();
        command
            .SetCommandAndParameters("""INSERT OR IGNORE INTO "PathPrefix" ("Prefix") VALUES (@Prefix)""")
            .SetParameterValue("@Prefix", prefix)
            .ExecuteNonQuery();
        var file = command
            .SetCommandAndParameters(
                """
                INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "ID", @Name, @Blockset, @Metadata FROM "PathPrefix" WHERE "Prefix" = @Prefix;
                SELECT last_insert_rowid();
                """
            )
            .SetParameterValue("@Name", name)
            .SetParameterValue("@Blockset", blockset)
            .SetParameterValue("@Metadata", metadata)
            .SetParameterValue("@Prefix", prefix)
            .ExecuteScalarInt64(-1);
        command
            .SetCommandAndParameters("""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (@Fileset, @File, 5)""")
            .SetParameterValue("@Fileset", fileset)
            .SetParameterValue("@File", file)
            .ExecuteNonQuery();
    }

    private static void Run(LocalDatabase db, string sql)
    {
        using var command = db.Connection.CreateCommand();
        command.SetCommandAndParameters(sql).ExecuteNonQuery();
    }
}
