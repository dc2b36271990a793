// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>The n-th step of each member fails, for every n: the error comes out, a rollback undoes everything, nothing leaks.</summary>
public sealed class FaultTests : LocalDatabaseMembersTestBase
{
    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.All))]
    public async Task A_failing_step_is_reported_undone_by_a_rollback_and_leaks_nothing(bool commits, Func<object, Task> call)
    {
        var before = AllRows.Of(Db.Connection);
        var statements = Db.Session.Statements;
        int[] codes = [5, 9, 10, 13];
        int? open = null;
        for (var n = 0; n < MOST_STEPS; n++)
        {
            var (failed, error) = await StatementFault.FailAsync(statements, n, codes[n % codes.Length], () => call(Db));
            if (failed is null)
                return;

            // The removal of a temporary table may fail in silence, since the table cannot outlive the connection.
            var silent =
                failed.Contains("temp.\"Filenames-", StringComparison.Ordinal) && !failed.Contains("INSERT", StringComparison.Ordinal);
            Assert.That(
                error,
                silent ? Is.Null : Is.InstanceOf<SqliteException>(),
                $"step {n}, {(commits ? "commits" : "does not commit")}: {failed}"
            );
            await Db.Transaction.RollBackAsync(CancellationToken.None);
            Assert.That(AllRows.Of(Db.Connection), Is.EqualTo(before), $"step {n}");
            open ??= statements.OpenStatements + 60;
            Assert.That(statements.OpenStatements, Is.LessThan(open), "statements are put back");
        }

        Assert.Fail("The member never ends.");
    }
}
