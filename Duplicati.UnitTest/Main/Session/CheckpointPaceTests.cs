// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>How long the write-ahead log of a backup or a recreate may grow.</summary>
[TestFixture]
public class CheckpointPaceTests : FolderTestBase
{
    [Test]
    public async Task A_backup_lets_its_log_grow_and_removes_it_at_the_end()
    {
        await using (var database = await LocalBackupDatabase.CreateAsync(Folder.File("a.sqlite"), new Options([]), default))
        {
            Assert.That(database.Connection.Pragma("wal_autocheckpoint"), Is.EqualTo("16384"));
            await database.RegisterRemoteVolumeAsync("x", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
            await database.CommitAsync(default);
            Assert.That(new FileInfo(Folder.File("a.sqlite-wal")).Length, Is.Positive);
        }

        Assert.That(File.Exists(Folder.File("a.sqlite-wal")), Is.False);
    }

    [Test]
    public async Task A_recreate_lets_its_log_grow()
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(Folder.File("a.sqlite"), "Recreate", true, null, default);
        await using var recreate = await LocalRecreateDatabase.CreateAsync(database, new Options([]), null, default);
        Assert.That(recreate.Connection.Pragma("wal_autocheckpoint"), Is.EqualTo("16384"));
    }

    [Test]
    public async Task Other_objects_keep_the_pace_of_the_engine()
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(Folder.File("a.sqlite"), "List", true, null, default);
        Assert.That(database.Connection.Pragma("wal_autocheckpoint"), Is.EqualTo("1000"));
    }

    [TestCase("small", "1000")]
    [TestCase("throughput", "16384")]
    [TestCase("rebuild", "32768")]
    public async Task A_pace_that_was_chosen_stays(string preset, string pages)
    {
        using var scope = ConnectionPreset.Use(preset);
        await using var database = await LocalBackupDatabase.CreateAsync(Folder.File("a.sqlite"), new Options([]), default);
        Assert.That(database.Connection.Pragma("wal_autocheckpoint"), Is.EqualTo(pages));
    }
}
