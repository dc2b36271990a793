// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.BugReport;

/// <summary>What is left in a database made for others.</summary>
[TestFixture]
public sealed class ObfuscationTests
{
    [Test]
    [Platform("Unix,Linux,MacOsX")]
    [Contract("C 7 steps 1 to 6")]
    [Contract("C 11.2 row 21")]
    [Contract("C 11 Q15")]
    [Contract("C 12 row 12")]
    public async Task Nothing_private_is_left_in_the_file()
    {
        using var data = new SampleDatabase();
        var metadata = data.Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"owner":"secret-owner"}')""");
        var folder = data.File("/a/", SampleDatabase.Folder, metadata);
        var file = data.File("/a/x", data.Blockset("x", 1), metadata);
        var other = data.File("/a/x", data.Blockset("x2", 1), metadata);
        data.Fileset(1000, folder, file, other);
        data.File("/secret-folder/secret-name", SampleDatabase.Symlink, metadata);
        data.Insert("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('passphrase', 'secret-pass'), ('blocksize', '1024')""");
        data.Insert(
            """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 1, 'Error', 'about /secret-log', 'C:\secret-log'), (1, 1, 'Error', 'plain', NULL)"""
        );

        await using (var db = await LocalBugReportDatabase.CreateAsync(data.Close(), null, default))
        {
            await db.ObfuscateAsync(default);
            Assert.That(() => db.Transaction.Transaction, Throws.InvalidOperationException);
            await db.VacuumAsync(default);
        }

        Assert.That(
            data.Rows("""SELECT "ID", "Path" FROM "FixedFile" """),
            Is.EqualTo(new[] { $"{folder}|/3/1/", $"{file}|/4/2.bin", $"{other}|/4/2.bin", $"{other + 1}|/26/3.bin" })
        );
        Assert.That(
            data.Rows("""SELECT "Key", "Value" FROM "Configuration" WHERE "Key" IN ('passphrase', 'blocksize')"""),
            Is.EqualTo(new[] { "blocksize|1024", "passphrase|ERASED!" })
        );
        Assert.That(data.Rows("""SELECT "Message", "Exception" FROM "LogData" """), Is.EqualTo(new[] { "ERASED!|ERASED!", "plain|null" }));
        Assert.That(data.Rows("""SELECT "name" FROM "sqlite_master" WHERE "name" IN ('File', 'FileLookup', 'PathPrefix')"""), Is.Empty);
        Assert.That(data.Rows("""SELECT "Description" FROM "Operation" """), Does.Contain("BugReportCreate"));
        Assert.That(Encoding.Latin1.GetString(await File.ReadAllBytesAsync(data.Path)), Does.Not.Contain("secret"));
    }

    [Test]
    [Contract("D 1.3")]
    [Contract("D 4.1")]
    public async Task Labels_and_the_paths_of_restore_tests_go_with_the_other_paths()
    {
        using var data = new SampleDatabase();
        data.Fileset(1000);
        data.Fileset(2000);
        using (var connection = SQLiteLoader.LoadConnection(data.Close()))
            connection.Execute(
                """
                ALTER TABLE "Fileset" ADD COLUMN "Label" TEXT NULL;
                UPDATE "Fileset" SET "Label" = 'secret label' WHERE "Timestamp" = 1000;
                CREATE TABLE "RestoreTestHistory" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "LastVerified" INTEGER NOT NULL, "LastResult" TEXT NOT NULL);
                INSERT INTO "RestoreTestHistory" VALUES (1, '/secret-folder/tested', 5, 'Passed');
                UPDATE "Version" SET "Version" = 21
                """
            );
        await using (var db = await LocalBugReportDatabase.CreateAsync(data.Path, null, default))
            await db.ObfuscateAsync(default);

        Assert.That(data.Rows("""SELECT "Label" FROM "Fileset" ORDER BY "Timestamp" """), Is.EqualTo(new[] { "ERASED!", "null" }));
        Assert.That(Encoding.Latin1.GetString(await File.ReadAllBytesAsync(data.Path)), Does.Not.Contain("secret"));
    }
}
