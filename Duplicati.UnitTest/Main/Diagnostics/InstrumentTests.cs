// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Metrics;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Diagnostics;

/// <summary>
/// Whoever listens hears what the data layer does. The source and the meter are one a process, so nothing else may work meanwhile.
/// </summary>
[TestFixture]
[NonParallelizable]
internal sealed class InstrumentTests
{
    private const int Blocks = 500;

    [Test]
    public async Task A_backup_tells_its_operations_rows_commits_and_look_ups()
    {
        using var figures = new FigureCapture();
        await using var backup = await BackupFixture.CreateAsync();
        var rows = figures.Sum("duplicati.db.rows.changed");
        var commits = figures.Sum("duplicati.db.commits");

        for (var i = 0; i < Blocks; i++)
            await backup.Database.AddBlockAsync(BlockFixture.Hash(i), BackupFixture.Blocksize, backup.VolumeId, default);
        await backup.Database.CommitAsync(default);

        Assert.Multiple(() =>
        {
            Assert.That(figures.Sum("duplicati.db.commits") - commits, Is.EqualTo(1));
            Assert.That(figures.Sum("duplicati.db.rows.changed") - rows, Is.EqualTo(Blocks));
            Assert.That(
                figures.Sum("duplicati.db.cache.requests", "duplicati.db.cache.name=blocks", "duplicati.db.cache.result=hit"),
                Is.EqualTo(Blocks)
            );
            Assert.That(
                figures.Sum("duplicati.db.cache.requests", "duplicati.db.cache.name=statements", "duplicati.db.cache.result=hit"),
                Is.Positive
            );
            Assert.That(
                figures.Sum("duplicati.db.cache.requests", "duplicati.db.cache.name=statements", "duplicati.db.cache.result=miss"),
                Is.Positive
            );
            Assert.That(
                figures.Of("db.client.operation.duration", "db.system.name=sqlite", "db.operation.name=RegisterRemoteVolumeAsync"),
                Has.Count.EqualTo(2)
            );
            Assert.That(
                figures.Of("db.client.operation.duration", "db.operation.name=COMMIT"),
                Has.Count.EqualTo(commits + 1).And.All.Positive
            );
        });
        foreach (var (name, unit) in figures.Units)
            TestContext.Out.WriteLine($"{name} {unit} {figures.Sum(name)}");
    }

    [Test]
    public async Task A_look_up_that_the_memory_cannot_answer_is_a_miss()
    {
        await using var backup = await BackupFixture.CreateAsync();
        for (var i = 0; i < Blocks; i++)
            await backup.Database.AddBlockAsync(BlockFixture.Hash(i), BackupFixture.Blocksize, backup.VolumeId, default);
        await backup.Database.CommitAsync(default);
        await backup.ReopenAsync();
        using var figures = new FigureCapture();

        for (var i = 0; i < 10; i++)
            Assert.That(await backup.Database.FindBlockIDAsync(BlockFixture.Hash(i), BackupFixture.Blocksize, default), Is.Positive);
        await backup.Database.DisposeAsync();

        Assert.That(
            figures.Sum("duplicati.db.cache.requests", "duplicati.db.cache.name=blocks", "duplicati.db.cache.result=miss"),
            Is.EqualTo(10),
            "too few to be worth filling the map"
        );
        Assert.That(figures.Of("duplicati.db.cache.requests", "duplicati.db.cache.name=blocks", "duplicati.db.cache.result=hit"), Is.Empty);
    }

    [Test]
    public async Task What_is_written_to_the_log_is_what_the_log_grows_by()
    {
        using var figures = new FigureCapture();
        await using var backup = await BackupFixture.CreateAsync();
        var (before, written) = (LogLength(backup), figures.Sum("duplicati.db.wal.written"));
        for (var i = 0; i < Blocks; i++)
            await backup.Database.AddBlockAsync(BlockFixture.Hash(i), BackupFixture.Blocksize, backup.VolumeId, default);
        await backup.Database.CommitAsync(default);

        var grown = LogLength(backup) - before;
        Assert.That(grown, Is.Positive);
        Assert.That(figures.Sum("duplicati.db.wal.written") - written, Is.EqualTo(grown));
        Assert.That(figures.Ask("duplicati.db.wal.size", Namespace(backup)), Is.GreaterThanOrEqualTo(before + grown));
    }

