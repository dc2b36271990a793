// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.UnitTest.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>
/// Files whose version says that indexes are missing, files that earlier builds left without saying so, and files that say what is not
/// true.
/// </summary>
[TestFixture]
public sealed class LeftOutIndexesTests : FolderTestBase
{
    private const string CreateTable =
        """CREATE TABLE "DeferredIndex" ("Name" TEXT PRIMARY KEY NOT NULL, "Table" TEXT NOT NULL, "Sql" TEXT NOT NULL)""";
    private const string BlockSize = """CREATE INDEX "BlockSize" ON "Block" ("Size")""";

    private string m_path = null!;

    [SetUp]
    public void MakeFile()
    {
        m_path = Folder.File("a.sqlite");
        Databases.Upgrade(m_path);
    }

    [TestCase(22)]
    [TestCase(999)]
    [TestCase(1022)]
    [TestCase(1999)]
    [TestCase(2019)]
    [Contract("A 3.3 step 3")]
    public void Versions_that_are_neither_known_nor_marked_are_refused_and_the_file_stays_as_it_is(int version)
    {
        Leave(version, ("BlockSize", BlockSize));
        foreach (var open in (Action[])[() => Databases.Upgrade(m_path), Open])
        {
            var error = Assert.Throws<UserInformationException>(() => open())!;
            Assert.That((error.HelpID, Databases.VersionOf(m_path)), Is.EqualTo(("DatabaseVersionNotSupportedError", version)));
        }

        using var connection = Databases.Open(m_path);
        Assert.That(LeftOutIndexes.Read(connection)!.Value.Names, Is.EqualTo(new[] { "BlockSize" }));
    }

