// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class RollbackTests : RebuildTestBase
{
    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task Lists_staged_since_the_commit_are_forgotten_and_earlier_ones_are_not()
    {
        await Rebuild.AddListAsync(Hash(1), [Hash(10)]);
        await Db.CommitAsync(CancellationToken.None);
        await Rebuild.AddListAsync(Hash(2), [Hash(11)]);
        await Rebuild.RollBackAsync();

        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(10)]), Is.False);
        Assert.That(await Rebuild.AddListAsync(Hash(2), [Hash(12)]), Is.True);
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task A_rolled_back_resolve_is_done_again()
    {
        await AddFileAsync(1, 128, [10, 11]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Db.CommitAsync(CancellationToken.None);
        await Db.AddBlockAndBlockSetEntryFromTempAsync(HashBytes, BlockBytes, false, default);
        await Rebuild.RollBackAsync();
        await ResolveAsync();
        Assert.That(Committed("SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID"), Is.EqualTo(2));
    }

    [Test]
    [Contract("B 10 Q1")]
    public async Task A_disposal_commits_what_is_there_and_a_rollback_before_it_leaves_nothing_behind()
    {
        await Rebuild.UpdateBlockAsync(Hash(1), 5, 100);
        await Rebuild.RollBackAsync();
        await Rebuild.UpdateBlockAsync(Hash(2), 5, 100);
        await Db.DisposeAsync();
        Assert.That(Committed($"SELECT COUNT(*) FROM Block WHERE Hash = '{Hash(2)}'"), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM Block"), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task Metadata_of_which_the_content_has_gone_with_a_rollback_are_not_added()
    {
        using (
            Log.StartScope(
                _ => Rebuild.RollBackAsync().GetAwaiter().GetResult(),
                x => x.Id!.EndsWith("MismatchInBlocklistHashCount", StringComparison.Ordinal)
            )
        )
            Assert.That(() => Db.AddMetadatasetAsync(Hash(3), 5, [], 1, default), Throws.TypeOf<InvalidOperationException>());

        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM Metadataset"), Is.Zero);
        Assert.That(await Db.AddMetadatasetAsync(Hash(3), 5, [], 0, default), Is.Positive);
    }
}

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
