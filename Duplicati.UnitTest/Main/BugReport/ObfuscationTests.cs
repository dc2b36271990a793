// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.BugReport;

/// <summary>What is left in a database made for others.</summary>
[TestFixture]
public sealed class ObfuscationTests : SampleTestBase
{
    [TestCase(false)]
    [TestCase(true)]
    [Contract("C 7 steps 1 to 6")]
    [Platform("Unix,Linux,MacOsX")]
    [Contract("C 11.2 row 21")]
    [Contract("C 11 Q15")]
    [Contract("C 12 row 12")]
    [Contract("C 10 CreateBugReportHandler")]
    public async Task No_secret_is_in_the_file_and_it_can_be_read_right_after_disposal(bool vacuum)
    {
        // Enough rows to fill many pages, some of which have been freed before.
        var files = Enumerable
            .Range(0, 2000)
            .Select(i =>
                Data.File(
                    $"/secret-folder-{i % 40}/secret-name-{i}",
                    Data.Blockset($"{i}", i),
                    Data.Insert(
                        """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, ?1)""",
                        $$"""{"owner":"secret-owner-{{i}}"}"""
                    )
                )
            )
            .ToArray();
        Data.Fileset(1000, files);
        Data.Insert(
            """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 1, 'Error', 'no path', 'at /secret-trace'), (1, 1, 'Error', 'C:\secret-path', 'kept'), (1, 1, 'Error', 'about /secret-log', 'C:\secret-log'), (1, 1, 'Error', 'plain', NULL)"""
        );
        Data.Insert(
            """INSERT INTO "Configuration" ("Key", "Value") VALUES ('passphrase', 'secret-phrase'), ('passphrase-salt', 'salt'), ('blocksize', '1024')"""
        );
        Data.Insert("""DELETE FROM "FileLookup" WHERE "ID" % 2 = 0""");
        await using (var other = await LocalDatabase.CreateLocalDatabaseAsync(Data.Close(), "Analyze", true, null, default))
        {
            other.Connection.Execute("ANALYZE");
            await other.Transaction.CommitAsync(default);
        }

        using var log = new LogCapture();
        await using (var db = await LocalBugReportDatabase.CreateAsync(Data.Path, null, default))
        {
            await db.ObfuscateAsync(default);
            Assert.That(() => db.Transaction.Transaction, Throws.InvalidOperationException);
            if (vacuum)
                await db.VacuumAsync(default);
        }

        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(Data.Path)!).Select(Path.GetFileName),
            Is.EqualTo(new[] { "backup.sqlite" }),
            "all is in the main file"
        );
        await using (var copy = new FileStream(Data.Path, FileMode.Open, FileAccess.Read, FileShare.None))
            Assert.That(copy.Length, Is.Positive);
        var text = await File.ReadAllBytesAsync(Data.Path);
        foreach (var encoding in new[] { Encoding.UTF8, Encoding.Unicode })
            Assert.That(text.AsSpan().IndexOf(encoding.GetBytes("secret")), Is.EqualTo(-1));
        Assert.That(Data.Rows("""SELECT COUNT(*), MIN("Path") FROM "FixedFile" """).Single(), Does.StartWith("1000|/"));
        Assert.That(
            Data.Rows("""SELECT "Key", "Value" FROM "Configuration" WHERE "Key" IN ('blocksize', 'passphrase', 'passphrase-salt')"""),
            Is.EqualTo(new[] { "blocksize|1024", "passphrase-salt|salt", "passphrase|ERASED!" })
        );
        Assert.That(
            Data.Rows("""SELECT "Message", "Exception" FROM "LogData" """),
            Is.EqualTo(new[] { "ERASED!|ERASED!", "ERASED!|kept", "no path|ERASED!", "plain|null" })
        );
        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Does.Contain("BugReportCreate"));
        Assert.That(Data.Rows("""SELECT COUNT(*) FROM "Remotevolume" """), Is.EqualTo(new[] { "1" }), "volumes stay");
        Assert.That(Data.Rows("PRAGMA freelist_count"), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Platform("Unix,Linux,MacOsX")]
    [Contract("C 7 steps 1 to 6")]
    public async Task Every_row_of_a_file_keeps_its_ids_and_equal_paths_keep_one_substitute()
    {
        var first = Data.File("/a/b", Data.Blockset("1", 1), 7);
        var second = Data.File("/a/b", Data.Blockset("2", 1), 8);
        var folder = Data.File("/a/", SampleDatabase.Folder, 7);
        var last = Data.File("/ä/ö", SampleDatabase.Symlink, 7);
        var alone = Data.File("/z-folder/with-a-long-name", SampleDatabase.Symlink, 7);
        await using (var db = await LocalBugReportDatabase.CreateAsync(Data.Close(), null, default))
            await db.ObfuscateAsync(default);

        Assert.That(
            Data.Rows("""SELECT "ID", "Path", "BlocksetID", "MetadataID" FROM "FixedFile" ORDER BY "ID" """),
            Is.EqualTo(
                new[]
                {
                    $"{first}|/4/2.bin|1|7",
                    $"{second}|/4/2.bin|2|8",
                    $"{folder}|/3/1/|-100|7",
                    $"{last}|/4/4.bin|-200|7",
                    $"{alone}|/26/3.bin|-200|7",
                }
            )
        );
        using var connection = new SqliteConnection($"Data Source={Data.Path};Pooling=false;Mode=ReadOnly");
        connection.Open();
        Assert.That(connection.Scalar("PRAGMA integrity_check"), Is.EqualTo("ok"));
        Assert.That(
            connection.Scalar(
                "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('File', 'FileLookup', 'PathPrefix') OR name LIKE 'PathMap%'"
            ),
            Is.EqualTo("0")
        );
    }

    [Test]
    [Contract("D 1.3")]
    [Contract("D 4.1")]
    public async Task Labels_and_the_paths_of_restore_tests_go_with_the_other_paths()
    {
        Data.Fileset(1000);
        Data.Fileset(2000);
        Databases.Execute(
            Data.Close(),
            """
            ALTER TABLE "Fileset" ADD COLUMN "Label" TEXT NULL;
            UPDATE "Fileset" SET "Label" = 'secret label' WHERE "Timestamp" = 1000;
            CREATE TABLE "RestoreTestHistory" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "LastVerified" INTEGER NOT NULL, "LastResult" TEXT NOT NULL);
            INSERT INTO "RestoreTestHistory" VALUES (1, '/secret-folder/tested', 5, 'Passed');
            UPDATE "Version" SET "Version" = 21
            """
        );
        await using (var db = await LocalBugReportDatabase.CreateAsync(Data.Path, null, default))
            await db.ObfuscateAsync(default);

        Assert.That(Data.Rows("""SELECT "Label" FROM "Fileset" ORDER BY "Timestamp" """), Is.EqualTo(new[] { "ERASED!", "null" }));
        Assert.That(Encoding.Latin1.GetString(await File.ReadAllBytesAsync(Data.Path)), Does.Not.Contain("secret"));
    }
}
