// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Main.LocalDatabaseTests;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>Names and numbers that other programs and stored data rely on, and the shapes in which core calls members.</summary>
[TestFixture]
public sealed class AConstantTests : LocalDatabaseTestBase
{
    [Test]
    [Contract("A 1.7 types and states")]
    public void Types_and_states_of_volumes_have_the_stored_texts_and_numbers()
    {
        Assert.That(Enum.GetNames<RemoteVolumeType>(), Is.EqualTo(new[] { "Blocks", "Files", "Index" }));
        Assert.That(
            Enum.GetNames<RemoteVolumeState>(),
            Is.EqualTo(new[] { "Temporary", "Uploading", "Uploaded", "Verified", "Deleting", "Deleted" })
        );
        Assert.That(Enum.GetValues<RemoteVolumeState>().Select(x => (int)x), Is.EqualTo(Enumerable.Range(0, 6)));
    }

    [Test]
    [Contract("A 1.7 descriptions")]
    public async Task Backup_and_lock_objects_name_their_operation()
    {
        await using (var backup = await LocalBackupDatabase.CreateAsync(OtherFile("a"), new Options([]), default))
            Assert.That(backup.Connection.Scalar("""SELECT "Description" FROM "Operation" """), Is.EqualTo("Backup"));
        await using (var locks = await LocalLockDatabase.CreateAsync(OtherFile("a"), null, default))
            Assert.That(locks.Connection.Scalar("""SELECT "Description" FROM "Operation" """), Is.EqualTo("Lock"));
        await using var delete = await LocalDeleteDatabase.CreateAsync(OtherFile("a"), "Compact", null, default);
        Assert.That(delete.Connection.Scalar("""SELECT "Description" FROM "Operation" """), Is.EqualTo("Compact"));
    }

    [Test]
    [Contract("A 2 ProbeUnusedFilenameNameAsync")]
    public async Task The_look_up_of_a_volume_can_be_passed_on_as_a_method()
    {
        Func<string, CancellationToken, Task<long>> find = Db.GetRemoteVolumeIDAsync;
        Assert.That(await find("nothing", default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("A 5.6 call shapes")]
    public async Task A_transaction_is_ended_in_every_shape_that_core_uses()
    {
        var token = CancellationToken.None;
        var t = Db.Transaction;
        await t.CommitAsync();
        await t.CommitAsync(token);
        await t.CommitAsync(token: token);
        await t.CommitAsync("text");
        await t.CommitAsync("text", token: token);
        await t.CommitAsync("text", true, token);
        await t.RollBackAsync();
        await t.RollBackAsync(token);
        await t.RollBackAsync("text", true, token);
        await t.RollBackAsync(null, true, token);
        await t.CommitAsync("text", false, token);
        Assert.That(() => t.Transaction, Throws.InvalidOperationException);
    }

    [Test]
    [Contract("A 3.1 assembly")]
    [Contract("C 0.2 fact 4")]
    [Contract("A 3.2 SQLiteConnectionType")]
    public void The_assembly_and_the_type_of_connections_are_known_by_name()
    {
        Assert.That(typeof(SQLiteLoader).Assembly.GetName().Name, Is.EqualTo("SQLiteHelper"));
        Assert.That(SQLiteLoader.SQLiteConnectionType, Is.EqualTo(typeof(SqliteConnection)));
    }

    [Test]
    [Contract("A 3.5 registry")]
    public void No_version_has_code_of_its_own() =>
        Assert.That(Library.SQLiteHelper.DBSchemaUpgrades.DbUpgradesRegistry.CodeChanges, Is.Empty);

    [Test]
    [Contract("A 3.7 Strings")]
    public void The_safety_copy_begins_with_the_word_that_users_know() =>
        Assert.That(Library.SQLiteHelper.Strings.DatabaseUpgrader.BackupFilenamePrefix, Is.EqualTo("backup"));

    [Test]
    [Contract("A 1.10 log tags")]
    public async Task Messages_have_the_tag_of_the_type_at_the_API()
    {
        using var log = new LogCapture();
        await Db.RegisterRemoteVolumeAsync("l", RemoteVolumeType.Files, RemoteVolumeState.Verified, default);
        await Db.CreateFilesetAsync(1, DateTime.UtcNow, default);
        await foreach (var _ in Db.GetFilesetIDsAsync(DateTime.UnixEpoch.AddSeconds(1), [7], true, default)) { }

        Assert.That(
            log.WithId("SkipInvalidVersion").Concat(log.WithId("RestoreTimeNoMatch")).Select(x => x.Tag).Distinct(),
            Is.EqualTo(new[] { "Duplicati.Library.Main.Database.Local.LocalDatabase" })
        );
    }
}
