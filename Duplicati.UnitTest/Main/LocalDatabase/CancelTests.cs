// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>
/// A token that is cancelled while the n-th step runs ends every long member with the right exception, and nothing is left behind.
/// </summary>
public sealed class CancelTests : LocalDatabaseTestBase
{
    private const int MOST_STEPS = 20_000;

    private static TestCaseData Case(string name, Func<object, CancellationToken, Task> call) =>
        new TestCaseData(call).SetArgDisplayNames(name);

    private static async Task DrainAsync<T>(IAsyncEnumerable<T> rows)
    {
        await foreach (var _ in rows) { }
    }

    private static IEnumerable<TestCaseData> LongMembers =>
        [
            Case("VerifyConsistency", (db, token) => ((LocalDatabase)db).VerifyConsistencyAsync(100, 32, true, token)),
            Case("VerifyConsistencyForRepair", (db, token) => ((LocalDatabase)db).VerifyConsistencyForRepairAsync(100, 32, false, token)),
            Case("RemoveRemoteVolumes", (db, token) => ((LocalDatabase)db).RemoveRemoteVolumesAsync(["b"], token)),
            Case(
                "UpdateRemoteVolume",
                (db, token) => ((LocalDatabase)db).UpdateRemoteVolumeAsync("b", RemoteVolumeState.Deleted, 0, null, token)
            ),
            Case("WriteFileset", (db, token) => ((LocalDatabase)db).WriteFilesetAsync(new RecordingFilesetWriter(), 1, token)),
            Case("GetBlocklists", (db, token) => DrainAsync(((LocalDatabase)db).GetBlocklistsAsync(1, 96, 32, token))),
            Case("GetBlocks", (db, token) => DrainAsync(((LocalDatabase)db).GetBlocksAsync(1, token))),
            Case(
                "GetRemoteVolumesDependingOnFilesets",
                (db, token) => DrainAsync(((LocalDatabase)db).GetRemoteVolumesDependingOnFilesetsAsync([1], token))
            ),
            Case(
                "FilteredFilenameTable",
                (db, token) =>
                    LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(
                        (LocalDatabase)db,
                        new FilterExpression("[.*]"),
                        token
                    )
            ),
            Case("PurgeLogData", (db, token) => ((LocalDatabase)db).PurgeLogDataAsync(DateTime.UtcNow, token)),
            Case("ClearFilesetEntries", (db, token) => ((LocalDatabase)db).ClearFilesetEntriesAsync(1, token)),
        ];

    [SetUp]
    public async Task Fill()
    {
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'b', 'Blocks', 'Verified', 0, 0, 0, 0), (2, 1, 'l', 'Files', 'Verified', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 1000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'm', 20, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (2, 20, 'm');
            INSERT INTO BlocksetEntry VALUES (2, 0, 1);
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f', 2, 1), (2, 1, 'd/', -100, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0);
            """
        );
        await Db.Transaction.CommitAsync(CancellationToken.None);
    }

    [TestCaseSource(nameof(LongMembers))]
    public async Task A_cancellation_during_any_step_ends_the_call_and_leaves_the_object_usable(Func<object, CancellationToken, Task> call)
    {
        var before = AllRows.Of(Db.Connection);
        for (var n = 0; n < MOST_STEPS; n++)
        {
            using var source = new CancellationTokenSource();
            var step = 0;
            Db.Session.Statements.Fault = _ =>
            {
                if (step++ != n)
                    return 0;
                source.Cancel();
                return 9;
            };
            var task = call(Db, source.Token);
            await Task.WhenAny(task);
            Db.Session.Statements.Fault = null;
            if (!source.IsCancellationRequested)
            {
                await task;
                Assert.That(n, Is.Positive);
                return;
            }

            Assert.That(() => task, Throws.InstanceOf<OperationCanceledException>(), $"step {n}");
            await Db.Transaction.RollBackAsync(CancellationToken.None);
            Assert.That(AllRows.Of(Db.Connection), Is.EqualTo(before), $"step {n}");
        }

        Assert.Fail("The member never ends.");
    }

    [TestCaseSource(nameof(LongMembers))]
    public async Task No_statement_begins_after_a_cancellation(Func<object, CancellationToken, Task> call)
    {
        for (var n = 0; n < MOST_STEPS; n++)
        {
            using var cancel = new CancelAtStep(Db.Session.Statements, n);
            await Task.WhenAny(call(Db, cancel.Token));
            cancel.End();
            await Db.Transaction.RollBackAsync(CancellationToken.None);
            if (!cancel.IsCancelled)
                return;
            // More rows of the statement that is running, and what is removed of temporary tables.
            Assert.That(
                cancel.Later.Count(x => !x.Contains("temp.", StringComparison.Ordinal)),
                Is.LessThanOrEqualTo(1),
                $"step {n}: {string.Join(" / ", cancel.Later)}"
            );
        }

        Assert.Fail("The member never ends.");
    }

    [Test]
    public void What_a_cancelled_call_does_at_its_end_is_not_interrupted()
    {
        using var source = new CancellationTokenSource();
        var ended = false;
        Assert.That(() => Db.Session.Do(Work, source.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(ended, Is.True);

        void Work(DatabaseSession session)
        {
            source.Cancel();
            try
            {
                source.Token.ThrowIfCancellationRequested();
            }
            finally
            {
                session.Execute("SELECT 1");
                ended = true;
            }
        }
    }

    [TestCaseSource(nameof(LongMembers))]
    public void A_token_that_is_cancelled_already_is_honoured(Func<object, CancellationToken, Task> call) =>
        Assert.That(() => call(Db, new CancellationToken(true)), Throws.InstanceOf<OperationCanceledException>());

    [TestCaseSource(nameof(LongMembers))]
    public async Task The_callers_thread_is_free_while_another_call_holds_the_connection(Func<object, CancellationToken, Task> call)
    {
        using var held = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var holder = Task.Run(() =>
        {
            lock (Db.Session.ConnectionLock)
            {
                held.Set();
                Wait.For(release, "the call has returned to its caller");
            }
        });
        Wait.For(held, "the connection lock is held");

        var task = call(Db, CancellationToken.None);
        var returned = !task.IsCompleted;
        release.Set();

        await Task.WhenAll(task, holder);
        Assert.That(returned, Is.True);
    }
}
