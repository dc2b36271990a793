using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>
/// What the engine alone costs: the same rows, through the C API's function pointers, many a statement, in the order in which they are
/// kept, into tables without indexes, which are built at the end in short sorted runs. Nothing is looked up, checked or parsed: which
/// block an entry means is known from how the data are made. No layer above this engine can be cheaper without leaving rows or indexes out.
/// </summary>
internal sealed class EngineVariant : IRebuildVariant
{
    private readonly SyntheticBackup m_backup;
    private readonly SqliteConnection m_connection;
    private readonly StatementCache m_statements;
    private readonly List<(string Name, string Sql)> m_indexes;
    private readonly EngineRows m_blocks;
    private readonly EngineRows m_entries;
    private long m_lastBlock;
    private long m_lastBlockset;
    private long m_lastMetadata;
    private long m_lastFile;

    internal EngineVariant(string path, SyntheticBackup backup)
    {
        m_backup = backup;
        LocalDatabase.CreateLocalDatabaseAsync(path, null, true, null, CancellationToken.None).ContinueWith(_ => { }, TaskScheduler.Default).Await();
        m_connection = SQLiteLoader.LoadConnectionAsync(path).Await();
        m_statements = new StatementCache(m_connection);
        m_statements.Execute(EngineVariantSql.Settings);
        EngineControl.ReadSortFiles(m_connection);
        m_indexes = ListIndexes();
        m_statements.Execute(EngineVariantSql.Begin);
        foreach (var (name, _) in m_indexes)
            m_statements.Execute(EngineVariantSql.Drop(name));
        m_blocks = new EngineRows(m_statements, EngineVariantSql.AddBlock, numbers: 3, texts: 1, rows: 32);
        m_entries = new EngineRows(m_statements, EngineVariantSql.AddBlocksetEntry, numbers: 3, texts: 0, rows: 64);
    }

    /// <summary>What building each index took, in the order of building.</summary>
    internal IReadOnlyList<(string Name, TimeSpan Processor)> Indexes { get; private set; } = [];

    public void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
        {
            using var insert = m_statements.Take(EngineVariantSql.AddVolume);
            insert.Bind(1, i).Bind(2, $"dup-b{i}.dblock.zip").Execute();
        }
    }

    public long AddBlockset(string hash, long length, string[] lists)
    {
        using (var insert = m_statements.Take(EngineVariantSql.AddBlockset))
            insert.Bind(1, ++m_lastBlockset).Bind(2, length).Bind(3, hash).Execute();
        for (var i = 0; i < lists.Length; i++)
        {
            using var insert = m_statements.Take(EngineVariantSql.AddBlocklistHash);
            insert.Bind(1, m_lastBlockset).Bind(2, i).Bind(3, lists[i]).Execute();
        }

        return m_lastBlockset;
    }

    public long AddMetadata(string hash, long length)
    {
        using var insert = m_statements.Take(EngineVariantSql.AddMetadata);
        insert.Bind(1, ++m_lastMetadata).Bind(2, AddBlockset(hash, length, [])).Execute();
        return m_lastMetadata;
    }

    public void AddFile(string name, long blockset, long metadata)
    {
        using (var file = m_statements.Take(EngineVariantSql.AddFile))
            file.Bind(1, ++m_lastFile).Bind(2, name).Bind(3, blockset).Bind(4, metadata).Execute();
        using var entry = m_statements.Take(EngineVariantSql.AddFilesetEntry);
        entry.Bind(1, m_lastFile).Execute();
    }

    // Known from how the data are made.
    public void AddLink(string hash, long size)
    {
    }

    public void UpdateBlock(string hash, long size, long volume) => m_blocks.Add(hash, ++m_lastBlock, size, volume);

    // Known from how the data are made.
    public void AddList(string hash, string[] entries)
    {
    }

    public void Commit()
    {
        m_blocks.Flush();
        m_statements.Execute(EngineVariantSql.CommitAndBegin);
    }

    // Blocks were added volume by volume, which is file by file; a blocklist and the metadata come after the block that ends them.
    public void Resolve()
    {
        var id = 0L;
        for (var file = 0L; file < m_backup.Files; file++)
        {
            var (blockset, blocks, hasLists) = ((2 * file) + 1, m_backup.BlocksOf(file), m_backup.ListsOf(file) > 0);
            for (var i = 0L; i < blocks; i++)
            {
                m_entries.Add(null, blockset, i, ++id);
                if (hasLists && (i == blocks - 1 || i % SyntheticBackup.EntriesInList == SyntheticBackup.EntriesInList - 1))
                    id++;
            }

            m_entries.Add(null, blockset + 1, 0, ++id);
        }

        m_entries.Flush();
        m_statements.Execute(EngineVariantSql.CommitAndBegin);
    }

    public void Cleanup()
    {
        m_statements.Execute(EngineVariantSql.ShortRuns);
        var built = new List<(string, TimeSpan)>();
        foreach (var (name, sql) in m_indexes)
        {
            var before = Environment.CpuUsage.TotalTime;
            m_statements.Execute(sql);
            built.Add((name, Environment.CpuUsage.TotalTime - before));
        }

        Indexes = built;
        m_statements.Execute(EngineVariantSql.CommitAndBegin);
    }

    public void Dispose()
    {
        m_statements.Dispose();
        m_connection.Dispose();
    }

    private List<(string Name, string Sql)> ListIndexes()
    {
        using var list = m_statements.Take(EngineVariantSql.ListIndexes);
        var result = new List<(string, string)>();
        while (list.Step())
            result.Add((list.GetString(0)!, list.GetString(1)!));
        return result;
    }
}
