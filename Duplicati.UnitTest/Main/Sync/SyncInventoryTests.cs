// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Sync;

namespace Duplicati.UnitTest.Main.Sync;

public sealed class SyncInventoryTests : SyncTestBase
{
    [Test]
    [Contract("C 8.2 UpsertInventoryAsync")]
    [Contract("C 8.2 RemoveInventoryAsync")]
    [Contract("C 8.2 GetInventoryItemAsync")]
    [Contract("C 8.2 GetInventoryAsync")]
    [Contract("C 8.2 HasAnyInventoryAsync")]
    [Contract("C 12 row 4")]
    public async Task A_file_is_entered_replaced_and_forgotten()
    {
        Assert.That(await Db.HasAnyInventoryAsync(None), Is.False);
        await AddAsync("a/b", 5, 1, "hash");
        await AddAsync("a/b", 6, 2, null);
        await Db.RemoveInventoryAsync("unknown", None);

        Assert.That(await Db.HasAnyInventoryAsync(None), Is.True);
        Assert.That(
            await Db.GetInventoryItemAsync("a/b", None),
            Is.EqualTo(
                new LocalSyncDatabase.InventoryItem
                {
                    RelativePath = "a/b",
                    Size = 6,
                    LastModified = Day(2),
                    ContentHash = null,
                }
            )
        );
        Assert.That((await Db.GetInventoryItemAsync("a/b", None))!.LastModified.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(Committed("SELECT LastModified FROM RemoteInventory"), Is.EqualTo("2026-01-02T03:04:05.0000000Z"));

        await Db.RemoveInventoryAsync("a/b", None);
        Assert.That(await Db.GetInventoryItemAsync("a/b", None), Is.Null);
        Assert.That(await Db.GetInventoryAsync(None).ToListAsync(), Is.Empty);
    }

    [Test]
    [Contract("C 8.1 stored formats")]
    public async Task A_local_time_is_stored_in_utc()
    {
        await Db.UpsertInventoryAsync("a", 1, Day(3).ToLocalTime(), null, None);

        Assert.That(Committed("SELECT LastModified FROM RemoteInventory"), Is.EqualTo("2026-01-03T03:04:05.0000000Z"));
        Assert.That(Committed("SELECT LastVerified FROM RemoteInventory"), Does.EndWith("Z"));
    }

    [TestCase(null, "top,x%y")]
    [TestCase("", "top,x%y")]
    [TestCase("foo", "foo/b,foo/c")]
    [TestCase("foo/sub", "foo/sub/d")]
    [TestCase("Foo", "Foo/a")]
    [TestCase("x%y", "")]
    [TestCase("x_", "x_/literal")]
    [TestCase("x\\", "x\\/literal")]
    [TestCase("none", "")]
    [Contract("C 8.2 GetInventoryItemsInFolderAsync")]
    [Contract("C 11 Q17")]
    [Contract("C 11.2 row 19")]
    public async Task A_folder_has_its_direct_children_only(string? folder, string expected)
    {
        foreach (
            var path in new[]
            {
                "top",
                "x%y",
                "foo/b",
                "foo/c",
                "foo/sub/d",
                "Foo/a",
                "foo.txt/e",
                "foo0/f",
                "xz/g",
                "x_/literal",
                "x\\/literal",
            }
        )
            await AddAsync(path);

        var found = await Db.GetInventoryItemsInFolderAsync(folder, None).Select(x => x.RelativePath).ToListAsync();

        Assert.That(found, Is.EquivalentTo(expected.Split(',', StringSplitOptions.RemoveEmptyEntries)));
    }

    [Test]
    [Contract("C 8.2 GetInventoryItemsInFolderAsync")]
    [Contract("C 0.8 leaving early")]
    public async Task A_folder_may_be_left_early_and_changed_while_it_is_read()
    {
        await AddAsync("f/a");
        await AddAsync("f/b");

        await foreach (var item in Db.GetInventoryItemsInFolderAsync("f", None))
        {
            await Db.RemoveInventoryAsync("f/b", None);
            Assert.That(item.RelativePath, Is.EqualTo("f/a"));
            break;
        }

        Assert.That(await Db.GetInventoryAsync(None).CountAsync(), Is.EqualTo(1));
    }

    [Test]
    [Contract("C 11 Q18")]
    public async Task A_listing_is_entered_in_one_transaction()
    {
        var items = new[] { "a", "b", "c" }
            .Select(x => new LocalSyncDatabase.InventoryItem
            {
                RelativePath = x,
                Size = 1,
                LastModified = Day(1),
                ContentHash = x,
            })
            .ToList();

        await Db.UpsertInventoryAsync(items, None);
        Assert.That(await Db.GetInventoryAsync(None).ToListAsync(), Is.EqualTo(items));

        items.Add(items[0] with { RelativePath = null! });
        items[0] = items[0] with { Size = 2 };
        Assert.That(async () => await Db.UpsertInventoryAsync(items, None), Throws.InstanceOf<Microsoft.Data.Sqlite.SqliteException>());
        Assert.That(Committed("SELECT SUM(Size) FROM RemoteInventory"), Is.EqualTo("3"), "all or nothing");
    }

    [Test]
    [Contract("C 8.2 RenameRemoteFileAsync")]
    public async Task A_rename_moves_inventory_and_transfer()
    {
        await AddAsync("old", 5, 2, "hash");
        await AddAsync("new", 9);
        await Db.UpsertPendingOperationAsync("old", Library.Main.SyncOperation.Update, 5, "h", None);
        await Db.UpsertPendingOperationAsync("old", Library.Main.SyncOperation.Update, 5, "h", None);

        await Db.RenameRemoteFileAsync("old", "new", None);

        Assert.That(
            await Db.GetInventoryAsync(None).SingleAsync(),
            Is.EqualTo(
                new LocalSyncDatabase.InventoryItem
                {
                    RelativePath = "new",
                    Size = 5,
                    LastModified = Day(2),
                    ContentHash = "hash",
                }
            )
        );
        var pending = await Db.GetPendingOperationsAsync(None).SingleAsync();
        Assert.That(
            (pending.Path, pending.Operation, pending.Size, pending.Hash, pending.Attempts),
            Is.EqualTo(("new", Library.Main.SyncOperation.Update, (long?)5, "h", 0))
        );
    }

    [Test]
    [Contract("C 8.2 RenameRemoteFileAsync")]
    public async Task A_rename_of_an_unknown_file_enters_a_placeholder()
    {
        var before = DateTime.UtcNow;

        await Db.RenameRemoteFileAsync("old", "new", None);

        var item = await Db.GetInventoryAsync(None).SingleAsync();
        Assert.That((item.RelativePath, item.Size, item.ContentHash), Is.EqualTo(("new", 0L, (string?)null)));
        Assert.That(item.LastModified, Is.InRange(before, DateTime.UtcNow));
        Assert.That(await Db.HasAnyPendingOperationsAsync(None), Is.False);
    }
}
