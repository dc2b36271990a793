// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>The schema of a new database, object by object, as the contract lists it.</summary>
[TestFixture]
internal sealed class ASchemaTests : FolderTestBase
{
    // Name, type, N for NOT NULL, position in the primary key.
    private static readonly (string Table, string Columns)[] s_tables =
    [
        ("Operation", "ID INTEGER - 1, Description TEXT N 0, Timestamp INTEGER N 0"),
        (
            "Remotevolume",
            "ID INTEGER - 1, OperationID INTEGER N 0, Name TEXT N 0, Type TEXT N 0, Size INTEGER - 0, Hash TEXT - 0, State TEXT N 0, VerificationCount INTEGER N 0, DeleteGraceTime INTEGER N 0, ArchiveTime INTEGER N 0, LockExpirationTime INTEGER N 0"
        ),
        ("IndexBlockLink", "IndexVolumeID INTEGER N 0, BlockVolumeID INTEGER N 0"),
        ("Fileset", "ID INTEGER - 1, OperationID INTEGER N 0, VolumeID INTEGER N 0, IsFullBackup INTEGER N 0, Timestamp INTEGER N 0"),
        ("FilesetEntry", "FilesetID INTEGER N 1, FileID INTEGER N 2, Lastmodified INTEGER N 0"),
        ("PathPrefix", "ID INTEGER - 1, Prefix TEXT N 0"),
        ("FileLookup", "ID INTEGER - 1, PrefixID INTEGER N 0, Path TEXT N 0, BlocksetID INTEGER N 0, MetadataID INTEGER N 0"),
        ("BlocklistHash", "BlocksetID INTEGER N 0, Index INTEGER N 0, Hash TEXT N 0"),
        ("Blockset", "ID INTEGER - 1, Length INTEGER N 0, FullHash TEXT N 0"),
        ("BlocksetEntry", "BlocksetID INTEGER N 1, Index INTEGER N 2, BlockID INTEGER N 0"),
        ("Block", "ID INTEGER - 1, Hash TEXT N 0, Size INTEGER N 0, VolumeID INTEGER N 0"),
        ("DeletedBlock", "ID INTEGER - 1, Hash TEXT N 0, Size INTEGER N 0, VolumeID INTEGER N 0"),
        ("DuplicateBlock", "BlockID INTEGER N 0, VolumeID INTEGER N 0"),
        ("Metadataset", "ID INTEGER - 1, BlocksetID INTEGER N 0, Content TEXT - 0"),
        (
            "RemoteOperation",
            "ID INTEGER - 1, OperationID INTEGER N 0, Timestamp INTEGER N 0, Operation TEXT N 0, Path TEXT N 0, Data BLOB - 0"
        ),
        ("LogData", "ID INTEGER - 1, OperationID INTEGER N 0, Timestamp INTEGER N 0, Type TEXT N 0, Message TEXT N 0, Exception TEXT - 0"),
        ("Version", "ID INTEGER - 1, Version INTEGER N 0"),
        ("Configuration", "Key TEXT N 1, Value TEXT N 0"),
        (
            "ChangeJournalData",
            "ID INTEGER - 1, FilesetID INTEGER N 0, VolumeName TEXT N 0, JournalID INTEGER N 0, NextUsn INTEGER N 0, ConfigHash TEXT N 0"
        ),
        ("File", "ID INTEGER - 0, Path  - 0, BlocksetID INTEGER - 0, MetadataID INTEGER - 0"),
    ];

    private static readonly string[] s_indices =
    [
        "Block BlockHashSize 1 Hash Size",
        "Block BlockHashVolumeID 0 Hash VolumeID",
        "Block BlockSize 0 Size",
        "Block Block_IndexByVolumeId 0 VolumeID",
        "BlocklistHash BlocklistHashBlocksetIDIndex 1 BlocksetID Index",
        "Blockset BlocksetFullHash 1 FullHash Length",
        "BlocksetEntry BlocksetEntry_BlocksetID 0 BlocksetID",
        "BlocksetEntry BlocksetEntry_IndexIdsBackwards 0 BlockID",
        "BlocksetEntry nnc_BlocksetEntry 0 Index BlocksetID BlockID",
        "DeletedBlock DeletedBlockHashSize 0 Hash Size",
        "DeletedBlock DeletedBlockHashVolumeID 1 Hash Size VolumeID",
        "DuplicateBlock UniqueBlockVolumeDuplicateBlock 1 BlockID VolumeID",
        "FileLookup FileLookupMetadataID 0 MetadataID",
        "FileLookup FileLookupPath 1 PrefixID Path BlocksetID MetadataID",
        "FileLookup nn_FileLookup_BlockMeta 0 BlocksetID MetadataID",
        "FilesetEntry FilesetentryFileIdIndex 0 FileID",
        "FilesetEntry nn_FilesetentryFile 0 FilesetID FileID",
        "Metadataset MetadatasetBlocksetID 0 BlocksetID",
        "Metadataset nnc_Metadataset 0 ID BlocksetID",
        "PathPrefix PathPrefixPrefix 1 Prefix",
        "Remotevolume RemotevolumeName 1 Name State",
        "Remotevolume RemotevolumeNameOnly 1 Name",
    ];