    [Test]
    public async Task A_rollback_is_told_and_the_end_of_an_object_is_none()
    {
        using var figures = new FigureCapture();
        await using (var backup = await BackupFixture.CreateAsync())
        {
            await backup.Database.RegisterRemoteVolumeAsync("gone", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
            await backup.Database.Transaction.RollBackAsync();
        }

        Assert.That(figures.Sum("duplicati.db.rollbacks"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancelled_operation_is_told_with_its_name()
    {
        await using var backup = await BackupFixture.CreateAsync();
        using var source = new CancellationTokenSource();
        using var figures = new FigureCapture();
        var work = backup.Database.Session.LongAsync(
            session =>
            {
                source.Cancel();
                using var endless = session.Statements.Prepare(
                    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT COUNT(*) FROM n"
                );
                return endless.ExecuteInt64();
            },
            source.Token,
            "Endless"
        );

        Assert.That(async () => await work, Throws.InstanceOf<OperationCanceledException>());
        Assert.That(figures.Sum("duplicati.db.cancellations", "db.operation.name=Endless"), Is.EqualTo(1));
        Assert.That(
            figures.Of("db.client.operation.duration", "db.operation.name=Endless", "error.type=System.OperationCanceledException"),
            Has.Count.EqualTo(1)
        );
        var activity = figures.Activities.Single(x => x.DisplayName == "Endless");
        Assert.That(
            (activity.Status, activity.GetTagItem("error.type")),
            Is.EqualTo((ActivityStatusCode.Error, (object)"System.OperationCanceledException"))
        );
    }

    [Test]
    public async Task An_error_of_the_engine_is_told_with_its_code_and_without_its_text()
    {
        await using var backup = await BackupFixture.CreateAsync();
        using var figures = new FigureCapture();
        Assert.That(
            () => backup.Database.Session.Do(session => session.Run("INSERT INTO \"Fileset\" (\"ID\") VALUES (1)"), default, "Wrong"),
            Throws.InstanceOf<SqliteException>()
        );

        Assert.That(
            figures.Of(
                "db.client.operation.duration",
                "db.operation.name=Wrong",
                "error.type=Microsoft.Data.Sqlite.SqliteException",
                "db.response.status_code=1299"
            ),
            Has.Count.EqualTo(1)
        );
        var activity = figures.Activities.Single(x => x.DisplayName == "Wrong");
        Assert.That(activity.StatusDescription, Is.Null);
    }

    [Test]
    public async Task Every_figure_and_every_activity_names_the_database()
    {
        using var figures = new FigureCapture();
        await using var backup = await BackupFixture.CreateAsync();
        await backup.Database.AddBlockAsync(BlockFixture.Hash(1), BackupFixture.Blocksize, backup.VolumeId, default);
        await backup.Database.CommitAsync(default);
        await backup.Database.Transaction.RollBackAsync();
        using var other = Databases.Open(backup.Path);
        other.Execute("BEGIN IMMEDIATE");
        using var stopped = new CancellationTokenSource();
        using var stop = new FigureCapture(activity =>
        {
            if (activity.DisplayName == "wait for a lock")
                stopped.Cancel();
        });
        Assert.That(
            async () =>
                await backup.Database.RegisterRemoteVolumeAsync(
                    "never",
                    RemoteVolumeType.Blocks,
                    RemoteVolumeState.Temporary,
                    stopped.Token
                ),
            Throws.InstanceOf<OperationCanceledException>()
        );
        figures.Ask("duplicati.db.wal.size", Namespace(backup));

        Assert.Multiple(() =>
        {
            Assert.That(figures.Units, Has.Count.EqualTo(11), "all of docs/observability.md");
            foreach (var name in figures.Units.Keys.Where(x => x != "duplicati.db.wal.size"))
                Assert.That(figures.Of(name, Namespace(backup)), Has.Count.EqualTo(figures.Of(name).Count), name);
            foreach (var activity in figures.Activities)
                Assert.That(activity.GetTagItem("db.namespace"), Is.EqualTo(Path.GetFileName(backup.Path)), activity.DisplayName);
        });
    }

    [Test]
    public void A_database_in_memory_has_the_name_that_the_engine_gives_it()
    {
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        Assert.That(DatabaseInstruments.NamespaceOf(connection).Value, Is.EqualTo(":memory:"));
    }

    [Test]
    public void The_source_and_the_meter_have_the_version_of_their_assembly()
    {
        var version = FileVersionInfo.GetVersionInfo(typeof(SQLiteLoader).Assembly.Location).ProductVersion;
        Assert.That(
            (DatabaseInstruments.Activities.Version, DatabaseInstruments.Meter.Version),
            Is.EqualTo((version, version)).And.Not.EqualTo(((string?)null, (string?)null))
        );
    }

    [Test]
    public async Task A_wait_for_a_lock_is_measured_whether_or_not_the_call_can_be_cancelled([Values] bool cancellable)
    {
        await using var backup = await BackupFixture.CreateAsync();
        using var source = new CancellationTokenSource();
        using var other = Databases.Open(backup.Path);
        other.Execute("BEGIN IMMEDIATE");
        // The lock goes away once it is waited for, however fast the machine is.
        using var figures = new FigureCapture(activity =>
        {
            if (activity.DisplayName == "wait for a lock")
                other.Execute("ROLLBACK");
        });

        await backup.Database.RegisterRemoteVolumeAsync(
            "later",
            RemoteVolumeType.Blocks,
            RemoteVolumeState.Temporary,
            cancellable ? source.Token : CancellationToken.None
        );

        Assert.That(figures.Of("duplicati.db.lock_wait.duration"), Has.Count.EqualTo(1).And.All.Positive);
        Assert.That(figures.Activities.Count(x => x.DisplayName == "wait for a lock"), Is.EqualTo(1));
    }

    [Test]
    public async Task The_commits_of_a_queue_are_told()
    {
        using var folder = new TestFolder();
        using var figures = new FigureCapture();
        await using (var queue = new CommitQueue(SQLiteLoader.LoadConnection(folder.File("queue.sqlite"))))
        {
            await queue.RunAsync(statements => statements.Execute("CREATE TABLE \"T\" (\"X\" INTEGER); INSERT INTO \"T\" VALUES (1)"));
            Assert.That(figures.Sum("duplicati.db.commits"), Is.EqualTo(queue.Commits));
        }

        Assert.That(figures.Sum("duplicati.db.rows.changed"), Is.EqualTo(1));
    }

    private static string Namespace(BackupFixture backup) => $"db.namespace={Path.GetFileName(backup.Path)}";

    private static long LogLength(BackupFixture backup) => new FileInfo(backup.Path + "-wal").Length;
}
