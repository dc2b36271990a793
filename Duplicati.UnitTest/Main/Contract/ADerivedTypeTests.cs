// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>
/// A type of a test that derives from the database, fills tables through the protected members, and continues an interrupted backup.
/// </summary>
[TestFixture]
internal sealed class ADerivedTypeTests : FolderTestBase
{
    private static readonly DateTime s_time = new(2024, 5, 1, 12, 0, 0, DateTimeKind.Utc);

    [Test]
    [Contract("A 12 row 6")]
    [Contract("A 6 protected surface")]
    public async Task Orphans_are_never_chosen_for_a_synthetic_list()
    {
        await using var db = await Derived.CreateAsync(Folder.File("a.sqlite"));
        await db.FillAsync();
        await db.Transaction.CommitAsync("seeded", true, default);

        Assert.That(await db.GetIncompleteFilesetsAsync(default).FirstAsync(), Is.EqualTo(KeyValuePair.Create(1L, s_time.ToLocalTime())));
        Assert.That((await db.GetRemoteVolumeFromFilesetIDAsync(1, default)).Name, Is.EqualTo("list-1"));

        // The volume with the newer metadata is lost: its file is in no fileset and stays with dangling metadata.
        await db.RemoveRemoteVolumesAsync(["blocks-2"], default);
        Assert.That(
            await db.CountAsync(
                """SELECT COUNT(*) FROM "FileLookup" WHERE "ID" = 9 AND "MetadataID" NOT IN (SELECT "ID" FROM "Metadataset")"""
            ),
            Is.EqualTo(1)
        );

        await using var backup = await LocalBackupDatabase.CreateAsync(db, new Options([]), null, default);
        var volume = await backup.RegisterRemoteVolumeAsync("list-2", RemoteVolumeType.Files, RemoteVolumeState.Temporary, default);
        var fileset = await backup.CreateFilesetAsync(volume, s_time.AddSeconds(1), default);
        await backup.AppendFilesFromPreviousSetAsync(null, fileset, 1, s_time.AddSeconds(1), default);

        Assert.That(await db.CountAsync($"""SELECT MAX("FileID") FROM "FilesetEntry" WHERE "FilesetID" = {fileset}"""), Is.EqualTo(1));
        await backup.VerifyConsistencyAsync(100, 32, true, default);
    }

    [Test]
    [Contract("A 6 protected surface")]
    public async Task An_operation_id_set_by_a_derived_type_is_used()
    {
        await using var db = await Derived.CreateAsync(Folder.File("a.sqlite"));
        db.OperationNumber = 4711;
        await db.LogMessageAsync("t", "m", null, default);
        Assert.That(await db.CountAsync("""SELECT "OperationID" FROM "LogData" """), Is.EqualTo(4711));
    }

    [Test]
    [Contract("A 6.2 path form")]
    public async Task A_factory_returns_the_instance_it_was_given()
    {
        var given = new Derived();
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(Folder.File("a.sqlite"), "x", true, given, default);
        Assert.That(db, Is.SameAs(given));
        Assert.That(
            await LocalDatabase.CreateLocalDatabaseAsync(db, new Derived(), default),
            Is.InstanceOf<Derived>().And.Not.SameAs(given)
        );
    }

    private sealed class Derived : LocalDatabase
    {
        internal long OperationNumber
        {
            set => m_operationid = value;
        }

        internal static async Task<Derived> CreateAsync(string path) =>
            (Derived)await CreateLocalDatabaseAsync(path, "Test", true, new Derived(), default);

        // One complete file, and a newer form of it that an interrupted backup has recorded but not listed.
        internal async Task FillAsync()
        {
            await RunAsync(
                $"""
                INSERT INTO "Remotevolume" ("ID", "OperationID", "Name", "Type", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
                VALUES (1, 1, 'blocks-1', 'Blocks', 'Uploaded', 0, 0, 0, 0), (2, 1, 'blocks-2', 'Blocks', 'Temporary', 0, 0, 0, 0), (3, 1, 'list-1', 'Files', 'Temporary', 0, 0, 0, 0);
                INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1, 'data', 10, 1), (2, 'meta', 5, 1), (3, 'meta2', 6, 2);
                INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1, 10, 'data'), (2, 5, 'meta'), (3, 6, 'meta2');
                INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (1, 0, 1), (2, 0, 2), (3, 0, 3);
                INSERT INTO "Metadataset" ("ID", "BlocksetID") VALUES (1, 2), (2, 3);
                INSERT INTO "PathPrefix" ("ID", "Prefix") VALUES (1, '/d/');
                INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (1, 1, 'f', 1, 1), (9, 1, 'f', 1, 2);
                INSERT INTO "Fileset" ("ID", "OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, 1, 3, 0, {new DateTimeOffset(
                    s_time
                ).ToUnixTimeSeconds()});
                INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (1, 1, 0);
                """
            );
        }

        internal async Task<long> CountAsync(string sql)
        {
            await using var command = m_connection.CreateCommand(sql).SetTransaction(m_rtr);
            return await command.ExecuteScalarInt64Async(true, default);
        }

        private async Task RunAsync(string sql)
        {
            await using var command = m_connection.CreateCommand(m_rtr);
            await command.ExecuteNonQueryAsync(sql, default);
        }
    }
}
