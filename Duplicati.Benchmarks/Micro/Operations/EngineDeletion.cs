using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>
/// The deletion of the oldest versions when all that goes is known: prepared statements by id, blocks in the order of their hashes. What
/// this takes no way of asking can be faster than.
/// </summary>
internal sealed class EngineDeletion
{
    private readonly long[] m_filesets;
    private readonly long[] m_volumes;
    private readonly long[] m_files;
    private readonly long[] m_metadata;
    private readonly long[] m_blocksets;
    private readonly List<(long Id, byte[] Hash, long Size, long Volume)> m_blocks = [];

    private EngineDeletion(PlainStatements plain, int versions)
    {
        plain.Execute(EngineDeletionSql.MakeGoingTables);
        plain.Execute(EngineDeletionSql.FindFiles, versions);
        plain.Execute(EngineDeletionSql.FindMetadata);
        plain.Execute(EngineDeletionSql.FindBlocksets);
        m_filesets = Ids(plain, EngineDeletionSql.GoingFilesets, versions);
        m_volumes = Ids(plain, EngineDeletionSql.GoingVolumes, versions);
        m_files = Ids(plain, EngineDeletionSql.GoingFiles);
        m_metadata = Ids(plain, EngineDeletionSql.GoingMetadata);
        m_blocksets = Ids(plain, EngineDeletionSql.GoingBlocksets);
        plain.Read(EngineDeletionSql.GoingBlocks, row => m_blocks.Add((row.GetInt64(0), System.Text.Encoding.UTF8.GetBytes(row.GetString(1)), row.GetInt64(2), row.GetInt64(3))));
    }

    /// <summary>The changes, named as the steps of the layer are.</summary>
    public IReadOnlyList<(string Name, Action<StatementCache> Run)> Steps =>
    [
        (DeleteStepNames.Fileset, statements => Each(statements, EngineDeletionSql.DeleteFileset, m_filesets)),
        ("FilesetEntry", statements => Each(statements, EngineDeletionSql.DeleteEntries, m_filesets)),
        ("FileLookup", statements => Each(statements, EngineDeletionSql.DeleteFile, m_files)),
        ("Metadataset", statements => Each(statements, EngineDeletionSql.DeleteMetadata, m_metadata)),
        ("Blockset", statements => Each(statements, EngineDeletionSql.DeleteBlockset, m_blocksets)),
        ("BlocksetEntry", statements => Each(statements, EngineDeletionSql.DeleteBlocksetEntries, m_blocksets)),
        ("BlocklistHash", statements => Each(statements, EngineDeletionSql.DeleteBlocklists, m_blocksets)),
        ("Block", MoveBlocks),
        (DeleteStepNames.Remotevolume, statements => Each(statements, EngineDeletionSql.MarkVolume, m_volumes)),
    ];

    /// <summary>Finds out what goes, on a connection of its own, so that the pages are as cold as for the other ways.</summary>
    /// <param name="path">A database that nothing has open.</param>
    /// <param name="versions">The number of oldest versions that go.</param>
    public static EngineDeletion Find(string path, int versions)
    {
        using var connection = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default);
        return new EngineDeletion(new PlainStatements(connection), versions);
    }

    /// <summary>A number that says whether two deletions left the same.</summary>
    public static long CountRows(StatementCache statements)
    {
        using var count = statements.Take(EngineDeletionSql.CountRows);
        return count.ExecuteInt64();
    }

    private static long[] Ids(PlainStatements plain, string sql, params ReadOnlySpan<object> values)
    {
        var ids = new List<long>();
        plain.Read(sql, row => ids.Add(row.GetInt64(0)), values);
        return [.. ids];
    }

    private static void Each(StatementCache statements, string sql, long[] ids)
    {
        using var statement = statements.Take(sql);
        foreach (var id in ids)
            statement.Bind(1, id).Execute();
    }

    private void MoveBlocks(StatementCache statements)
    {
        using var insert = statements.Take(EngineDeletionSql.InsertDeletedBlock);
        using var delete = statements.Take(EngineDeletionSql.DeleteBlock);
        foreach (var (id, hash, size, volume) in m_blocks)
        {
            insert.BindUtf8(1, hash).Bind(2, size).Bind(3, volume).Execute();
            delete.Bind(1, id).Execute();
        }
    }
}
