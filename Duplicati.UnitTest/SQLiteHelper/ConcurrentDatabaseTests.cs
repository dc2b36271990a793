// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.SQLiteHelper.WriterQueue;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.SQLiteHelper;

[TestFixture]
internal sealed class ConcurrentDatabaseTests : FolderTestBase
{
    private const string Code = nameof(SqliteException.SqliteErrorCode);
    private const string Count = "SELECT COUNT(*) FROM \"Row\"";
    private const string Endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";

    private ConcurrentDatabase m_database = null!;

    private static NUnit.Framework.Constraints.IResolveConstraint Cancelled => Throws.InstanceOf<OperationCanceledException>();

    private string DatabasePath => Folder.File("d.sqlite");

    [SetUp]
    public async Task Open()
    {
        m_database = await ConcurrentDatabase.OpenAsync(DatabasePath, ConnectionPreset.Default);
        await m_database.WriteAsync(statements => statements.Execute(CommitQueueCase.Create));
    }

    [TearDown]
    public async Task Close() => await m_database.DisposeAsync();

    [Test]
    public async Task A_read_sees_what_was_acknowledged_before_it()
    {
        for (var i = 1; i <= 20; i++)
        {
            Assert.That(await m_database.WriteAsync(CommitQueueCase.Write(i)), Is.EqualTo(i));
            Assert.That(await m_database.ReadAsync(CountRows), Is.EqualTo(i));
        }
    }

    [Test]
    public async Task A_read_is_of_one_moment_whatever_is_committed_meanwhile()
    {
        await m_database.WriteAsync(CommitQueueCase.Write(1));
        using var hasRead = new ManualResetEventSlim();
        using var isWritten = new ManualResetEventSlim();
        var read = m_database.ReadAsync(statements =>
        {
            var first = CountRows(statements);
            hasRead.Set();
            Wait.For(isWritten, "a row is committed");
            return (first, CountRows(statements));
        });
        Wait.For(hasRead, "the first statement has run");
        await m_database.WriteAsync(CommitQueueCase.Write(2));
        isWritten.Set();

        Assert.That(await read, Is.EqualTo((1, 1)));
        Assert.That(await m_database.ReadAsync(CountRows), Is.EqualTo(2));
    }

    [Test]
    public async Task Reads_run_beside_each_other()
    {
        using var first = new ManualResetEventSlim();
        using var second = new ManualResetEventSlim();
        var reads = new[] { m_database.ReadAsync(Meet(first, second)), m_database.ReadAsync(Meet(second, first)) };
        Assert.That(await Task.WhenAll(reads), Is.EqualTo(new[] { 0L, 0 }));
    }

    [Test]
    public async Task A_read_that_fails_is_told_its_error_and_leaves_a_reader_of_the_newest_rows()
    {
        for (var i = 1; i <= 30; i++)
        {
            await m_database.WriteAsync(CommitQueueCase.Write(i));
            Assert.That(
                async () => await m_database.ReadAsync(CommitQueueCase.Write(0)),
                Throws.TypeOf<SqliteException>().With.Property(Code).EqualTo(ResultCode.ReadOnly)
            );
            Assert.That(async () => await m_database.ReadAsync(Forgetful), Throws.TypeOf<FormatException>());
            Assert.That(await m_database.ReadAsync(CountRows), Is.EqualTo(i), "no statement and no snapshot was left open");
        }
    }

    [Test]
    public void What_would_go_on_after_its_transaction_is_refused()
    {
        Assert.That(() => m_database.ReadAsync(_ => Task.FromResult(1)), Throws.ArgumentException);
        Assert.That(() => m_database.WriteAsync(_ => Task.FromResult(1)), Throws.ArgumentException);
    }

    [Test]
    public async Task What_is_cancelled_before_it_starts_does_not_run()
    {
        using var source = new CancellationTokenSource();
        await source.CancelAsync();
        Assert.That(async () => await m_database.WriteAsync(CommitQueueCase.Write(1), source.Token), Cancelled);
        Assert.That(async () => await m_database.ReadAsync(CountRows, source.Token), Cancelled);
        Assert.That(async () => await m_database.BackupToAsync(Folder.File("copy"), source.Token), Cancelled);
        Assert.That(await m_database.ReadAsync(CountRows), Is.Zero);
        Assert.That(File.Exists(Folder.File("copy")), Is.False);
    }

