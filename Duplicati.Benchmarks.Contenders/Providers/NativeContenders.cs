// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using Duplicati.Benchmarks.Micro;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Statements of this layer's own, and hashes as UTF-8.</summary>
internal abstract class StatementContender(BlockQuestions questions, SqliteConnection connection) : BlockContender(questions)
{
    protected StatementCache Statements { get; } = new(connection);

    public override void Begin() => Statements.Execute(BlockTableSql.Begin);

    public override void Commit() => Statements.Execute(BlockTableSql.Commit);

    public override void Dispose()
    {
        Statements.Dispose();
        base.Dispose();
    }
}

/// <summary>The C API through function pointers, hashes as UTF-8: no layer above the statements.</summary>
internal sealed class NativeContender(BlockQuestions questions, SqliteConnection connection) : StatementContender(questions, connection)
{
    private readonly byte[] m_utf8 = questions.Utf8;
    private readonly long[] m_sizes = questions.Sizes;

    public override long Select(int first, int count)
    {
        var sum = 0L;
        using var find = Statements.Take(BlockTableSql.Find);
        for (var i = first; i < first + count; i++)
            sum = BlockTable.Fold(sum, Find(find, i));
        return sum;
    }

    public override void Insert(int first, int count)
    {
        using var insert = Statements.Take(BlockTableSql.Insert);
        for (var i = first; i < first + count; i++)
            Insert(insert, i);
    }

    public override long SelectThenInsert(int first, int count)
    {
        var added = 0;
        using var find = Statements.Take(BlockTableSql.Find);
        using var insert = Statements.Take(BlockTableSql.Insert);
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
        using var find = Statements.Take(BlockTableSql.Find);
        using var insert = Statements.Take(BlockBenchmarkSql.InsertOrIgnoreNative);
        for (var i = first; i < first + count; i++)
        {
            Insert(insert, i);
            sum = BlockTable.Fold(sum, Find(find, i));
        }

        return sum;
    }

    public override long Join(long blocksetId)
    {
        var sum = 0L;
        using var join = Statements.Take(BlockBenchmarkSql.JoinBlocksetNative);
        join.Bind(1, blocksetId);
        while (join.Read())
            sum = BlockTable.Fold(sum, join.GetInt64(2) + join.GetUtf8(1)[0]);
        return sum;
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize)
    {
        using (var insert = Statements.Take(BlockBenchmarkSql.InsertBlocksetNative))
            insert.Bind(1, count * blocksize).Bind(2, BlockTable.FileHash(file)).ExecuteNonQuery();

        using var link = Statements.Take(BlockBenchmarkSql.LinkNative);
        link.Bind(1, Statements.LastInsertRowId);
        for (var i = 0; i < count; i++)
            link.Bind(2, (long)i).BindUtf8(3, Utf8(first + i)).Bind(4, blocksize).ExecuteNonQuery();
    }

    private ReadOnlySpan<byte> Utf8(int i) => m_utf8.AsSpan(i * BlockKeys.TextBytes, BlockKeys.TextBytes);

    private long Find(Statement find, int i) => find.BindUtf8(1, Utf8(i)).Bind(2, m_sizes[i]).ExecuteInt64();

    private int Insert(Statement insert, int i) => insert.BindUtf8(1, Utf8(i)).Bind(2, m_sizes[i]).Bind(3, Volume).ExecuteNonQuery();
}

