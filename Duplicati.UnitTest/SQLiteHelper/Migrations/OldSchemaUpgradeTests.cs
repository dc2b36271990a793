// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

[TestFixture]
public sealed class OldSchemaUpgradeTests : FolderTestBase
{
    /// <summary>Every column, index column and view of a schema, in any letter case of the table names.</summary>
    private const string SHAPE = """
        SELECT group_concat(line, char(10)) FROM (
            SELECT lower(m.name) || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk AS line, m.name AS a, c.cid AS b
            FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'
            UNION ALL
            SELECT m.name || ' ' || (m.sql LIKE 'CREATE UNIQUE%' AND m.name <> 'BlockHashVolumeID') || ' ' || c.name, m.name, c.seqno
            FROM sqlite_master m, pragma_index_info(m.name) c WHERE m.type = 'index' AND m.sql IS NOT NULL
            ORDER BY 1)
        """;

    // Their columns and indexes are those of a new one, and a copy holds what was there before.
    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    [Contract("A 4.2 history")]
    [Contract("A 4.5 fresh and upgraded")]
    [Contract("A 13 Q23")]
    public void Old_database_becomes_what_real_Duplicati_makes_of_it(string name)
    {
        var path = Databases.UnpackOld(name, Folder.Path);
        Databases.Upgrade(path);
        var created = Folder.File("new.sqlite");
        Databases.Upgrade(created);
        using var copy = new MemoryStream();
        Duplicati.Engine.Dump.DatabaseDump.Write(Folder.File(Databases.SafetyCopies(Folder).Single()), copy);
        Assert.Multiple(() =>
        {
            Assert.That(Databases.DifferencesFromExpected(path, name), Is.Empty);
            Assert.That(Databases.Query(path, SHAPE), Is.EqualTo(Databases.Query(created, SHAPE)));
            Assert.That(
                System.Text.Encoding.ASCII.GetString(copy.ToArray()),
                Is.EqualTo(GoldenData.ReadText("old-schema", name + ".before.dump.json"))
            );
        });
    }

    [TestCase("/data/file", "/data/", "file")]
    [TestCase("/data/folder/", "/data/", "folder/")]
    [TestCase("/file", "/", "file")]
    [TestCase("/", "", "/")]
    [TestCase("no separator", "", "no separator")]
    [TestCase("//", "/", "/")]
    [TestCase("/a//", "/a/", "/")]
    [TestCase("C:\\data\\file", "C:\\data\\", "file")]
    [TestCase("C:\\data\\folder\\", "C:\\data\\folder\\", "")]
    [TestCase("/mixed\\name", "/mixed\\", "name")]
    [TestCase("/é/\u4e2d'\"%_", "/é/", "\u4e2d'\"%_")]
    [TestCase("/aaa/aaa", "/aaa/", "aaa")]
    [Contract("A 4.2 [9]")]
    public void Script_9_splits_paths_behind_the_last_separator(string whole, string prefix, string name)
    {
        var path = Databases.UnpackOld("handmade-v08", Folder.Path);
        using (var connection = Databases.Open(path))
        using (var command = connection.CreateCommand())
        {
            command.CommandText = """INSERT INTO "File" ("ID", "Path", "BlocksetID", "MetadataID") VALUES (4711, $path, -100, 1)""";
            command.Parameters.AddWithValue("$path", whole);
            command.ExecuteNonQuery();
        }
        Databases.Upgrade(path);
        Assert.Multiple(() =>
        {
            Assert.That(Databases.Query(path, """SELECT "Path" FROM "File" WHERE "ID" = 4711"""), Is.EqualTo(whole));
            Assert.That(
                Databases.Query(path, """SELECT "Path" FROM "FileLookup" WHERE "ID" = 4711"""),
                Is.EqualTo(name.Length == 0 ? null : name)
            );
            Assert.That(
                Databases.Query(
                    path,
                    """SELECT "Prefix" FROM "PathPrefix" WHERE "ID" = (SELECT "PrefixID" FROM "FileLookup" WHERE "ID" = 4711)"""
                ),
                Is.EqualTo(prefix.Length == 0 ? null : prefix)
            );
        });
    }

    [Test]
    [Contract("A 4.2 [13]")]
    public void Rows_that_were_recorded_twice_as_duplicates_are_kept_once()
    {
        var path = Databases.UnpackOld("downgraded-v12", Folder.Path);
        Databases.Execute(path, """INSERT INTO "DuplicateBlock" VALUES (1, 2), (1, 2), (1, 3), (1, 2)""");
        Databases.Upgrade(path);
        Assert.That(
            Databases.Query(path, """SELECT group_concat("BlockID" || '-' || "VolumeID") FROM "DuplicateBlock" """),
            Is.EqualTo("1-2,1-3")
        );
    }
}
