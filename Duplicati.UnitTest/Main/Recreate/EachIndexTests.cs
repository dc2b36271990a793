// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>
/// The end of a recreate of many blocks, where each index is built in a transaction of its own: what each commit shows, and what is left by
/// an end in between.
/// </summary>
[TestFixture]
internal sealed class EachIndexTests : RebuildTestBase
{
    private const int Large = DeferredIndexes.RowsBuiltWhenGivingUp + 1;

    // All that the removal of blocks needs is built before, with the rows.
    private const int BuiltWithRows = 2;

    private List<string> m_schema = null!;

    protected override bool IsLarge => true;

    [SetUp]
    public async Task LoadAsync()
    {
        m_schema = RebuildFile.Schema(DatabasePath);
        var blockset = await AddFileAsync(1, 128, [10, 11]);
        await Db.AddFileEntryAsync(1, 1, "a", default, blockset, -1, default);
        foreach (var hash in (string[])[Hash(10), Hash(11), ListHash(1, 0), Hash(12)])
            await Rebuild.UpdateBlockAsync(hash, 64, 100);
        await ResolveAsync();
        // What nobody uses would be removed row by row; these are blocks of files.
        Db.Session.Execute(
            $"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {Large}) INSERT INTO Block (ID, Hash, Size, VolumeID) SELECT 1000 + i, 'block ' || i, 1, 101 FROM n;
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (500, {Large}, 'large');
            INSERT INTO BlocksetEntry SELECT 500, ID - 1001, ID FROM Block WHERE ID > 1000
            """
        );
        await Db.CommitAsync(CancellationToken.None);
    }

    [Test]
    [Contract("B 9.8 rule 10")]
    public async Task Before_each_index_what_was_built_is_committed_and_a_kill_leaves_a_file_that_is_completed()
    {
        var copies = new List<(string Path, long Indexes)>();
        var built = 0;
        OnCreateIndex(() =>
        {
            if (built++ >= BuiltWithRows)
                copies.Add((CopyAsKilled(), Committed(CountIndexes)));
            return raw.SQLITE_OK;
        });
        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Db.Session.Statements.Fault = null;
        var (whole, indexes) = (RebuildFile.Dump(DatabasePath), Committed(CountIndexes));
        Assert.That((RebuildFile.Schema(DatabasePath), Committed(Version)), Is.EqualTo((m_schema, 19L)));
        Assert.That(whole, Has.One.StartsWith("deleted"));
        Assert.That(copies, Has.Count.GreaterThan(5));
        Assert.That(
            copies.Select(x => x.Indexes),
            Is.EqualTo(Enumerable.Range((int)indexes - copies.Count, copies.Count)),
            "one more with each commit"
        );

        foreach (var (path, _) in copies)
        {
            using (var connection = Databases.Open(path))
                Assert.That(connection.Scalar(Version), Is.EqualTo("1019"), "a file that lacks indexes says so");
            using (var log = new LogCapture())
            {
                await (await LocalDatabase.CreateLocalDatabaseAsync(path, "Open", true, null, default)).DisposeAsync();
                Assert.That(log.Of(LogMessageType.Information, "DeferredIndexesRestored"), Has.Count.EqualTo(1));
            }

            using (var connection = Databases.Open(path))
                Assert.That((connection.Scalar(Version), connection.Pragma("integrity_check")), Is.EqualTo(("19", "ok")));
            Assert.That(RebuildFile.Schema(path), Is.EqualTo(m_schema));
            Assert.That(RebuildFile.Dump(path), Is.EqualTo(whole), "rows were all committed before");
        }
    }

    [TestCase(raw.SQLITE_FULL)]
    [TestCase(raw.SQLITE_IOERR)]
    public async Task A_failure_loses_one_index_and_the_same_call_goes_on(int code)
    {
        var built = 0;
        OnCreateIndex(() => ++built == BuiltWithRows + 4 ? code : raw.SQLITE_OK);
        Assert.That(() => Db.CleanupDeletedBlocksAsync(CancellationToken.None), Refused.Engine(code));
        Db.Session.Statements.Fault = null;
        var kept = Committed(CountIndexes);
        Assert.That(
            (Committed(Version), kept),
            Is.EqualTo(
                (
                    1019L,
                    m_schema.Count(x => x.StartsWith("index", StringComparison.Ordinal) && x.Contains("CREATE", StringComparison.Ordinal))
                        - Missing()
                )
            )
        );
        Assert.That(Missing(), Is.Positive);

        var again = 0L;
        Db.Session.Statements.Observe(sql => again += StatementSteps.BuildsIndex(sql) ? 1 : 0);
        var missing = Missing();
        await Db.CleanupDeletedBlocksAsync(CancellationToken.None);
        Db.Session.Statements.Fault = null;
        Assert.That((again, RebuildFile.Schema(DatabasePath), Committed(Version)), Is.EqualTo((missing, m_schema, 19L)));
    }

    [Test]
    public async Task A_recreate_that_goes_on_builds_what_is_missing_with_a_commit_each()
    {
        var built = 0;
        OnCreateIndex(() => ++built == BuiltWithRows + 2 ? raw.SQLITE_FULL : raw.SQLITE_OK);
        Assert.That(() => Db.CleanupDeletedBlocksAsync(CancellationToken.None), Throws.TypeOf<SqliteException>());
        var counts = new List<long>();
        OnCreateIndex(() =>
        {
            counts.Add(Missing());
            return raw.SQLITE_OK;
        });
        var missing = Missing();
        await ResumableRebuild.Of(Db).BuildIndexesAsync(CancellationToken.None);
        Db.Session.Statements.Fault = null;
        Assert.That(counts, Is.EqualTo(Enumerable.Range(0, (int)missing).Select(x => missing - x)), "what others see");
        Assert.That((RebuildFile.Schema(DatabasePath), Committed(Version)), Is.EqualTo((m_schema, 19L)));
    }

    [Test]
    public async Task Cancelled_between_two_indexes_it_keeps_what_is_built_and_the_next_opening_builds_the_rest()
    {
        using var cancel = new CancelAtStep(Db.Session.Statements, BuiltWithRows + 2, StatementSteps.BuildsIndex);
        Assert.That(() => Db.CleanupDeletedBlocksAsync(cancel.Token), Throws.InstanceOf<OperationCanceledException>());
        cancel.End();
        Assert.That(Missing(), Is.Positive);
        await Rebuild.DisposeAsync();
        Assert.That(Committed(Version), Is.EqualTo(1019), "a disposal is not kept waiting by a large table");
        await (await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "Open", true, null, default)).DisposeAsync();
        Assert.That((RebuildFile.Schema(DatabasePath), Committed(Version)), Is.EqualTo((m_schema, 19L)));
    }

    private long Missing() => Committed("SELECT COUNT(*) FROM DeferredIndex WHERE Name <> ''");

    private void OnCreateIndex(Func<int> fault) =>
        Db.Session.Statements.Fault = sql => StatementSteps.BuildsIndex(sql) ? fault() : raw.SQLITE_OK;

    // The state on disk, as a killed process leaves it.
    private string CopyAsKilled()
    {
        var copy = Folder.File($"copy{Guid.NewGuid():N}.sqlite");
        Databases.CopyKilled(DatabasePath, copy);
        Databases.ForgetOwner(copy);
        return copy;
    }
}
