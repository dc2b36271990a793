// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics.Metrics;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper.Metrics;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// After each member of the data layer that an operation calls, after each of its commits, and before it lists the remote folder,
/// another connection commits what others do in no turn, as a test in core's order of calls, unless the operation holds the write lock.
/// </summary>
[TestFixture]
internal sealed class CommitsInBetweenTests
{
    [TestCase("backup")]
    [TestCase("restore")]
    [TestCase("delete")]
    [TestCase("compact")]
    [TestCase("purge")]
    [TestCase("purge-broken-files, nothing is broken")]
    [TestCase("purge-broken-files")]
    [TestCase("repair")]
    [TestCase("test")]
    [TestCase("test that replaces")]
    [TestCase("verify")]
    [TestCase("list-broken-files")]
    public async Task An_operation_is_not_refused_for_what_others_commit_between_its_steps(string operation)
    {
        using var backup = new BackupCase();
        await PrepareAsync(backup);
        Damage(backup, operation);
        int commits;
        using (var others = new Others(backup.Options.DatabasePath))
        {
            backup.Warnings.OnMessage = _ => others.TryCommit();
            await RunAsync(backup, operation);
            backup.Warnings.OnMessage = null;
            commits = others.Commits;
        }

        TestContext.Out.WriteLine($"{commits} commits in between");
        Assert.That(commits, Is.Positive);
        await backup.AssertSoundAsync(operation);
        if (operation is not "purge-broken-files")
            await backup.AssertRecreateEqualsAsync(operation);
    }

    private static async Task PrepareAsync(BackupCase backup)
    {
        var options = backup.Options;
        backup.Options = options with { NoAutoCompact = true };
        for (var version = 0; version < 3; version++)
        {
            for (var file = 0; file < 4; file++)
                SourceTree.Write(backup.Source, $"file-{file}", 30_000, new Random((version * 4) + file));
            await backup.BackUpAsync();
        }

        // Leaves volumes to delete, and to copy from.
        await backup.DeleteAsync(2);
        backup.Options = options with { CompactThreshold = 5 };
        SourceTree.Write(backup.Source, "file-1", 30_000, new Random(99));
    }

    private static void Damage(BackupCase backup, string operation)
    {
        switch (operation)
        {
            case "purge-broken-files":
                File.Delete(backup.Volumes("dblock")[0]);
                break;
            case "test that replaces":
                File.WriteAllText(backup.Volumes("dindex")[0], "damaged");
                break;
            case "repair":
                File.Delete(backup.Volumes("dindex")[0]);
                File.Delete(backup.Volumes("dlist")[0]);
                break;
        }
    }

    private static Task RunAsync(BackupCase backup, string operation)
    {
        if (operation == "test that replaces")
            backup.Options = backup.Options with { ReplaceFaultyIndexVolumes = true };
        return operation switch
        {
            "backup" => backup.BackUpAsync(),
            "restore" => backup.RestoredAsync(0),
            "delete" => backup.DeleteAsync(1),
            "compact" => backup.CompactAsync(),
            "purge" => backup.PurgeAsync("*file-2"),
            "repair" => backup.RepairAsync(),
            "test" or "test that replaces" => backup.TestAsync(),
            "verify" => new VerifyOperation(backup.Options, backup.Warnings).RunAsync(false, default),
            "list-broken-files" => backup.ListBrokenAsync(),
            _ => backup.PurgeBrokenAsync(),
        };
    }

    private sealed class Others : IDisposable
    {
        private const string Theirs = """
            UPDATE "Remotevolume" SET "State" = 'Verified', "VerificationCount" = "VerificationCount" + 1
            WHERE "State" IN ('Uploaded', 'Verified');
            INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path") VALUES (1, 5, 'get', 'x');
            COMMIT
            """;

        private readonly Lock m_lock = new();
        private readonly SqliteConnection m_connection;
        private readonly MeterListener m_meters = new();

        internal Others(string path)
        {
            m_connection = Databases.Open(path);
            _ = raw.sqlite3_busy_timeout(m_connection.Handle, 0);
            m_meters.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == DatabaseInstruments.SourceName && instrument.Name == "db.client.operation.duration")
                    listener.EnableMeasurementEvents(instrument);
            };
            m_meters.SetMeasurementEventCallback<double>((_, _, _, _) => TryCommit());
            m_meters.Start();
        }

        internal int Commits { get; private set; }

        internal void TryCommit()
        {
            lock (m_lock)
            {
                if (raw.sqlite3_exec(m_connection.Handle, "BEGIN IMMEDIATE") != raw.SQLITE_OK)
                    return;
                m_connection.Execute(Theirs);
                Commits++;
            }
        }

        public void Dispose()
        {
            m_meters.Dispose();
            m_connection.Dispose();
        }
    }
}
