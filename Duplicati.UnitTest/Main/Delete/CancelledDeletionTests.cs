// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Delete;

/// <summary>A deletion changes row after row by a statement each: none of them begins once the token is cancelled.</summary>
[TestFixture]
internal sealed class CancelledDeletionTests
{
    [Test]
    public async Task A_cancelled_deletion_ends_at_the_statement_that_runs_and_is_undone_by_a_rollback()
    {
        using var backup = new RandomBackup(11);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Delete", null, default);
        var versions = await db.FilesetTimesAsync(default).Select(x => x.Value).Skip(1).ToArrayAsync();
        var before = AllRows.Of(db.Connection);
        var settings = Settings();
        var (cancelled, isCancelled) = (0, true);
        for (var n = 0; isCancelled; n++, cancelled++)
        {
            using var cancel = new CancelAtStep(db.Session.Statements, n);
            var task = DropAsync(db, versions, cancel.Token);
            await Task.WhenAny(task);
            cancel.End();
            isCancelled = cancel.IsCancelled;
            if (task.IsCompletedSuccessfully)
                Assert.That(cancel.Later, Is.Empty, "only the last statement may end it without being heard");
            else
                Assert.That(() => task, Throws.InstanceOf<OperationCanceledException>(), $"step {n}");
            await db.Transaction.RollBackAsync(default(CancellationToken));
            Assert.That(AllRows.Of(db.Connection), Is.EqualTo(before), $"step {n}");
            Assert.That(Settings(), Is.EqualTo(settings), $"step {n}");
            Assert.That(cancel.Later, Has.Length.LessThanOrEqualTo(1), $"step {n}: {string.Join(" / ", cancel.Later)}");
        }

        Assert.That(cancelled, Is.GreaterThan(100), "statements of a deletion");

        (string? Cache, string? Storage) Settings() => (db.Connection.Pragma("cache_size"), db.Connection.Pragma("temp_store"));
    }

    private static async Task DropAsync(LocalDeleteDatabase db, DateTime[] versions, CancellationToken token)
    {
        await foreach (var _ in db.DropFilesetsFromTableAsync(versions, token)) { }
    }
}
