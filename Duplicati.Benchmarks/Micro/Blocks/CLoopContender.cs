using System.Text;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The C API from a loop in C: one call from here for many questions. Statements are prepared once a call.</summary>
internal sealed unsafe class CLoopContender : BlockContender
{
    private readonly StatementCache m_statements;
    private readonly nint m_database;
    private readonly byte[] m_utf8;
    private readonly long[] m_sizes;

    public CLoopContender(BlockQuestions questions, StatementCache statements)
        : base(questions)
    {
        m_statements = statements;
        m_database = statements.Connection.Handle!.DangerousGetHandle();
        m_utf8 = questions.Utf8;
        m_sizes = questions.Sizes;
    }

    public override void Begin() => m_statements.Execute(BlockTableSql.Begin);

    public override void Commit() => m_statements.Execute(BlockTableSql.Commit);

    public override long Select(int first, int count)
    {
        var select = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, long*, int, long>)CompiledLoop.Function("loop_select");
        fixed (byte* sql = Sql(BlockTableSql.Find), texts = m_utf8)
        fixed (long* sizes = m_sizes)
            return select(m_database, sql, texts + ((nint)first * BlockKeys.TextBytes), sizes + first, count);
    }

    public override void Insert(int first, int count) => Insert(null, first, count);

    public override long SelectThenInsert(int first, int count) => Insert(BlockTableSql.Find, first, count);

    public override long InsertThenSelect(int first, int count)
    {
        var insert = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, long*, int, long, long>)CompiledLoop.Function("loop_insert_select");
        fixed (byte* find = Sql(BlockTableSql.Find), add = Sql(BlockBenchmarkSql.InsertOrIgnoreNative), texts = m_utf8)
        fixed (long* sizes = m_sizes)
            return insert(m_database, find, add, texts + ((nint)first * BlockKeys.TextBytes), sizes + first, count, Volume);
    }

    public override long Join(long blocksetId)
    {
        var join = (delegate* unmanaged[Cdecl]<nint, byte*, long, long>)CompiledLoop.Function("loop_join");
        fixed (byte* sql = Sql(BlockBenchmarkSql.JoinBlocksetNative))
            return join(m_database, sql, blocksetId);
    }

    public override void AddBlocksets(int files, int blocks, long blocksize)
    {
        var names = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, files).Select(FileHash)));
        var link = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, byte*, int, int, long, long>)CompiledLoop.Function("loop_link");
        fixed (byte* add = Sql(BlockBenchmarkSql.InsertBlocksetNative), entry = Sql(BlockBenchmarkSql.LinkNative), file = names, texts = m_utf8)
            link(m_database, add, entry, file, texts, files, blocks, blocksize);
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize) =>
        throw new NotSupportedException("All blocksets are added by one call.");

    private long Insert(string? findSql, int first, int count)
    {
        var insert = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, long*, int, long, long>)CompiledLoop.Function("loop_insert");
        fixed (byte* find = findSql is null ? null : Sql(findSql), add = Sql(BlockTableSql.Insert), texts = m_utf8)
        fixed (long* sizes = m_sizes)
            return insert(m_database, find, add, texts + ((nint)first * BlockKeys.TextBytes), sizes + first, count, Volume);
    }

    private static byte[] Sql(string text) => Encoding.UTF8.GetBytes(text + "\0");
}