    [Test]
    public void A_marked_file_is_completed_by_an_upgrade_and_by_an_opening([Values] bool isUpgrade)
    {
        Leave(1019, ("BlockSize", BlockSize));
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.True);
        if (isUpgrade)
            Databases.Upgrade(m_path);
        else
            Open();
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.False);
    }

    [Test]
    public void A_file_of_an_earlier_build_that_bears_no_mark_is_completed_though_some_indexes_are_there_already()
    {
        Leave(
            19,
            ("BlockSize", BlockSize),
            ("BlocksetEntry_BlocksetID", """CREATE INDEX "BlocksetEntry_BlocksetID" ON "BlocksetEntry" ("BlocksetID")""")
        );
        Databases.Execute(m_path, """CREATE INDEX "BlocksetEntry_BlocksetID" ON "BlocksetEntry" ("BlocksetID")""");
        Open();
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.False);
    }

    [TestCase(12)]
    [TestCase(1012)]
    public void Indexes_of_an_older_version_are_built_before_its_scripts_and_those_that_scripts_make_are_left_to_them(int version)
    {
        const string name = "downgraded-v12";
        var path = Databases.UnpackOld(name, Folder.Path);
        Databases.Execute(
            path,
            $"""
            DROP INDEX IF EXISTS "BlockSize"; DROP INDEX IF EXISTS "BlocksetEntry_BlocksetID"; {CreateTable};
            INSERT INTO "DeferredIndex" VALUES ('BlockSize', 'Block', 'CREATE INDEX "BlockSize" ON "Block" ("Size")'),
                ('BlocksetEntry_BlocksetID', 'BlocksetEntry', 'CREATE INDEX "BlocksetEntry_BlocksetID" ON "BlocksetEntry" ("BlocksetID")');
            UPDATE "Version" SET "Version" = {version}
            """
        );
        Databases.Upgrade(path);
        Assert.That(Databases.DifferencesFromExpected(path, name).Select(x => x.ToString()), Is.Empty);
    }

    [Test]
    public void What_an_upgrade_makes_is_not_built_in_a_file_of_an_older_version()
    {
        m_path = Databases.UnpackOld("downgraded-v12", Folder.Path);
        const string Later = """CREATE INDEX "BlocksetEntry_BlocksetID" ON "BlocksetEntry" ("BlocksetID")""";
        Leave(12, ("BlockSize", BlockSize), ("BlocksetEntry_BlocksetID", Later));
        using (var connection = Databases.Open(m_path))
            Assert.That(LeftOutIndexes.Complete(connection, typeof(DatabaseSchemaMarker), default), Is.True);

        Assert.That(
            Databases.Query(
                m_path,
                "SELECT group_concat(name) FROM sqlite_master WHERE type = 'index' AND name IN ('BlockSize', 'BlocksetEntry_BlocksetID')"
            ),
            Is.EqualTo("BlockSize")
        );
        Assert.That(Databases.VersionOf(m_path), Is.EqualTo(12));
    }

    [Test]
    public void A_mark_at_an_older_version_without_anything_missing_is_only_taken_away()
    {
        const string name = "handmade-v05";
        var path = Databases.UnpackOld(name, Folder.Path);
        Databases.Execute(path, """UPDATE "Version" SET "Version" = 1005""");
        Databases.Upgrade(path);
        Assert.That(Databases.DifferencesFromExpected(path, name).Select(x => x.ToString()), Is.Empty);
    }

    [Test]
    public void A_mark_without_the_table_of_missing_indexes_brings_all_indexes_of_the_schema()
    {
        Databases.Execute(m_path, """DROP INDEX "BlockSize"; DROP INDEX "BlockHashSize"; UPDATE "Version" SET "Version" = 1019""");
        Open();
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.False);
    }

    [TestCase("DROP TABLE Block")]
    [TestCase("CREATE INDEX BlockSize ON Block (Size); DROP TABLE Block")]
    [TestCase("CREATE INDEX Other ON Block (Size)")]
    [TestCase("CREATE INDEX BlockSize ON Nothing (Size)")]
    [TestCase("CREATE TABLE BlockSize (x)")]
    [TestCase("")]
    public void What_is_no_definition_of_the_index_is_not_run(string sql)
    {
        Leave(1019, ("BlockSize", sql));
        Open();
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.False);
    }

    [Test]
    public void An_index_that_cannot_be_built_keeps_the_mark_over_an_upgrade()
    {
        m_path = Databases.UnpackOld("downgraded-v17", Folder.Path);
        Leave(1017, ("BlockHashSize", """CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size")"""));
        Databases.Execute(m_path, "INSERT INTO Block (Hash, Size, VolumeID) VALUES ('a', 1, 1), ('a', 1, 2)");
        Databases.Upgrade(m_path);
        Assert.That(Databases.VersionOf(m_path), Is.EqualTo(1019));
        using var connection = Databases.Open(m_path);
        Assert.That(LeftOutIndexes.Read(connection)!.Value.Names, Is.EqualTo(new[] { "BlockHashSize" }));
    }

    [Test]
    public void An_index_that_cannot_be_built_keeps_the_mark_and_is_in_nobodys_way()
    {
        Leave(1019, ("BlockHashSize", """CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size")"""), ("BlockSize", BlockSize));
        Databases.Execute(m_path, "INSERT INTO Block (Hash, Size, VolumeID) VALUES ('a', 1, 1), ('a', 1, 2)");
        using (var log = new LogCapture())
        {
            Open();
            Assert.That(log.Of(LogMessageType.Warning, "DeferredIndexesNotRestored"), Has.Count.EqualTo(1));
        }

        using (var connection = Databases.Open(m_path))
            Assert.That(LeftOutIndexes.Read(connection)!.Value.Names, Is.EqualTo(new[] { "BlockHashSize" }));
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.True);

        Databases.Execute(m_path, "DELETE FROM Block WHERE VolumeID = 2");
        Open();
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.False);
    }

    [Test]
    public void A_file_that_another_connection_writes_is_opened_as_it_is_and_stays_marked()
    {
        Leave(1019, ("BlockSize", BlockSize));
        using var writer = Databases.Open(m_path);
        writer.Execute("BEGIN IMMEDIATE");
        using (var reader = Databases.Open(m_path))
        {
            reader.Execute("PRAGMA busy_timeout = 1");
            reader.DefaultTimeout = -1;
            LeftOutIndexes.Complete(reader, typeof(DatabaseSchemaMarker), default);
        }

        writer.Execute("ROLLBACK");
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(m_path), Is.True);
    }

    [Test]
    public void A_kill_at_any_statement_of_the_completion_leaves_a_marked_or_a_complete_file()
    {
        var sql = new Dictionary<string, string>(StringComparer.Ordinal);
        using (var connection = Databases.Open(m_path))
        {
            foreach (var name in (string[])["BlockSize", "BlockHashSize", "BlocksetEntry_BlocksetID"])
                sql.Add(name, connection.Scalar($"SELECT sql FROM sqlite_master WHERE name = '{name}'")!);
        }

        Leave(1019, [.. sql.Select(x => (x.Key, x.Value))]);
        Databases.Execute(m_path, "PRAGMA wal_checkpoint(TRUNCATE)");
        var killed = 0;
        for (var i = 1; ; i += 2)
        {
            var copy = Folder.File($"killed-{i}.sqlite");
            File.Copy(m_path, copy);
            var (code, _, error) = ChildProcess.Run<KilledUpgrade>(copy, KilledUpgrade.Statements, $"{i}");
            var isRefused = ReleaseBefore.AssertRefusesOrFindsAll(copy);
            if (code == 0)
            {
                Assert.That(isRefused, Is.False, error);
                break;
            }

            killed++;
            Databases.Upgrade(copy);
            Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(copy), Is.False, $"killed at statement {i}");
            Databases.AssertSound(copy);
        }

        TestContext.Out.WriteLine($"killed at {killed} statements");
        Assert.That(killed, Is.GreaterThan(5));
    }

    // As a process leaves it that is gone.
    private void Leave(int version, params (string Name, string Sql)[] missing)
    {
        using var connection = Databases.Open(m_path);
        connection.Execute($"{CreateTable}; UPDATE \"Version\" SET \"Version\" = {version}");
        foreach (var (name, sql) in missing)
        {
            connection.Execute($"DROP INDEX IF EXISTS \"{name}\"");
            using var command = new SqliteCommand("""INSERT INTO "DeferredIndex" VALUES ($name, 'Block', $sql)""", connection);
            command.Parameters.AddWithValue("$name", name);
            command.Parameters.AddWithValue("$sql", sql);
            command.ExecuteNonQuery();
        }
    }

    private void Open()
    {
        using var database = LocalDatabase.CreateLocalDatabaseAsync(m_path, "Open", true, null, default).GetAwaiter().GetResult();
    }
}
