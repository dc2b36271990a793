// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class DeferredIndexesTests : RebuildTestBase
{
    private const long AllIndexes = 22;

    [Test]
    [Contract("B 9.7 idea 4")]
    [Contract("B 7 row 17")]
    public async Task On_empty_tables_the_indexes_wait_and_are_the_same_afterwards()
    {
        var schema = RebuildFile.Schema(DatabasePath);
        await LoadAsync();
        Assert.That(Committed(CountIndexes), Is.LessThan(AllIndexes - 10));
        Assert.That(Committed(CountMarkers), Is.EqualTo(1));

        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Assert.That(RebuildFile.Schema(DatabasePath), Is.EqualTo(schema));
    }

    [Test]
    [Contract("B 9.8 rule 9")]
    public async Task On_filled_tables_they_stay()
    {
        await LoadAsync();
        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        await Db.AddBlocksetAsync(Hash(50), 7, [], 0, default);
        await Rebuild.UpdateBlockAsync(Hash(51), 7, 100);
        Assert.That(await CommitAndCountAsync(CountIndexes), Is.EqualTo(AllIndexes));
    }

    [Test]
    [Contract("B 9.8 rule 4")]
    [Contract("B 9.8 rule 9")]
    public async Task A_reader_that_keeps_the_mark_on_the_file_does_not_make_filled_tables_count_as_empty()
    {
        var connection = Db.Connection;
        var id = await Db.AddBlocksetAsync(Hash(2), 5, [], 0, default);
        await Db.AddFileEntryAsync(1, 1, "a", default, id, 1, default);
        await Db.CommitAsync(CancellationToken.None);

        using (var command = connection.CreateCommand())
        {
            command.CommandText = "SELECT ID FROM Fileset";
            using var reader = command.ExecuteReader();
            Assert.That(reader.Read(), Is.True);
            Assert.That(DeferredIndexes.Of(Db.Session).IsActive, Is.True, "the table of missing indexes cannot be dropped meanwhile");
            Assert.That(await Db.AddBlocksetAsync(Hash(2), 5, [], 0, default), Is.EqualTo(id));
            await Db.AddFileEntryAsync(2, 1, "a", default, id, 1, default);
            Assert.That(await Db.AddBlocksetAsync(Hash(3), 5, [], 0, default), Is.GreaterThan(id));
        }

        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Assert.That((Committed(CountIndexes), Committed(CountMarkers), Committed(Version)), Is.EqualTo((AllIndexes, 0, 19)));
        Assert.That(Committed("SELECT COUNT(*) FROM FileLookup"), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 9.8 rule 10")]
    [Contract("B 0.3")]
    public async Task A_disposal_completes_the_file()
    {
        await LoadAsync();
        await Rebuild.DisposeAsync();
        Assert.That(Committed(CountIndexes), Is.EqualTo(AllIndexes));
        Assert.That((Committed(CountMarkers), Committed(Version)), Is.EqualTo((0, 19)));
    }

    [Test]
    [Contract("B 0.3")]
    public async Task A_disposal_leaves_the_indexes_of_large_tables_to_the_next_opening()
    {
        await LoadAsync();
        Db.Session.Execute(
            $"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {DeferredIndexes.RowsBuiltWhenGivingUp}) INSERT INTO Block (Hash, Size, VolumeID) SELECT 'block ' || i, 1, 100 FROM n"
        );
        await Rebuild.DisposeAsync();
        Assert.That((Committed(CountMarkers), Committed(Version)), Is.EqualTo((1, 1019)));

        await using (await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "List", true, null, default))
            Assert.That((Committed(CountIndexes), Committed(CountMarkers), Committed(Version)), Is.EqualTo((AllIndexes, 0, 19)));
    }

    [Test]
    public async Task A_rollback_to_the_empty_tables_brings_them_back()
    {
        await Db.AddBlocksetAsync(Hash(1), 5, [], 0, default);
        await Rebuild.RollBackAsync();
        Assert.That(Committed(CountIndexes), Is.EqualTo(AllIndexes));
        Assert.That(DeferredIndexes.Of(Db.Session).IsActive, Is.False);
    }

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task Handing_out_the_connection_completes_the_file_first()
    {
        await LoadAsync();
        Assert.That(Db.Connection.Scalar(CountIndexes), Is.EqualTo($"{AllIndexes}"));
        Assert.That(await Rebuild.UpdateBlockAsync(Hash(10), 64, 100), Is.EqualTo((false, false)), "and the rows are still known");
    }

    [Test]
    [Contract("B 9.8 rule 1")]
    public async Task A_child_object_finds_a_complete_file()
    {
        await LoadAsync();
        await using var child = await LocalDatabase.CreateLocalDatabaseAsync(Db, null, default);
        Assert.That(await CommitAndCountAsync(CountIndexes), Is.EqualTo(AllIndexes));
    }

    [Test]
    public async Task Without_the_indexes_every_question_has_the_same_answer()
    {
        await LoadAsync();
        var lists = await Rebuild.ListsInAsync(100);
        var blocks = await Db.GetBlocksLargerThanAsync(63, default);
        Assert.That(DeferredIndexes.Of(Db.Session).IsActive, Is.True);
        _ = Db.Connection;
        Assert.That(await Rebuild.ListsInAsync(100), Is.EquivalentTo(lists));
        Assert.That(await Db.GetBlocksLargerThanAsync(63, default), Is.EqualTo(blocks));
    }

    [Test]
    public async Task A_file_that_is_being_filled_is_opened_as_it_is_and_left_to_who_fills_it([Values] bool isBeingWritten)
    {
        await LoadAsync();
        if (isBeingWritten)
            await Db.AddBlocksetAsync(Hash(60), 5, [], 0, default);
        await using (var db = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "List", true, null, default))
            Assert.That(await db.GetRemoteVolumesAsync(CancellationToken.None).CountAsync(), Is.EqualTo(2));
        Assert.That((Committed(CountMarkers), Committed(Version)), Is.EqualTo((1, 1019)));
        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Assert.That((Committed(CountIndexes), Committed(Version)), Is.EqualTo((AllIndexes, 19)));
    }

    [Test]
    [Contract("B 9.8 rule 10")]
    public async Task A_file_that_another_process_completed_meanwhile_is_no_obstacle()
    {
        await LoadAsync();
        Databases.ForgetOwner(DatabasePath);
        await using (await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "List", true, null, default))
            Assert.That(Committed(CountMarkers), Is.Zero);
        await Rebuild.UpdateBlockAsync(Hash(61), 5, 100);
        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Assert.That(Committed(CountIndexes), Is.EqualTo(AllIndexes));
    }

    [Test]
    public async Task An_open_reader_keeps_the_indexes_in_place()
    {
        using var command = Db.Connection.CreateCommand();
        command.CommandText = "SELECT ID FROM Remotevolume";
        using (var reader = command.ExecuteReader())
        {
            reader.Read();
            await Rebuild.UpdateBlockAsync(Hash(1), 5, 100);
        }

        Assert.That(await CommitAndCountAsync(CountIndexes), Is.EqualTo(AllIndexes));
    }

    private async Task LoadAsync()
    {
        var blockset = await AddFileAsync(1, 128, [10, 11]);
        await Db.AddFileEntryAsync(1, 1, "a", default, blockset, -1, default);
        foreach (var hash in (string[])[Hash(10), Hash(11), ListHash(1, 0)])
            await Rebuild.UpdateBlockAsync(hash, 64, 100);
        await ResolveAsync();
    }
}
