// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Tool;

/// <summary>A bug report can be shown to others, and making it harms nothing.</summary>
[TestFixture]
internal sealed class ToolBugReportTests : FolderTestBase
{
    [TestCase("a-plain-1k")]
    [TestCase("h-metadata-content")]
    public async Task Nothing_private_is_left_in_the_file_and_the_database_is_as_it_was(string set)
    {
        var database = GoldenData.UnpackDatabase(set, Folder.Path);
        var secrets = await SecretsAsync(database);
        var before = await File.ReadAllBytesAsync(database);
        var run = await ToolRun.OkAsync("bug-report", "--dbpath", database, Folder.File("report.zip"), "--json");
        Assert.That(run.Error, Is.Empty);
        Assert.That(run.Number("bytes"), Is.EqualTo(new FileInfo(Folder.File("report.zip")).Length));
        Assert.That(await File.ReadAllBytesAsync(database), Is.EqualTo(before));
        ZipFile.ExtractToDirectory(Folder.File("report.zip"), Folder.File("report"));
        Assert.That(
            Directory.GetFiles(Folder.File("report")).Select(Path.GetFileName),
            Is.EquivalentTo(new[] { "log-database.sqlite", "system-info.txt" })
        );
        var bytes = await File.ReadAllBytesAsync(Folder.File("report/log-database.sqlite"));
        foreach (var secret in secrets)
            Assert.That(bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(secret)), Is.Negative, secret);
        var system = await File.ReadAllTextAsync(Folder.File("report/system-info.txt"));
        Assert.That(
            system,
            Does.Contain("SQLite: ").And.Contain("Rows of fixedfile: ").And.Not.Contain(Environment.MachineName).And.Not.Contain("Problem")
        );
        Assert.That(Files(), Is.EqualTo(new[] { "local.sqlite", "report.zip" }));
    }

    [Test]
    public async Task Without_zip_at_its_end_the_file_is_the_database_and_nothing_lies_beside_it()
    {
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        Assert.That((await ToolRun.RunAsync("bug-report", "--dbpath", database, Folder.File("scrubbed.sqlite"))).Code, Is.Zero);
        Assert.That(Files(), Is.EqualTo(new[] { "local.sqlite", "scrubbed.sqlite" }));
        using var connection = SQLiteLoader.LoadConnection(Folder.File("scrubbed.sqlite"));
        Assert.That(connection.Pragma("integrity_check"), Is.EqualTo("ok"));
        Assert.That(
            SampleDatabase.Rows(Folder.File("scrubbed.sqlite"), "SELECT COUNT(*) FROM \"FixedFile\""),
            Is.EqualTo(SampleDatabase.Rows(database, "SELECT COUNT(*) FROM \"FileLookup\""))
        );
    }

    [Test]
    public async Task A_database_of_a_newer_release_is_refused_by_its_own_name()
    {
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        Databases.Execute(database, "UPDATE \"Version\" SET \"Version\" = 99");
        var run = await ToolRun.RunAsync("bug-report", "--dbpath", database, Folder.File("report.zip"), "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "DatabaseVersionNotSupportedError")));
        Assert.That(run.Error, Does.Contain($"The database {database} has version 99").And.Not.Contain("duplicati-engine-"));
        Assert.That(Files(), Is.EqualTo(new[] { "local.sqlite" }));
    }

    [Test]
    public async Task What_is_committed_but_still_in_the_log_is_in_the_report()
    {
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        using var writer = SQLiteLoader.LoadConnection(database);
        writer.Execute("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('partially-recreated', '1')");
        Assert.That((await ToolRun.RunAsync("bug-report", "--dbpath", database, Folder.File("scrubbed.sqlite"))).Code, Is.Zero);
        Assert.That(
            SampleDatabase.Rows(
                Folder.File("scrubbed.sqlite"),
                "SELECT \"Value\" FROM \"Configuration\" WHERE \"Key\" = 'partially-recreated'"
            ),
            Has.Exactly(1).Items
        );
    }

    // Every text of every table, also of one that nobody knows, is what its owner might have named after himself.
    [TestCase(19)]
    [TestCase(20)]
    [TestCase(21)]
    [Contract("D 1.3")]
    [Contract("D 4.1")]
    public async Task No_text_of_any_table_is_left_in_the_bytes_of_the_file(int schema)
    {
        const string Marker = "Geheim";
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        Assert.That((await ToolRun.RunAsync("upgrade", database, "--to", $"{schema}")).Code, Is.Zero);
        List<(string Table, string Column)> columns;
        using (var connection = SQLiteLoader.LoadConnection(database))
        {
            connection.Execute(
                """
                CREATE TABLE "Own table" ("Text" TEXT); INSERT INTO "Own table" VALUES ('own');
                INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash") VALUES (1, 'C:', 1, 1, 'hash');
                INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 1, 'Warning', 'a message', 'an exception');
                INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path", "Data") VALUES (1, 1, 'put', 'a name', 'an answer');
                INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('hash', 1, 1);
                INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (1, 1000, 'hash');
                UPDATE "Metadataset" SET "Content" = 'content';
                INSERT OR IGNORE INTO "Configuration" ("Key", "Value") VALUES ('passphrase', 'secret'), ('another', 'value')
                """
            );
            if (schema >= 21)
                connection.Execute(
                    """INSERT INTO "RestoreTestHistory" ("Path", "LastVerified", "LastResult") VALUES ('/a/path', 1, 'Passed')"""
                );
            connection.Execute("ANALYZE");
            columns =
            [
                .. Columns(
                    connection,
                    "(\"c\".\"type\" LIKE '%TEXT%' OR \"c\".\"type\" LIKE '%BLOB%' OR \"c\".\"type\" LIKE '%CHAR%' OR \"c\".\"type\" = '')"
                ),
            ];
            // Each row gets another one, as some must.
            foreach (var (table, column) in columns)
                connection.Execute($"UPDATE OR IGNORE \"{table}\" SET \"{column}\" = '{Marker}-{table}-{column}-' || rowid");
            connection.Execute(
                $"INSERT INTO \"Remotevolume\" (\"OperationID\", \"Name\", \"Type\", \"State\", \"VerificationCount\", \"DeleteGraceTime\", \"ArchiveTime\", \"LockExpirationTime\") VALUES (1, '{Marker}-b0123456789abcdef0123456789abcdef.dblock.zip.aes', 'Blocks', 'Verified', 0, 0, 0, 0)"
            );
            connection.Execute($"INSERT INTO \"PathPrefix\" (\"Prefix\") VALUES ('\\\\{Marker}\\share\\')");
        }

        Assert.That(columns, Has.Count.GreaterThan(20));
        Assert.That(columns.Contains(("Fileset", "Label")), Is.EqualTo(schema >= 20));
        Assert.That(columns.Contains(("RestoreTestHistory", "Path")), Is.EqualTo(schema >= 21));
        await ToolRun.OkAsync("bug-report", "--dbpath", database, Folder.File("report.zip"), "--json");
        ZipFile.ExtractToDirectory(Folder.File("report.zip"), Folder.File("report"));
        foreach (var file in Directory.GetFiles(Folder.File("report")))
        {
            var bytes = Encoding.Latin1.GetString(await File.ReadAllBytesAsync(file));
            Assert.That(columns.Where(x => bytes.Contains($"{Marker}-{x.Table}-{x.Column}", StringComparison.Ordinal)), Is.Empty, file);
            Assert.That(bytes, Does.Not.Contain(Marker).And.Not.Contain("Own table"), file);
        }

        Assert.That(
            SampleDatabase.Rows(Folder.File("report/log-database.sqlite"), "SELECT \"Name\" FROM \"Remotevolume\""),
            Does.Contain("duplicati-b0123456789abcdef0123456789abcdef.dblock.zip.aes")
        );
        Assert.That(Databases.VersionOf(Folder.File("report/log-database.sqlite")), Is.EqualTo(schema));
    }

    [Test]
    public async Task No_text_is_left_where_numbers_belong()
    {
        const string Marker = "Geheim";
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        using (var connection = SQLiteLoader.LoadConnection(database))
        {
            foreach (
                var (table, column) in Columns(
                    connection,
                    "\"c\".\"type\" NOT LIKE '%TEXT%' AND \"c\".\"pk\" = 0 AND \"t\".\"name\" <> 'Version'"
                )
            )
                connection.Execute($"UPDATE OR IGNORE \"{table}\" SET \"{column}\" = CAST('{Marker}' AS BLOB)");
        }

        await ToolRun.OkAsync("bug-report", "--dbpath", database, Folder.File("scrubbed.sqlite"));
        Assert.That(Encoding.Latin1.GetString(await File.ReadAllBytesAsync(Folder.File("scrubbed.sqlite"))), Does.Not.Contain(Marker));
    }

    [Test]
    public async Task What_says_nothing_of_its_owner_stays()
    {
        var database = GoldenData.UnpackDatabase("k-small", Folder.Path);
        Assert.That((await ToolRun.RunAsync("bug-report", "--dbpath", database, Folder.File("scrubbed.sqlite"))).Code, Is.Zero);
        foreach (
            var sql in new[]
            {
                "SELECT \"Hash\", \"Size\", \"VolumeID\" FROM \"Block\" ORDER BY \"ID\"",
                "SELECT \"FullHash\", \"Length\" FROM \"Blockset\" ORDER BY \"ID\"",
                "SELECT \"Hash\" FROM \"BlocklistHash\" ORDER BY rowid",
                "SELECT \"Name\", \"Type\", \"State\", \"Hash\", \"Size\" FROM \"Remotevolume\" ORDER BY \"ID\"",
                "SELECT \"Key\", \"Value\" FROM \"Configuration\" WHERE \"Key\" IN ('blocksize', 'blockhash', 'filehash')",
            }
        )
            Assert.That(
                SampleDatabase.Rows(Folder.File("scrubbed.sqlite"), sql),
                Is.EqualTo(SampleDatabase.Rows(database, sql)).And.Not.Empty,
                sql
            );
    }

    [Test]
    public async Task A_file_that_exists_is_not_overwritten_and_a_file_of_another_kind_is_refused()
    {
        var database = Folder.File("x.sqlite");
        await File.WriteAllTextAsync(database, new string('x', 5000));
        var run = await ToolRun.RunAsync("bug-report", "--dbpath", database, database, "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "OutputFileExists")));
        run = await ToolRun.RunAsync("bug-report", "--dbpath", database, Folder.File("report.zip"), "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "DatabaseFormatError")));
        Assert.That(Files(), Is.EqualTo(new[] { "x.sqlite" }));
    }

    private static IEnumerable<(string Table, string Column)> Columns(SqliteConnection connection, string condition)
    {
        using var command = connection.CreateCommand();
        command.CommandText = $"""
            SELECT "t"."name", "c"."name" FROM "sqlite_master" "t" CROSS JOIN pragma_table_info("t"."name") "c"
            WHERE "t"."type" = 'table' AND {condition} AND "t"."name" NOT IN ('sqlite_sequence', 'sqlite_stat4')
            """;
        using var reader = command.ExecuteReader();
        while (reader.Read())
            yield return (reader.GetString(0), reader.GetString(1));
    }

    // A reader of a file in WAL mode may leave an empty log behind.
    private string[] Files() => [.. Folder.Files().Where(x => x is not ("local.sqlite-wal" or "local.sqlite-shm"))];

    // Components of paths that are long enough not to occur by chance.
    private static async Task<List<string>> SecretsAsync(string database)
    {
        var run = await ToolRun.RunAsync("list", "--dbpath", database, "--all-versions", "--json");
        var secrets = run
            .Json.EnumerateArray()
            .SelectMany(x => x.GetProperty("path").GetString()!.Split('/'))
            .Where(x => x.Length >= 6)
            .Distinct()
            .ToList();
        Assert.That(secrets, Has.Count.GreaterThan(50));
        return [.. secrets, "/data/tree1"];
    }
}