/// <summary>The C API from a loop in C: one call from here for many questions. Statements are prepared once a call.</summary>
internal sealed unsafe class CLoopContender(BlockQuestions questions, SqliteConnection connection)
    : StatementContender(questions, connection)
{
    private readonly nint m_database = connection.Handle!.DangerousGetHandle();
    private readonly byte[] m_utf8 = questions.Utf8;
    private readonly long[] m_sizes = questions.Sizes;

    public override long Select(int first, int count)
    {
        var select = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, long*, int, long>)CompiledLoop.Function("loop_select");
        fixed (
            byte* sql = Sql(BlockTableSql.Find),
                texts = m_utf8
        )
        fixed (long* sizes = m_sizes)
            return select(m_database, sql, texts + ((nint)first * BlockKeys.TextBytes), sizes + first, count);
    }

    public override void Insert(int first, int count) => Insert(null, first, count);

    public override long SelectThenInsert(int first, int count) => Insert(BlockTableSql.Find, first, count);

    public override long InsertThenSelect(int first, int count)
    {
        var insert = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, long*, int, long, long>)
            CompiledLoop.Function("loop_insert_select");
        fixed (
            byte* find = Sql(BlockTableSql.Find),
                add = Sql(BlockBenchmarkSql.InsertOrIgnoreNative),
                texts = m_utf8
        )
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
        var names = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, files).Select(BlockTable.FileHash)));
        var link = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, byte*, int, int, long, long>)CompiledLoop.Function("loop_link");
        fixed (
            byte* add = Sql(BlockBenchmarkSql.InsertBlocksetNative),
                entry = Sql(BlockBenchmarkSql.LinkNative),
                file = names,
                texts = m_utf8
        )
            link(m_database, add, entry, file, texts, files, blocks, blocksize);
    }

    protected override void AddBlockset(int file, int first, int count, long blocksize) =>
        throw new NotSupportedException("All blocksets are added by one call.");

    private long Insert(string? findSql, int first, int count)
    {
        var insert = (delegate* unmanaged[Cdecl]<nint, byte*, byte*, byte*, long*, int, long, long>)CompiledLoop.Function("loop_insert");
        fixed (
            byte* find = findSql is null ? null : Sql(findSql),
                add = Sql(BlockTableSql.Insert),
                texts = m_utf8
        )
        fixed (long* sizes = m_sizes)
            return insert(m_database, find, add, texts + ((nint)first * BlockKeys.TextBytes), sizes + first, count, Volume);
    }

    private static byte[] Sql(string text) => Encoding.UTF8.GetBytes(text + "\0");
}

/// <summary>
/// <see cref="CompiledLoopSource"/>, compiled by the machine's C compiler (<c>cc</c>) and loaded, working on the SQLite library that is
/// loaded in this process: it gets pointers to its functions, so that neither headers nor a second SQLite are needed.
/// </summary>
internal static unsafe class CompiledLoop
{
    private static readonly string[] s_functions =
    [
        "sqlite3_prepare_v2",
        "sqlite3_step",
        "sqlite3_reset",
        "sqlite3_finalize",
        "sqlite3_bind_int64",
        "sqlite3_bind_text",
        "sqlite3_column_int64",
        "sqlite3_column_text",
        "sqlite3_last_insert_rowid",
        "sqlite3_changes",
    ];

    private static readonly nint s_library = Load();

    /// <summary>False without a compiler, or where it cannot make a library that loads.</summary>
    public static bool IsAvailable => s_library != 0;

    /// <summary>A function of the compiled text.</summary>
    public static nint Function(string name) => NativeLibrary.GetExport(s_library, name);

    private static nint Load()
    {
        using var folder = new TempFolder();
        var source = Path.Combine(folder, "loop.c");
        var library = Path.Combine(folder, "loop.so");
        File.WriteAllText(source, CompiledLoopSource.Text);
        // A library stays loaded when its file is gone.
        if (!Compile(source, library) || !NativeLibrary.TryLoad(library, out var handle))
        {
            Console.Error.WriteLine("The native C loop is left out: there is no C compiler 'cc', or what it makes does not load.");
            return 0;
        }

        var functions = stackalloc nint[s_functions.Length];
        for (var i = 0; i < s_functions.Length; i++)
            functions[i] = NativeLibrary.GetExport(SqliteEngine.Library, s_functions[i]);
        ((delegate* unmanaged[Cdecl]<nint*, void>)NativeLibrary.GetExport(handle, "loop_use"))(functions);
        return handle;
    }

    private static bool Compile(string source, string library)
    {
        try
        {
            using var compiler = Process.Start(new ProcessStartInfo("cc", ["-O2", "-shared", "-fPIC", "-o", library, source]));
            compiler?.WaitForExit();
            return compiler is { ExitCode: 0 };
        }
        catch (Win32Exception)
        {
            return false;
        }
    }
}
