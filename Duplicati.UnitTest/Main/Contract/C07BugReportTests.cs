// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>A database for others holds no path, no metadata and no passphrase, wherever they were.</summary>
[TestFixture]
[Platform("Unix,Linux,MacOsX")]
public sealed class C07BugReportTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [TestCase(false)]
    [TestCase(true)]
    [Contract("C 7 steps 1 to 6")]
    [Contract("C 11 Q15")]
    [Contract("C 12 row 12")]
    [Contract("C 10 CreateBugReportHandler")]
    public async Task No_secret_is_in_the_file_and_it_can_be_read_right_after_disposal(bool vacuum)
    {
        // Enough rows to fill many pages, some of which have been freed before.
        var files = Enumerable
            .Range(0, 2000)
            .Select(i =>
                m_data.File(
                    $"/secret-folder-{i % 40}/secret-name-{i}",
                    m_data.Blockset($"{i}", i),
                    m_data.Insert(
                        """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, ?1)""",
                        $$"""{"owner":"secret-owner-{{i}}"}"""
                    )
                )
            )
            .ToArray();
        m_data.Fileset(1000, files);
        m_data.Insert(
            """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 1, 'Error', 'no path', 'at /secret-trace'), (1, 1, 'Error', 'C:\secret-path', 'kept'), (1, 1, 'Error', 'plain', NULL)"""
        );
        m_data.Insert(
            """INSERT INTO "Configuration" ("Key", "Value") VALUES ('passphrase', 'secret-phrase'), ('passphrase-salt', 'salt'), ('blocksize', '1024')"""
        );
        m_data.Insert("""DELETE FROM "FileLookup" WHERE "ID" % 2 = 0""");
        await using (var other = await LocalDatabase.CreateLocalDatabaseAsync(m_data.Close(), "Analyze", true, null, s_none))
        {
            other.Connection.Execute("ANALYZE");
            await other.Transaction.CommitAsync(s_none);
        }

        using var log = new LogCapture();
        await using (var db = await LocalBugReportDatabase.CreateAsync(m_data.Path, null, s_none))
        {
            await db.ObfuscateAsync(s_none);
            Assert.That(() => db.Transaction.Transaction, Throws.InvalidOperationException);
            if (vacuum)
                await db.VacuumAsync(s_none);
        }

        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(m_data.Path)!).Select(Path.GetFileName),
            Is.EqualTo(new[] { "backup.sqlite" }),
            "all is in the main file"
        );
        await using (var copy = new FileStream(m_data.Path, FileMode.Open, FileAccess.Read, FileShare.None))
            Assert.That(copy.Length, Is.Positive);
        var text = await File.ReadAllBytesAsync(m_data.Path);
        foreach (var encoding in new[] { Encoding.UTF8, Encoding.Unicode })
            Assert.That(text.AsSpan().IndexOf(encoding.GetBytes("secret")), Is.EqualTo(-1));
        Assert.That(m_data.Rows("""SELECT COUNT(*), MIN("Path") FROM "FixedFile" """).Single(), Does.StartWith("1000|/"));
        Assert.That(
            m_data.Rows("""SELECT "Key", "Value" FROM "Configuration" WHERE "Key" IN ('blocksize', 'passphrase', 'passphrase-salt')"""),
            Is.EqualTo(new[] { "blocksize|1024", "passphrase-salt|salt", "passphrase|ERASED!" })
        );
        Assert.That(
            m_data.Rows("""SELECT "Message", "Exception" FROM "LogData" """),
            Is.EqualTo(new[] { "ERASED!|kept", "no path|ERASED!", "plain|null" })
        );
        Assert.That(m_data.Rows("""SELECT "Description" FROM "Operation" """), Does.Contain("BugReportCreate"));
        Assert.That(m_data.Rows("""SELECT COUNT(*) FROM "Remotevolume" """), Is.EqualTo(new[] { "1" }), "volumes stay");
        Assert.That(m_data.Rows("PRAGMA freelist_count"), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Contract("C 7 steps 1 to 6")]
    public async Task Every_row_of_a_file_keeps_its_ids_and_equal_paths_keep_one_substitute()
    {
        var first = m_data.File("/a/b", m_data.Blockset("1", 1), 7);
        var second = m_data.File("/a/b", m_data.Blockset("2", 1), 8);
        var folder = m_data.File("/a/", SampleDatabase.Folder, 7);
        var last = m_data.File("/ä/ö", SampleDatabase.Symlink, 7);
        await using (var db = await LocalBugReportDatabase.CreateAsync(m_data.Close(), null, s_none))
            await db.ObfuscateAsync(s_none);

        Assert.That(
            m_data.Rows("""SELECT "ID", "Path", "BlocksetID", "MetadataID" FROM "FixedFile" ORDER BY "ID" """),
            Is.EqualTo(new[] { $"{first}|/4/2.bin|1|7", $"{second}|/4/2.bin|2|8", $"{folder}|/3/1/|-100|7", $"{last}|/4/3.bin|-200|7" })
        );
        using var connection = new SqliteConnection($"Data Source={m_data.Path};Pooling=false;Mode=ReadOnly");
        connection.Open();
        Assert.That(connection.Scalar("PRAGMA integrity_check"), Is.EqualTo("ok"));
        Assert.That(
            connection.Scalar(
                "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('File', 'FileLookup', 'PathPrefix') OR name LIKE 'PathMap%'"
            ),
            Is.EqualTo("0")
        );
    }
}
