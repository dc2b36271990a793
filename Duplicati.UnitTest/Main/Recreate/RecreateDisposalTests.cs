// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class RecreateDisposalTests : RebuildTestBase
{
    [Test]
    public async Task What_fails_at_the_end_of_a_rebuild_fails_the_task_and_the_object_is_disposed_of()
    {
        await Db.AddBlocksetAsync(Hash(1), 100, [], 0, default);
        var restart = Db.Session.RestartTransaction;
        Db.Connection.Execute("ROLLBACK");
        Db.Session.RestartTransaction = static () => throw new InvalidDataException();
        var end = Task.CompletedTask;

        Assert.That(
            () =>
            {
                end = Db.DisposeAsync().AsTask();
            },
            Throws.Nothing
        );
        Assert.That(async () => await end, Throws.Exception);
        Assert.That(Db.IsDisposed);
        Db.Session.RestartTransaction = restart;
    }
}
