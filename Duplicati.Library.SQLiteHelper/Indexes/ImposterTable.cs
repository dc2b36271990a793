#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>An index while it is a table. See <see cref="ImposterTables"/>.</summary>
/// <remarks>Same thread rules as the connection. Of use only while <see cref="ImposterTables.During"/> lasts.</remarks>
public sealed class ImposterTable : IDisposable
{
    private const string Text = "TEXT";
    private static readonly string[] s_types = ["INTEGER", Text];

    private readonly StatementCache m_statements;
    private readonly IReadOnlyList<ImposterColumn> m_columns;
    private readonly IReadOnlyList<ImposterColumn> m_key;
    private readonly Dictionary<string, Statement> m_prepared = new(StringComparer.Ordinal);

    private ImposterTable(StatementCache statements, ImposterEntry entry, IReadOnlyList<ImposterColumn> columns)
    {
        m_statements = statements;
        Entry = entry;
        m_columns = columns;
        // Entries of one text, such as a hash, are few.
        m_key = columns[0].Type == Text ? [columns[0]] : columns;
    }

    /// <summary>Entries that were removed.</summary>
    public long Deleted { get; private set; }

    /// <summary>The row of the schema.</summary>
    internal ImposterEntry Entry { get; }

    /// <summary>What it becomes for a while.</summary>
    internal string Definition => ImposterSql.Definition(Entry.Imposter, m_columns);

    /// <summary>Its entries from start to end in parts, in the order of the index. Each part is found when it is asked for.</summary>
    /// <param name="entries">Entries of a part, about.</param>
    public IEnumerable<ImposterRange> Ranges(int entries)
    {
        for (var from = ReadKey(Take(ImposterSql.First(Entry.Imposter, m_key, m_columns))); from is not null;)
        {
            var behind = Take(ImposterSql.Behind(Entry.Imposter, m_key, m_columns));
            Bind(behind, 1, from).Bind(1 + m_key.Count, entries);
            var next = ReadKey(behind);
            yield return new ImposterRange(from, next);
            from = next;
        }
    }

    /// <summary>
    /// The entries of a part whose ids are absent from the set of <see cref="AbsentIds"/>, in the order of the index: a statement with all
    /// columns, the id at the end, that is to be reset and not disposed of. The part may be one of another index with the same first column.
    /// </summary>
    public Statement SelectAbsent(ImposterRange range)
    {
        ArgumentNullException.ThrowIfNull(range);
        return Bind(Take(ImposterSql.SelectAbsent(Entry.Imposter, m_key, m_columns, range.End is not null)), range);
    }

    /// <summary>
    /// Inserts the entries of a part whose ids are absent from the set into another table, in the order of the index; in the place of the id
    /// comes its value of <see cref="IdValues"/>.
    /// </summary>
    /// <returns>Number of rows.</returns>
    /// <exception cref="SqliteException">There is such a row, or an id has no value (code 11).</exception>
    public long CopyAbsent(ImposterRange range, string into, params string[] columns)
    {
        ArgumentNullException.ThrowIfNull(range);
        return Bind(Take(ImposterSql.CopyAbsent(Entry.Imposter, m_key, m_columns, range.End is not null, into, columns)), range).Execute();
    }

    /// <summary>Notes the first column of each entry as the value of its id, see <see cref="IdValues"/>. Linear in the table.</summary>
    public void NoteValues() => Take(ImposterSql.Note(Entry.Imposter, m_columns)).ExecuteInt64();

    /// <summary>Removes the entries of a part whose ids are absent from the set. The engine saves each page that is changed, in memory, until this has ended.</summary>
    public void DeleteAbsent(ImposterRange range)
    {
        ArgumentNullException.ThrowIfNull(range);
        Deleted += Bind(Take(ImposterSql.DeleteAbsent(Entry.Imposter, m_key, m_columns, range.End is not null)), range).Execute();
    }

    /// <summary>Removes, from an index of one column, those with a value of it and a run of ids. Logarithmic in the table.</summary>
    public void DeleteRun(long value, long firstId, long lastId) =>
        Deleted += Take(ImposterSql.DeleteRun(Entry.Imposter, m_columns)).Bind(1, value).Bind(2, firstId).Bind(3, lastId).Execute();

    /// <summary>Finalizes its statements.</summary>
    public void Dispose()
    {
        foreach (var statement in m_prepared.Values)
            statement.Dispose();
        m_prepared.Clear();
    }

