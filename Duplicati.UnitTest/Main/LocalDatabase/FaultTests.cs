// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>The n-th step of each member fails, for every n: the error comes out, a rollback undoes everything, nothing leaks.</summary>
public sealed class FaultTests : LocalDatabaseTestBase
{
    private const int MOST_STEPS = 20_000;

    [SetUp]
    public async Task Fill()
    {
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'blocks', 'Blocks', 'Uploaded', 0, 0, 0, 0), (2, 1, 'list', 'Files', 'Uploaded', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 1000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'AAAA', 100, 1), (2, 'BBBB', 50, 1), (3, 'CCCC', 20, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 150, 'file'), (2, 20, 'CCCC');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3);
            INSERT INTO BlocklistHash VALUES (1, 0, 'DDDD');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f.txt', 1, 1), (2, 1, 'd/', -100, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0);
            """
        );
        await Db.Transaction.CommitAsync(CancellationToken.None);
    }

    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.All))]
    public async Task A_failing_step_is_reported_undone_by_a_rollback_and_leaks_nothing(bool commits, Func<object, Task> call)
    {
        var before = AllRows.Of(Db.Connection);
        var statements = Db.Session.Statements;
        int[] codes = [5, 9, 10, 13];
        int? open = null;
        for (var n = 0; n < MOST_STEPS; n++)
        {
            var step = 0;
            string? failed = null;
            statements.Fault = sql => step++ == n && (failed = sql) is not null ? codes[n % codes.Length] : 0;
            var error = await ErrorOf(call);
            statements.Fault = null;
            if (failed is null)
            {
                Assert.That(error, Is.Null);
                return;
            }

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

    private async Task<Exception?> ErrorOf(Func<object, Task> call)
    {
        try
        {
            await call(Db);
            return null;
        }
        catch (Exception ex)
        {
            return ex;
        }
    }
}
