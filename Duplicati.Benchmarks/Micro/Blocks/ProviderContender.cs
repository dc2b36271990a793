namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Commands of the provider, synchronously.</summary>
internal sealed class ProviderContender : BlockContender
{
    private readonly ProviderStatements m_statements;
    private readonly string[] m_texts;
    private readonly long[] m_sizes;

    public ProviderContender(BlockQuestions questions, ProviderStatements statements)
        : base(questions)
    {
        m_statements = statements;
        m_texts = questions.Texts;
        m_sizes = questions.Sizes;
    }

    public override void Begin() => m_statements.Execute(BlockTableSql.Begin);

    public override void Commit() => m_statements.Execute(BlockTableSql.Commit);

    public override long Select(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
            sum = Fold(sum, Find(i));
        return sum;
    }

    public override void Insert(int first, int count)
    {
        for (var i = first; i < first + count; i++)
            Insert(BlockBenchmarkSql.Insert, i);
    }

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        for (var i = first; i < first + count; i++)
        {
            if (Find(i) < 0)
                added += Insert(BlockBenchmarkSql.Insert, i);
        }

        return added;
    }

    public override long InsertThenSelect(int first, int count)
    {
        var sum = 0L;
        for (var i = first; i < first + count; i++)
        {
            Insert(BlockBenchmarkSql.InsertOrIgnore, i);
            sum = Fold(sum, Find(i));
        }

        return sum;
    }

    public override long Join(long blocksetId) => m_statements.Read(
        BlockBenchmarkSql.JoinBlockset,
        static (reader, sum) => Fold(sum, reader.GetInt64(2) + reader.GetString(1)[0]),
        ("@BlocksetId", blocksetId));

    protected override void AddBlockset(int file, int first, int count, long blocksize)
    {
        var id = m_statements.Scalar(BlockBenchmarkSql.InsertBlockset, ("@Length", count * blocksize), ("@FullHash", FileHash(file)));
        for (var i = 0; i < count; i++)
            m_statements.Execute(BlockBenchmarkSql.Link, ("@BlocksetId", id), ("@Index", (long)i), ("@Hash", m_texts[first + i]), ("@Size", blocksize));
    }

    private long Find(int i) => m_statements.Scalar(BlockBenchmarkSql.Find, ("@Hash", m_texts[i]), ("@Size", m_sizes[i]));

    private int Insert(string sql, int i) => m_statements.Execute(sql, ("@Hash", m_texts[i]), ("@Size", m_sizes[i]), ("@VolumeId", Volume));
}
