// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database;

namespace Duplicati.UnitTest;

[TestFixture]
public class ExtensionMethodsTransactionTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    [Test]
    [Contract("A 1.2 rebinding")]
    [Contract("A 12 row 18")]
    public async Task A_command_can_be_bound_again_after_each_commit()
    {
        using var db = new TestConnection("CREATE TABLE T (X)");
        await using var transaction = new ReusableTransaction(db.Connection);
        await using var command = db.Connection.CreateCommand(transaction);
        command.SetCommandAndParameters("INSERT INTO T VALUES (1)");
        await command.ExecuteNonQueryAsync(false, s_none);
        await transaction.CommitAsync(s_none);

        Assert.That(
            async () => await command.ExecuteNonQueryAsync(false, s_none),
            Throws.InvalidOperationException,
            "the command still has the transaction that has ended"
        );
        Assert.That(await command.SetTransaction(transaction).ExecuteNonQueryAsync(false, s_none), Is.EqualTo(1));
    }

    [Test]
    public async Task Empty_transactions_are_committed_and_rolled_back_without_an_error()
    {
        using var log = new LogCapture();
        using var db = new TestConnection();
        await using (var transaction = new ReusableTransaction(db.Connection))
        {
            await transaction.CommitAsync("empty", true, s_none);
            await transaction.RollBackAsync(s_none);
            await transaction.CommitAsync();
        }
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task After_a_cancelled_write_the_next_command_is_in_a_transaction_again()
    {
        using var db = new TestConnection("CREATE TABLE T (X)");
        using var source = new CancellationTokenSource();
        var cancel = Task.CompletedTask;
        db.Connection.CreateFunction(
            "started",
            () =>
            {
                cancel = source.CancelAsync();
                return 1;
            }
        );
        await using (var transaction = new ReusableTransaction(db.Connection))
        {
            await using var endless = db.Connection.CreateCommand(transaction);
            endless.SetCommandAndParameters(
                "WITH RECURSIVE n(x) AS (SELECT started() UNION ALL SELECT x + 1 FROM n WHERE x < 100000000000) INSERT INTO T SELECT x FROM n"
            );
            Assert.That(
                async () => await endless.ExecuteNonQueryAsync(false, source.Token),
                Throws.InstanceOf<OperationCanceledException>()
            );
            await cancel;

            await using var next = db.Connection.CreateCommand(transaction);
            await next.ExecuteNonQueryAsync("INSERT INTO T VALUES (2)", s_none);
        }
        Assert.That(db.Scalar("SELECT COUNT(*) FROM T"), Is.Zero, "nothing was committed");
    }
}