    [Test]
    public async Task A_cancelled_read_stops_its_statement_and_no_other_one()
    {
        using var source = new CancellationTokenSource();
        using var started = new ManualResetEventSlim();
        var endless = m_database.ReadAsync(
            statements =>
            {
                started.Set();
                using var statement = statements.Take(Endless);
                return statement.ExecuteInt64();
            },
            source.Token
        );
        Wait.For(started, "the read has begun");
        await source.CancelAsync();

        Assert.That(async () => await endless, Cancelled);
        Assert.That(await m_database.ReadAsync(CountRows), Is.Zero);
    }

    [Test]
    public async Task Closing_commits_what_was_handed_in_and_waits_for_the_reads()
    {
        using var hasBegun = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var read = m_database.ReadAsync(Meet(hasBegun, mayEnd));
        Wait.For(hasBegun, "the read has begun");
        var writes = Enumerable.Range(0, 10).Select(i => m_database.WriteAsync(CommitQueueCase.Write(i))).ToList();
        var closing = m_database.DisposeAsync().AsTask();
        Assert.That(closing.IsCompleted, Is.False);
        Assert.That(async () => await m_database.ReadAsync(CountRows), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await m_database.WriteAsync(CommitQueueCase.Write(99)), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await m_database.BackupToAsync(Folder.File("copy")), Throws.TypeOf<ObjectDisposedException>());

        mayEnd.Set();
        await closing;
        await m_database.DisposeAsync();
        Assert.That(read.IsCompletedSuccessfully && writes.All(x => x.IsCompletedSuccessfully));
        Assert.That(Folder.Files(), Is.EqualTo(new[] { "d.sqlite" }), "all connections are closed and have left no log");
        Assert.That(Values(Count), Is.EqualTo(new[] { 10L }));
    }

    [Test]
    public void A_write_cannot_wait_for_the_end_of_the_database() =>
        Assert.That(
            async () => await m_database.WriteAsync(_ => m_database.DisposeAsync().AsTask().GetAwaiter().GetResult()),
            Throws.InvalidOperationException
        );

    /// <summary>Each write adds two rows, so that a copy with an odd number is one of no moment.</summary>
    [Test]
    public async Task A_backup_made_while_others_write_is_whole_and_has_what_was_acknowledged_before()
    {
        await m_database.WriteAsync(statements => statements.Execute("CREATE TABLE \"Fill\" AS SELECT zeroblob(5000000) AS \"Data\""));
        var written = 0;
        var stop = false;
        var writer = Task.Run(async () =>
        {
            for (var i = 0; !Volatile.Read(ref stop); i += 2)
            {
                await m_database.WriteAsync(statements => CommitQueueCase.Write(i)(statements) + CommitQueueCase.Write(i + 1)(statements));
                Volatile.Write(ref written, i + 2);
            }
        });
        for (var i = 0; i < 5; i++)
        {
            var before = Volatile.Read(ref written);
            await m_database.BackupToAsync(Folder.File($"copy {i}"));
            Wait.Until(() => Volatile.Read(ref written) > before || writer.IsFaulted, "the writer goes on");
            using var copy = new SqliteConnection($"Data Source={Folder.File($"copy {i}")};Mode=ReadOnly;Pooling=false");
            copy.Open();
            var rows = long.Parse(copy.Scalar(Count)!, System.Globalization.CultureInfo.InvariantCulture);
            Assert.That(copy.Scalar("PRAGMA integrity_check"), Is.EqualTo("ok"));
            Assert.That(copy.Pragma("journal_mode"), Is.EqualTo("delete"));
            Assert.That(rows, Is.GreaterThanOrEqualTo(before));
            Assert.That(rows % 2, Is.Zero);
        }

        Volatile.Write(ref stop, true);
        await writer;
        Assert.That(Folder.Files().Count(x => x.StartsWith("copy", StringComparison.Ordinal)), Is.EqualTo(5), "nothing beside the copies");
    }