    /// <summary>The indexes of a table; null if one of them is of a kind that is not known, or there is none.</summary>
    internal static List<ImposterTable>? ListOf(StatementCache statements, string table)
    {
        var imposters = new List<ImposterTable>();
        using var list = statements.Take(ImposterSql.Indexes);
        list.Bind(1, table);
        while (list.Step())
        {
            if (list.GetString(4) is not { } sql)
                return null;

            var entry = new ImposterEntry(list.GetInt64(0), list.GetString(1)!, list.GetString(2)!, list.GetInt64(3), sql);
            if (NameExists(statements, entry.Imposter) || ReadColumns(statements, entry) is not { Count: > 0 } columns)
                return null;
            imposters.Add(new ImposterTable(statements, entry, columns));
        }

        return imposters.Count > 0 ? imposters : null;
    }

    /// <summary>True if the index has these columns and no others.</summary>
    internal bool HasColumns(string[] columns) => m_columns.Select(x => x.Name).SequenceEqual(columns, StringComparer.OrdinalIgnoreCase);

    /// <summary>Adds the entries of the table's rows behind a row id.</summary>
    internal void AddAfter(long rowId)
    {
        try
        {
            Take(ImposterSql.Add(Entry.Imposter, m_columns, Entry.Table)).Bind(1, rowId).Execute();
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Constraint)
        {
            var columns = string.Join(", ", m_columns.Where(x => x.IsInKey).Select(x => $"{Entry.Table}.{x.Name}"));
            throw new SqliteException($"SQLite Error {ex.SqliteErrorCode}: 'UNIQUE constraint failed: {columns}' in {m_statements.Connection.DataSource}", ex.SqliteErrorCode, ex.SqliteExtendedErrorCode);
        }
    }

    private static bool NameExists(StatementCache statements, string name)
    {
        using var exists = statements.Take(ImposterSql.NameExists);
        return exists.Bind(1, name).ExecuteInt64(0) != 0;
    }

    // Null if one of them is an expression, may be NULL, or is not sorted by its bytes and upwards, or if the index has not all rows.
    private static List<ImposterColumn>? ReadColumns(StatementCache statements, ImposterEntry entry)
    {
        var columns = new List<ImposterColumn>();
        using var list = statements.Take(ImposterSql.Columns);
        list.Bind(1, entry.Table).Bind(2, entry.Index);
        while (list.Step())
        {
            var type = list.GetString(1)!.ToUpperInvariant();
            if (list.GetInt64(3) != 0 || !s_types.Contains(type))
                return null;
            columns.Add(new ImposterColumn(list.GetString(0)!, type, list.GetInt64(2) != 0));
        }

        return columns;
    }

    private Statement Take(string sql)
    {
        if (!m_prepared.TryGetValue(sql, out var statement))
            m_prepared.Add(sql, statement = m_statements.Prepare(sql));
        return statement;
    }

    private object[]? ReadKey(Statement row)
    {
        var key = row.Step() ? m_key.Select((x, i) => x.Type == Text ? row.GetString(i)! : (object)row.GetInt64(i)).ToArray() : null;
        row.Reset();
        return key;
    }

    private static Statement Bind(Statement statement, ImposterRange range) =>
        range.End is null ? Bind(statement, 1, range.Start) : Bind(Bind(statement, 1, range.Start), 1 + range.Start.Length, range.End);

    private static Statement Bind(Statement statement, int first, object[] key)
    {
        for (var i = 0; i < key.Length; i++)
            _ = key[i] is string text ? statement.Bind(first + i, text) : statement.Bind(first + i, (long)key[i]);
        return statement;
    }
}

/// <summary>Entries of an index from one on, and before another one.</summary>
/// <remarks>From <see cref="ImposterTable.Ranges"/>.</remarks>
public sealed class ImposterRange
{
    internal ImposterRange(object[] start, object[]? end)
    {
        Start = start;
        End = end;
    }

    internal object[] Start { get; }

    internal object[]? End { get; }
}

/// <summary>A row of the schema.</summary>
/// <param name="RowId">Its row id.</param>
/// <param name="Index">Name of the index.</param>
/// <param name="Table">Name of its table.</param>
/// <param name="RootPage">Its first page.</param>
/// <param name="Sql">Its definition.</param>
internal sealed record ImposterEntry(long RowId, string Index, string Table, long RootPage, string Sql)
{
    /// <summary>The name of the index while it is a table.</summary>
    internal string Imposter => "imposter_of_" + Index;
}

/// <summary>A column of an index.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">Its type, in capitals.</param>
/// <param name="IsInKey">False for what a unique index has behind the columns that are unique.</param>
internal readonly record struct ImposterColumn(string Name, string Type, bool IsInKey);
