// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Restore;
using SQLitePCL;

namespace Duplicati.UnitTest.Reliability.Faults;

/// <summary>
/// The n-th statement of members of every operation fails, for every n: the error comes out, a rollback undoes everything, and the same
/// object gives the right answer then.
/// </summary>
[TestFixture]
internal sealed class OperationFaultTests
{
    private const int MOST_STEPS = 20_000;

    private static readonly int[] s_errors = [raw.SQLITE_BUSY, raw.SQLITE_FULL, raw.SQLITE_IOERR, raw.SQLITE_INTERRUPT];

    [TestCaseSource(typeof(OperationCalls), nameof(OperationCalls.All))]
    public async Task A_failing_statement_is_reported_and_undone_and_the_object_goes_on(object call)
    {
        using var backup = Make(7);
        await FailEverywhereAsync((OperationCall)call, backup, n => s_errors[n % s_errors.Length], n => n < 20 ? n + 1 : n + 61);
    }

    [TestCase(4, Explicit = true, Category = LongRun.Category)]
    public async Task Every_statement_fails_with_every_error(int errors)
    {
        var seed = LongRun.Seed();
        for (var i = 0; i < LongRun.Count(errors); i++)
        {
            using var backup = Make(seed + i);
            foreach (var call in OperationCalls.All)
                await FailEverywhereAsync(call, backup, _ => s_errors[(seed + i) % s_errors.Length], n => n + 1);
        }
    }

    // Every block of the first volume has a copy in the second one.
    private static RandomBackup Make(int seed)
    {
        var backup = new RandomBackup(seed);
        Databases.Execute(backup.Path, "INSERT INTO DuplicateBlock SELECT ID, 2 FROM Block WHERE VolumeID = 1");
        return backup;
    }

    private static async Task FailEverywhereAsync(OperationCall call, RandomBackup backup, Func<int, int> errorOf, Func<int, int> next)
    {
        var copy = backup.Path + ".copy";
        var (expected, before) = ("", "");
        for (var n = -1; n < MOST_STEPS; n = next(n))
        {
            File.Copy(backup.Path, copy, overwrite: true);
            await using var db = await call.Open(copy);
            await call.Prepare(db);
            if (n < 0)
            {
                before = AllRows.Of(db.Connection);
                expected = await call.Run(db);
                continue;
            }

            var (failed, _) = await StatementFault.FailAsync(db.Session.Statements, n, errorOf(n), () => call.Run(db));
            if (failed is null)
                return;
            await db.Transaction.RollBackAsync(default(CancellationToken));
            Assert.That(AllRows.Of(db.Connection), Is.EqualTo(before), $"{call}, statement {n}: {failed}");
            await call.Prepare(db);
            Assert.That(await call.Run(db), Is.EqualTo(expected), $"{call}, after statement {n}: {failed}");
        }

        Assert.Fail("The call never ends.");
    }
}
