// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class RestoreDisposalTests
{
    [Test]
    [Contract("B 1.2 DisposeAsync")]
    [Contract("B 0.3")]
    public async Task Disposing_commits_and_frees_the_file()
    {
        using var backup = new RandomBackup(1);
        var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();
        await db.GetBlocksFromFileAsync(1, default).CountAsync();
        db.Connection.Execute("""INSERT INTO "Configuration" VALUES ('key', 'value')""");

        await db.DisposeAsync();

        Assert.That(File.Exists(backup.Path + "-wal"), Is.False);
        Assert.That(backup.Database.Rows("""SELECT "Value" FROM "Configuration" WHERE "Key" = 'key'"""), Is.EqualTo(new[] { "value" }));
        Assert.That(backup.Database.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup", "Restore" }));
    }

    [Test]
    [Contract("B 10 Q27")]
    public async Task Disposing_twice_in_any_way_does_no_harm()
    {
        using var backup = new RandomBackup(1);
        var db = await RestoreFixture.PrepareAsync(backup.Path);

        await db.DisposeAsync();
        await db.DisposeAsync();
        db.Dispose();

        Assert.That(db.IsDisposed);
    }

    [Test]
    [Contract("B 10 Q1")]
    public async Task Disposing_a_child_commits_for_the_parent_and_leaves_it_open()
    {
        using var sample = new SampleDatabase();
        await using var parent = await LocalDatabase.CreateLocalDatabaseAsync(sample.Close(), "Test", true, null, default);
        var child = await LocalRestoreDatabase.CreateAsync(parent, null, default);
        parent.Connection.Execute("""INSERT INTO "Configuration" VALUES ('key', 'value')""");

        child.Dispose();
        await parent.Transaction.RollBackAsync();

        Assert.That(parent.Connection.Scalar("""SELECT "Value" FROM "Configuration" """), Is.EqualTo("value"));
    }

    [Test]
    public async Task A_child_may_be_disposed_after_its_parent()
    {
        using var sample = new SampleDatabase();
        var parent = await LocalDatabase.CreateLocalDatabaseAsync(sample.Close(), "Test", true, null, default);
        var child = await LocalRestoreDatabase.CreateAsync(parent, null, default);

        await parent.DisposeAsync();
        await child.DisposeAsync();

        Assert.That(child.IsDisposed);
    }
}