    private SqliteConnection m_connection = null!;

    [SetUp]
    public void SetUp()
    {
        m_connection = SQLiteLoader.LoadConnection(Folder.File("a.sqlite"));
        DatabaseUpgrader.UpgradeDatabase(m_connection, Folder.File("a.sqlite"), typeof(DatabaseSchemaMarker));
    }

    [TearDown]
    public void TearDown() => m_connection.Dispose();

    [Test]
    [Contract("A 4.3 tables and view")]
    public void Every_table_has_exactly_its_columns()
    {
        Assert.That(
            Rows("""SELECT "name" FROM "sqlite_master" WHERE "type" IN ('table', 'view') AND "name" NOT LIKE 'sqlite_%'"""),
            Is.EquivalentTo(s_tables.Select(x => x.Table))
        );
        foreach (var (table, columns) in s_tables)
        {
            Assert.That(
                string.Join(
                    ", ",
                    Rows(
                        $"""SELECT "name" || ' ' || "type" || ' ' || CASE "notnull" WHEN 1 THEN 'N' ELSE '-' END || ' ' || "pk" FROM pragma_table_info('{table}') ORDER BY "cid" """
                    )
                ),
                Is.EqualTo(columns),
                table
            );
        }
    }

    [Test]
    [Contract("A 4.3 indices")]
    public void Every_index_has_exactly_its_columns() =>
        Assert.That(
            Rows(
                """
                SELECT m."tbl_name" || ' ' || l."name" || ' ' || l."unique" || ' ' || (SELECT GROUP_CONCAT(i."name", ' ') FROM pragma_index_info(l."name") i)
                FROM "sqlite_master" m JOIN pragma_index_list(m."name") l
                WHERE m."type" = 'table' AND l."origin" = 'c'
                """
            ),
            Is.EquivalentTo(s_indices)
        );

    [Test]
    [Contract("A 4.3 nothing else")]
    public void There_are_no_triggers_keys_checks_or_defaults()
    {
        Assert.That(m_connection.Scalar("""SELECT COUNT(*) FROM "sqlite_master" WHERE "type" = 'trigger'"""), Is.EqualTo("0"));
        Assert.That(
            Rows(
                """SELECT "name" FROM "sqlite_master" WHERE "sql" LIKE '%REFERENCES%' OR "sql" LIKE '%CHECK%' OR "sql" LIKE '%DEFAULT%' OR "sql" LIKE '%COLLATE%' OR "sql" LIKE '%AUTOINCREMENT%'"""
            ),
            Is.Empty
        );
        Assert.That(
            Rows("""SELECT "name" FROM "sqlite_master" WHERE "sql" LIKE '%WITHOUT ROWID%'"""),
            Is.EquivalentTo(new[] { "FilesetEntry", "BlocksetEntry" })
        );
        Assert.That(Rows("""SELECT "ID" || '|' || "Version" FROM "Version" """), Is.EqualTo(new[] { "1|19" }));
        Assert.That(m_connection.Pragma("user_version"), Is.EqualTo("0"));
        Assert.That(m_connection.Pragma("application_id"), Is.EqualTo("0"));
        Assert.That(m_connection.Pragma("journal_mode"), Is.EqualTo("wal"));
    }

    [Test]
    [Contract("A 4.3 view File")]
    public void The_view_joins_prefix_and_name_and_leaves_out_files_without_a_prefix()
    {
        m_connection.Execute(
            """
            INSERT INTO "PathPrefix" VALUES (1, '/a/');
            INSERT INTO "FileLookup" VALUES (1, 1, 'b/', -100, 7), (2, 99, 'lost', 1, 1);
            """
        );
        Assert.That(
            Rows("""SELECT "ID" || '|' || "Path" || '|' || "BlocksetID" || '|' || "MetadataID" FROM "File" """),
            Is.EqualTo(new[] { "1|/a/b/|-100|7" })
        );
    }

    private string[] Rows(string sql) => m_connection.Lines(sql);
}
