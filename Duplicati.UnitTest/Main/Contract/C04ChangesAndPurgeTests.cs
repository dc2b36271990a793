// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Purge;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>Versions rewritten without some files: the details that no other test holds.</summary>
[TestFixture]
public sealed class C04ChangesAndPurgeTests : PurgeTestBase
{
    [Test]
    [Contract("C 5 ApplyFilterAsync by filter")]
    public async Task Groups_of_rules_are_tried_on_every_path()
    {
        async Task<long> CountAsync(IFilter filter)
        {
            await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);
            await temporary.ApplyFilterAsync(filter, default);
            return temporary.RemovedFileCount;
        }

        Assert.That(await CountAsync(new JoinedFilterExpression(new FilterExpression("*c"), new FilterExpression("/d/"))), Is.EqualTo(2));
        Assert.That(
            await CountAsync(
                new JoinedFilterExpression(
                    new FilterExpression("*a", false),
                    new JoinedFilterExpression(new FilterExpression("/d/?"), new FilterExpression("*", false))
                )
            ),
            Is.EqualTo(1)
        );
    }

    [Test]
    [Contract("C 5 ApplyFilterAsync by command")]
    public async Task A_command_of_the_caller_runs_in_the_current_transaction_and_its_failure_is_the_callers()
    {
        await Db.Transaction.CommitAsync(default);
        await using var temporary = await Db.CreateTemporaryFilesetAsync(FilesetId, default);
        var error = new InvalidOperationException("mine");

        Assert.That(
            Assert.ThrowsAsync<InvalidOperationException>(() => temporary.ApplyFilterAsync((_, _, _) => throw error, default)),
            Is.SameAs(error)
        );
        await temporary.ApplyFilterAsync(
            (command, id, table) =>
            {
                Assert.That((command.Connection, command.Transaction), Is.EqualTo((Db.Connection, Db.Transaction.Transaction)));
                return Task.FromResult(7);
            },
            default
        );

        Assert.That(
            (temporary.RemovedFileCount, temporary.RemovedFileSize, temporary.UpdatedFileCount, temporary.ParentID),
            Is.EqualTo((0L, 0L, 7L, FilesetId))
        );
        await temporary.ApplyFilterAsync(new FilterExpression("/d/a"), default);
        Assert.That((temporary.RemovedFileCount, temporary.UpdatedFileCount), Is.EqualTo((1L, 0L)));
    }
}
