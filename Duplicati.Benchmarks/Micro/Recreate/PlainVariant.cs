using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>The provider's prepared commands, row by row, all indexes in place: the baseline. No text formatting, no logging, no async.</summary>
internal sealed class PlainVariant : IRebuildVariant
{
    private readonly SqliteConnection m_connection;
    private readonly Dictionary<string, SqliteCommand> m_commands = [];
    private SqliteTransaction m_transaction;

    internal PlainVariant(string path)
    {
        LocalDatabase.CreateLocalDatabaseAsync(path, null, true, null, CancellationToken.None).ContinueWith(_ => { }, TaskScheduler.Default).Await();
        m_connection = Library.SQLiteHelper.SQLiteLoader.LoadConnectionAsync(path).Await();
        m_transaction = m_connection.BeginTransaction(deferred: true);
        Execute(PlainVariantSql.Stage);
    }

    public void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
            Run(PlainVariantSql.AddVolume, i, $"dup-b{i}.dblock.zip");
    }

    public long AddBlockset(string hash, long length, string[] lists)
    {
        if (Run(PlainVariantSql.FindBlockset, hash, length) is long known)
            return known;

        var id = (long)Run(PlainVariantSql.AddBlockset, hash, length)!;
        for (var i = 0; i < lists.Length; i++)
            Run(PlainVariantSql.AddBlocklistHash, id, i, lists[i]);
        return id;
    }

    public long AddMetadata(string hash, long length) => (long)Run(PlainVariantSql.AddMetadata, AddBlockset(hash, length, []))!;

    public void AddFile(string name, long blockset, long metadata)
    {
        var file = Run(PlainVariantSql.FindFile, name, blockset, metadata) ?? Run(PlainVariantSql.AddFile, name, blockset, metadata);
        Run(PlainVariantSql.AddEntry, file!);
    }

    public void AddLink(string hash, long size) => Run(PlainVariantSql.AddLink, hash, size);

    public void UpdateBlock(string hash, long size, long volume)
    {
        if (Run(PlainVariantSql.FindBlock, hash, size) is null)
            Run(PlainVariantSql.AddBlock, hash, size, volume);
    }

    public void AddList(string hash, string[] entries)
    {
        if (Run(PlainVariantSql.FindList, hash) is not null)
            return;
        for (var i = 0; i < entries.Length; i++)
            Run(PlainVariantSql.AddListEntry, hash, entries[i], i);
    }

    public void Commit()
    {
        m_transaction.Commit();
        m_transaction.Dispose();
        m_transaction = m_connection.BeginTransaction(deferred: true);
    }

    public void Resolve()
    {
        Execute(PlainVariantSql.Resolve);
        Commit();
    }

    public void Cleanup()
    {
        Execute(PlainVariantSql.Cleanup);
        Commit();
    }

    public void Dispose()
    {
        foreach (var command in m_commands.Values)
            command.Dispose();
        m_transaction.Dispose();
        m_connection.Dispose();
    }

    private object? Run(string sql, params ReadOnlySpan<object> values)
    {
        if (!m_commands.TryGetValue(sql, out var command))
        {
            command = m_connection.CreateCommand();
            command.CommandText = sql;
            for (var i = 0; i < values.Length; i++)
                command.Parameters.Add(new SqliteParameter($"@p{i}", null));
            m_commands.Add(sql, command);
        }

        command.Transaction = m_transaction;
        for (var i = 0; i < values.Length; i++)
            command.Parameters[i].Value = values[i];
        return command.ExecuteScalar();
    }

    private void Execute(string sql)
    {
        using var command = m_connection.CreateCommand();
        command.CommandText = sql;
        command.CommandTimeout = 0;
        command.ExecuteNonQuery();
    }
}