    [Test]
    public async Task A_backup_is_flushed_before_it_has_its_name()
    {
        using var steps = new FileSteps().OfAll();
        await m_database.BackupToAsync(Folder.File("copy"));
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.File, FileSteps.Name, FileSteps.Folder }));
    }

    [Test]
    public void A_backup_that_is_cancelled_while_it_is_made_leaves_nothing()
    {
        using var source = new CancellationTokenSource();
        using var steps = new FileSteps((_, _) => source.Cancel()).OfAll();
        Assert.That(async () => await m_database.BackupToAsync(Folder.File("copy"), source.Token), Cancelled);
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.File }));

        Assert.That(Folder.Files(), Has.None.StartsWith("copy"));
    }

    [Test]
    public void A_backup_whose_name_cannot_be_flushed_leaves_nothing()
    {
        using var steps = FileSteps.RefusingFolders().OfAll();
        Assert.That(async () => await m_database.BackupToAsync(Folder.File("copy")), Throws.InstanceOf<IOException>());
        Assert.That(steps.Done, Does.Contain(FileSteps.Name));
        Assert.That(Folder.Files(), Has.None.StartsWith("copy"));
    }

    [Test]
    public async Task A_backup_overwrites_nothing_and_says_so()
    {
        await File.WriteAllTextAsync(Folder.File("copy"), "taken");
        Assert.That(
            async () => await m_database.BackupToAsync(Folder.File("copy")),
            Throws.InstanceOf<IOException>().With.Message.Contains(Folder.File("copy"))
        );
        Assert.That(async () => await m_database.BackupToAsync(DatabasePath), Throws.InstanceOf<IOException>());
        Assert.That(async () => await m_database.BackupToAsync(Folder.File("none/copy")), Throws.InstanceOf<IOException>());
        Assert.That(await File.ReadAllTextAsync(Folder.File("copy")), Is.EqualTo("taken"));
    }

    [Test]
    public async Task A_backup_of_a_damaged_file_is_refused_by_its_name_and_leaves_nothing()
    {
        await m_database.DisposeAsync();
        var content = await File.ReadAllBytesAsync(DatabasePath);
        content.AsSpan(4096, 4096).Fill(255);
        await File.WriteAllBytesAsync(DatabasePath, content);

        await using var damaged = await ConcurrentDatabase.OpenAsync(DatabasePath, ConnectionPreset.Default);
        Assert.That(
            async () => await damaged.BackupToAsync(Folder.File("copy")),
            Throws.InstanceOf<IOException>().With.Message.Contains(DatabasePath)
        );
        Assert.That(Folder.Files(), Has.None.StartsWith("copy"));
    }

    [Test]
    public async Task What_is_no_database_is_refused_with_the_code_of_the_engine()
    {
        await File.WriteAllTextAsync(Folder.File("text"), new string('x', 5000));
        Assert.That(
            async () => await ConcurrentDatabase.OpenAsync(Folder.File("text"), ConnectionPreset.Default),
            Refused.Engine(raw.SQLITE_NOTADB)
        );
        Assert.That(
            async () => await ConcurrentDatabase.OpenAsync(Folder.Path, ConnectionPreset.Default),
            Refused.Engine(ResultCode.CannotOpen)
        );
    }

    [Test]
    public async Task The_preset_holds_for_the_writer_and_the_readers_whatever_scope_they_are_opened_in()
    {
        await using var small = await ConcurrentDatabase.OpenAsync(Folder.File("small"), ConnectionPreset.Small);
        await using var durable = await ConcurrentDatabase.OpenAsync(Folder.File("durable"), ConnectionPreset.Durable);
        using var scope = ConnectionPreset.Use("throughput");
        Assert.That(await small.WriteAsync(MapSize), Is.Zero);
        Assert.That(await small.ReadAsync(MapSize), Is.Zero);
        Assert.That(await durable.ReadAsync(MapSize), Is.EqualTo(await durable.WriteAsync(MapSize)).And.GreaterThan(0));
        Assert.That((small.IsDurable, durable.IsDurable), Is.EqualTo((false, true)));
    }

    private List<long> Values(string sql) => CommitQueueCase.Read(DatabasePath, sql);

    private static long CountRows(StatementCache statements)
    {
        using var count = statements.Take(Count);
        return count.ExecuteInt64();
    }

    private static long MapSize(StatementCache statements)
    {
        using var size = statements.Prepare("PRAGMA mmap_size");
        return size.ExecuteInt64();
    }

    private static long Forgetful(StatementCache statements)
    {
        statements.Take("SELECT \"Value\" FROM \"Row\"").Read();
        throw new FormatException();
    }

    private static Func<StatementCache, long> Meet(ManualResetEventSlim mine, ManualResetEventSlim other) =>
        statements =>
        {
            var rows = CountRows(statements);
            mine.Set();
            Wait.For(other, "the other has begun");
            return rows;
        };
}
