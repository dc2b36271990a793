// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// Look-ups of blocks that are there, in random order, by one or more readers, alone or while a writer commits a row every
/// millisecond: what the writer costs the readers.
/// </summary>
/// <remarks>
/// The writer pauses because a reader that finds the log changed six times running, between reading its header and locking it, is put
/// to sleep by the engine, longer each time. Beside a writer that never pauses the result is the number of such sleeps.
/// "hot": each reader is one of the layer's reading connections and has looked its blocks up once before the clock starts. "cold": the
/// connection is new, its cache is held at 256 KiB and nothing is mapped, and the system's copies of the file's pages are given up
/// before anything opens it (Linux), so that the first look-up of a page goes to the disk and a later one to the system.
/// </remarks>
[BenchmarkGroup("lookups", Durability = "WAL, synchronous NORMAL; the writer commits a row every millisecond")]
[BaselineVariant(nameof(Writer), None)]
public class LookUpBlocks : DatabaseBenchmark
{
    private const string None = "none";
    private const string Commits = "commits";
    private const int PauseMilliseconds = 1;
    private const string SmallCache = "PRAGMA cache_size=-256; PRAGMA mmap_size=0";

    private readonly List<(SqliteConnection Connection, StatementCache Statements)> m_readers = [];
    private readonly ManualResetEventSlim m_read = new();
    private ThreadTeam? m_team;
    private int m_reading;
    private long m_found;
    private long m_commits;

    /// <summary>By the primary key, or by hash and size.</summary>
    [Params("id", "hash")]
    public string Key { get; set; } = "id";

    /// <summary>See the remarks.</summary>
    [Params("hot", "cold")]
    public string Cache { get; set; } = "hot";

    /// <summary>Whether another connection writes meanwhile.</summary>
    [Params(None, Commits)]
    public string Writer { get; set; } = None;

    [Params(1, 2, 4, 8)]
    public int Readers { get; set; } = 1;

    protected override int Rows => BenchmarkScale.Of(80_000, 16_000);

    protected override long ExpectedAnswer => Rows;

    protected override string? Template => BlockTable.Template(TableRows, ConnectionPreset.Default.ToOptions(), "default");

    private protected override ConnectionOptions Options => Of("default");

    private static int TableRows => BenchmarkScale.Of(1_000_000, 50_000);

    protected override void Work()
    {
        m_team!.Run();
        // A writer that never came to commit would have cost nothing.
        Answer = Writer == None || m_commits > 0 ? m_found : -1;
    }

    protected override void PrepareFile()
    {
        if (Cache == "cold")
            FilePages.Drop(DatabasePath);
    }

    protected override void Prepare()
    {
        _ = BlockKeys.Get(TableRows);
        (m_reading, m_found, m_commits) = (Readers, 0, 0);
        m_read.Reset();
        for (var reader = 0; reader < Readers; reader++)
            m_readers.Add(Cache == "cold" ? OpenCold() : OpenHot(reader));
        m_team = new ThreadTeam(
            Readers + (Writer == None ? 0 : 1),
            number =>
            {
                if (number < Readers)
                    Read(number);
                else
                    Write();
            }
        );
    }

    protected override void CleanUp()
    {
        m_team?.Dispose();
        foreach (var (connection, statements) in m_readers)
        {
            statements.Dispose();
            connection.Dispose();
        }

        m_readers.Clear();
    }

    private (SqliteConnection Connection, StatementCache Statements) OpenHot(int reader)
    {
        var opened = ReadConnection.Open(Connection.ConnectionString);
        FindShare(opened.Statements, reader);
        return (opened.Connection, opened.Statements);
    }

    private (SqliteConnection Connection, StatementCache Statements) OpenCold()
    {
        var connection = new SqliteConnection(Connection.ConnectionString);
        connection.Open();
        var statements = new StatementCache(connection);
        statements.Execute(SmallCache);
        return (connection, statements);
    }

    private void Read(int reader)
    {
        try
        {
            Interlocked.Add(ref m_found, FindShare(m_readers[reader].Statements, reader));
        }
        finally
        {
            if (Interlocked.Decrement(ref m_reading) == 0)
                m_read.Set();
        }
    }

    private long FindShare(StatementCache statements, int reader)
    {
        var found = 0L;
        for (var step = reader; step < Rows; step += Readers)
            found += Find(statements, BlockTable.Scatter(step, TableRows)) ? 1 : 0;
        return found;
    }

    private bool Find(StatementCache statements, int index)
    {
        if (Key == "hash")
        {
            using var byHash = statements.Take(BlockTableSql.Find);
            return byHash.BindUtf8(1, BlockKeys.Get(0).Text(index)).Bind(2, BlockKeys.Size(index)).ExecuteInt64() == index + 1;
        }

        using var byId = statements.Take(BlockTableSql.FindById);
        return byId.Bind(1, index + 1L).ExecuteInt64() == BlockKeys.Size(index);
    }

    private void Write()
    {
        do
        {
            using var move = Statements.Take(BlockTableSql.Move);
            m_commits += move.Bind(1, BlockTable.Scatter((int)m_commits, TableRows) + 1L).Bind(2, m_commits).ExecuteNonQuery();
        } while (!m_read.Wait(PauseMilliseconds));
    }
}

/// <summary>The operating system's copies of a file's pages.</summary>
internal static class FilePages
{
    private const int DontNeed = 4;

    /// <summary>Gives the copies up, so that the next reads come from the disk. Only on Linux; elsewhere nothing happens.</summary>
    /// <param name="path">A file that nothing has open.</param>
    /// <exception cref="IOException">The system refused.</exception>
    public static void Drop(string path)
    {
        if (!OperatingSystem.IsLinux())
            return;

        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        // Only what is on the disk can be given up.
        file.Flush(flushToDisk: true);
        var code = AdviseFile((int)file.SafeFileHandle.DangerousGetHandle(), 0, 0, DontNeed);
        if (code != 0)
            throw new IOException($"The pages of {path} could not be given up (error {code}).");
    }

    [DllImport("libc", EntryPoint = "posix_fadvise")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int AdviseFile(int descriptor, long offset, long length, int advice);
}
