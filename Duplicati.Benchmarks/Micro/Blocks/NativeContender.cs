using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The C API through function pointers, hashes as UTF-8: no layer above the statements.</summary>
internal sealed class NativeContender : BlockContender
{
    private readonly StatementCache m_statements;
    private readonly byte[] m_utf8;
    private readonly long[] m_sizes;

    public NativeContender(BlockQuestions questions, StatementCache statements)
        : base(questions)
    {
        m_statements = statements;
        m_utf8 = questions.Utf8;
        m_sizes = questions.Sizes;
    }

    public override void Begin() => m_statements.Execute(BlockTableSql.Begin);

    public override void Commit() => m_statements.Execute(BlockTableSql.Commit);

    public override long Select(int first, int count)
    {
        var sum = 0L;
        using var find = m_statements.Take(BlockTableSql.Find);
        for (var i = first; i < first + count; i++)
            sum = Fold(sum, Find(find, i));
        return sum;
    }

    public override void Insert(int first, int count)
    {
        using var insert = m_statements.Take(BlockTableSql.Insert);
        for (var i = first; i < first + count; i++)
            Insert(insert, i);
    }

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        using var find = m_statements.Take(BlockTableSql.Find);
        using var insert = m_statements.Take(BlockTableSql.Insert);
        for (var i = first; i < first + count; i++)
        {
            if (Find(find, i) < 0)
                added += Insert(insert, i);
        }

        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        using var find = m_statements.Take(BlockTableSql.Find);
        using var insert = m_statements.Take(BlockBenchmarkSql.InsertOrIgnoreNative);
        for (var i = first; i < first + count; i++)
        {
            Insert(insert, i);
            sum = Fold(sum, Find(find, i));
        }

        return sum;
    }

    public override long Join(long blocksetId)
    {
        var sum = 0L;
        using var join = m_statements.Take(BlockBenchmarkSql.JoinBlocksetNative);
        join.Bind(1, blocksetId);
        while (join.Step())
            sum = Fold(sum, join.GetInt64(2) + join.GetUtf8(1)[0]);
        return sum;
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize)
    {
        using (var insert = m_statements.Take(BlockBenchmarkSql.InsertBlocksetNative))
            insert.Bind(1, count * blocksize).Bind(2, FileHash(file)).Execute();

        using var link = m_statements.Take(BlockBenchmarkSql.LinkNative);
        link.Bind(1, m_statements.LastInsertRowId);
        for (var i = 0; i < count; i++)
            link.Bind(2, (long)i).BindUtf8(3, Utf8(first + i)).Bind(4, blocksize).Execute();
    }

    private ReadOnlySpan<byte> Utf8(int i) => m_utf8.AsSpan(i * BlockKeys.TextBytes, BlockKeys.TextBytes);

    private long Find(Statement find, int i) => find.BindUtf8(1, Utf8(i)).Bind(2, m_sizes[i]).ExecuteInt64();

    private int Insert(Statement insert, int i) => insert.BindUtf8(1, Utf8(i)).Bind(2, m_sizes[i]).Bind(3, Volume).Execute();
}
