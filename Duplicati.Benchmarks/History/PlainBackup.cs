using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.History;

/// <summary>The rows of one more version by prepared statements through the provider. A new blockset and a new file are committed, as their definition says.</summary>
internal sealed class PlainBackup : IDisposable
{
    private readonly PlainStatements m_plain;
    private readonly HistoryShape m_shape;
    private readonly Dictionary<string, SqliteCommand> m_commands = new(ReferenceEqualityComparer.Instance);

    public PlainBackup(PlainStatements plain, HistoryShape shape)
    {
        m_plain = plain;
        m_shape = shape;
    }

    /// <summary>Adds the version, within the transaction that is open and is left open.</summary>
    /// <param name="changed">Files with new content.</param>
    /// <returns>The bytes that the files had.</returns>
    public long Run(int changed)
    {
        var list = Scalar(PlainBackupSql.InsertVolume, HistoryBackup.ListName, "Files");
        var blocks = Scalar(PlainBackupSql.InsertVolume, HistoryBackup.BlocksName, "Blocks");
        var fileset = Scalar(PlainBackupSql.InsertFileset, VersionedBackup.Time(m_shape.Versions), list);
        var bytes = 0L;
        foreach (var file in m_shape.Source)
        {
            var (id, modified, length) = Find(file);
            bytes += length;
            if (file.Turn < changed)
                AddFile(fileset, file.PrefixId, file.Name, AddContent(file.Turn, blocks), HistoryBackup.MetadataOfNew, modified);
            else
                Execute(PlainBackupSql.InsertEntry, fileset, id, modified);
        }

        for (var folder = 1; folder <= m_shape.Folders; folder++)
            AddFile(fileset, m_shape.Folders + 1, HistoryBackup.FolderName(folder), HistoryBackup.FolderBlockset, HistoryBackup.MetadataOfFolder(folder), 0L);
        Execute(PlainBackupSql.SetFull, fileset);
        return bytes;
    }

    public void Dispose()
    {
        foreach (var command in m_commands.Values)
            command.Dispose();
    }

    private (long Id, long Modified, long Length) Find(HistoryFile file)
    {
        using var reader = Command(PlainBackupSql.FindEntry, file.PrefixId, file.Name, (long)m_shape.Versions).ExecuteReader();
        if (!reader.Read())
            return (-1, 0, -1);
        _ = (reader.GetString(3), reader.GetInt64(4));
        return (reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2));
    }

    private long AddContent(int number, long volume)
    {
        var (hash, content) = (m_shape.NewHash(number), HistoryBackup.NewContent(number));
        if (Scalar(PlainBackupSql.FindBlock, hash, (long)VersionedBackup.BlockBytes) < 0)
            Execute(PlainBackupSql.InsertBlock, hash, (long)VersionedBackup.BlockBytes, volume);
        var blockset = Scalar(PlainBackupSql.FindBlockset, content, (long)VersionedBackup.BlockBytes);
        if (blockset >= 0)
            return blockset;
        blockset = Scalar(PlainBackupSql.InsertBlockset, content, (long)VersionedBackup.BlockBytes);
        Execute(PlainBackupSql.InsertBlocksetEntry, blockset, hash, (long)VersionedBackup.BlockBytes);
        Commit();
        return blockset;
    }

    private void AddFile(long fileset, long prefixId, string name, long blockset, long metadata, long modified)
    {
        var id = Scalar(PlainBackupSql.FindFile, prefixId, name, blockset, metadata);
        if (id < 0)
        {
            id = Scalar(PlainBackupSql.InsertFile, prefixId, name, blockset, metadata);
            Commit();
        }

        Execute(PlainBackupSql.InsertEntry, fileset, id, modified);
    }

    private void Commit()
    {
        Execute(BlockTableSql.Commit);
        Execute(BlockTableSql.Begin);
    }

    private void Execute(string sql, params ReadOnlySpan<object> values) => Command(sql, values).ExecuteNonQuery();

    private long Scalar(string sql, params ReadOnlySpan<object> values) => Command(sql, values).ExecuteScalar() is long value ? value : -1;

    private SqliteCommand Command(string sql, params ReadOnlySpan<object> values)
    {
        if (!m_commands.TryGetValue(sql, out var command))
            m_commands.Add(sql, command = m_plain.Prepare(sql, values.Length));
        for (var i = 0; i < values.Length; i++)
            command.Parameters[i].Value = values[i];
        return command;
    }
}
