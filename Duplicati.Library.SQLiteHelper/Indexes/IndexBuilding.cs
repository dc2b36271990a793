// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>Single indexes that were left out, in the caller's transaction.</summary>
internal static class IndexBuilding
{
    // Primary key.
    private const string Definition = """SELECT "Sql" FROM "DeferredIndex" WHERE "Name" = ?1""";

    // Primary key.
    private const string ForgetSql = """DELETE FROM "DeferredIndex" WHERE "Name" = ?1""";

    // At most some twenty rows.
    private const string ListRememberedSql = """
        SELECT "Name" FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) ORDER BY rowid
        """;

    // The schema table is small and in memory.
    private const string IndexExists = """SELECT 1 FROM "sqlite_master" WHERE "type" = 'index' AND "name" = ?1 COLLATE NOCASE""";

    private const string CreateIndex = "CREATE INDEX";

    /// <summary>Drops an index; false if a statement is open on the connection, which prevents it (code 6).</summary>
    internal static bool TryDrop(StatementCache statements, string name)
    {
        try
        {
            // A name cannot be bound; it is one from the schema, in quotes.
            statements.Execute($"DROP INDEX {SqlName.Quote(name)}");
            return true;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Locked)
        {
            return false;
        }
    }

    internal static List<string> ListRemembered(StatementCache statements, string? table)
    {
        using var list = statements.Take(ListRememberedSql);
        return list.Bind(1, table).ReadAll(static row => row.GetString(0)!);
    }

    /// <summary>
    /// Builds an index from the definition that the file remembers, and forgets it. Nothing is built if it is there, or if what is
    /// remembered is no definition of it.
    /// </summary>
    internal static void Build(StatementCache statements, string name)
    {
        string? sql;
        using (var definition = statements.Take(Definition))
            sql = definition.Bind(1, name).ExecuteString();

        // The file may come from anybody, so that only what makes this index is run.
        if (sql != null && IndexDefinition.NameOf(sql) == name)
            Create(statements, name, sql);
        Forget(statements, name);
    }

    /// <summary>Runs a definition unless there is an index of its name, as IF NOT EXISTS would.</summary>
    internal static void Create(StatementCache statements, string name, string sql)
    {
        using (var exists = statements.Take(IndexExists))
        {
            if (exists.Bind(1, name).ExecuteInt64(0) != 0)
                return;
        }

        var watch = OperationWatch.Start(CreateIndex, statements, isActivity: true);
        try
        {
            statements.Execute(sql);
            watch?.End();
        }
        catch (Exception ex)
        {
            watch?.Fail(ex);
            throw;
        }
    }

    internal static void Forget(StatementCache statements, string name)
    {
        using var forget = statements.Take(ForgetSql);
        forget.Bind(1, name).ExecuteNonQuery();
    }
}

/// <summary>How the rows of indexes are sorted until this is disposed: in memory of few rows, in short runs in files of many.</summary>
internal readonly struct IndexSort : IDisposable
{
    // Row id; the last row.
    private const string LastBlock = """SELECT MAX("ID") FROM "Block" """;

    // Sorting takes about 100 bytes a row of memory, or temporary files in runs of the size of the page cache.
    private const long RowsToSortInMemory = 500_000;

    private readonly PassingSetting m_runs;
    private readonly PassingSetting m_storage;

    private IndexSort(StatementCache statements, long rows)
    {
        m_storage = rows < RowsToSortInMemory ? default : TemporaryStorage.InFiles(statements);
        try
        {
            m_runs = SortRuns.Shorten(statements);
        }
        catch (SqliteException)
        {
            m_storage.Dispose();
            throw;
        }
    }

    /// <summary>For tables that have as many rows as there are blocks.</summary>
    internal static IndexSort Begin(StatementCache statements) => new(statements, statements.ReadNumber(LastBlock));

    /// <summary>For tables of about so many rows.</summary>
    internal static IndexSort Begin(StatementCache statements, long rows) => new(statements, rows);

    public void Dispose()
    {
        m_runs.Dispose();
        m_storage.Dispose();
    }
}

/// <summary>Tells statements that make an index from others.</summary>
internal static class IndexDefinition
{
    private const string Quotes = "\"'`[";

    /// <summary>The name of the index that a text makes.</summary>
    /// <returns>The name without quotes; null if the text is not exactly one CREATE INDEX.</returns>
    internal static string? NameOf(string sql)
    {
        if (SqlScriptSplitter.Split(sql) is not [var statement])
            return null;

        var tokens = new SqlTokenizer(statement.Text);
        if (!Next(ref tokens, "CREATE"))
            return null;

        var isIndex = Next(ref tokens, "INDEX");
        if (!isIndex && !(Is(tokens, "UNIQUE") && Next(ref tokens, "INDEX")))
            return null;

        if (Next(ref tokens, "IF") && !(Next(ref tokens, "NOT") && Next(ref tokens, "EXISTS") && tokens.Read()))
            return null;
        return Unquoted(tokens.Text);
    }

    /// <summary>The indexes that statements make, by name, with the statement.</summary>
    internal static IEnumerable<(string Name, string Sql)> In(IEnumerable<string> statements)
    {
        foreach (var sql in statements)
        {
            if (NameOf(sql) is { } name)
                yield return (name, sql);
        }
    }

    private static bool Next(ref SqlTokenizer tokens, string word) => tokens.Read() && Is(tokens, word);

    private static bool Is(SqlTokenizer tokens, string word) =>
        tokens.Kind == SqlTokenKind.Word && tokens.Text.Equals(word, StringComparison.OrdinalIgnoreCase);

    private static string Unquoted(ReadOnlySpan<char> text)
    {
        if (text.Length < 2 || !Quotes.Contains(text[0]))
            return text.ToString();

        var quote = text[^1].ToString();
        return text[1..^1].ToString().Replace(quote + quote, quote, StringComparison.Ordinal);
    }
}
