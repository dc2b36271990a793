using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>Writes rows through the C API, a fixed number a statement, the last few one by one.</summary>
internal sealed class EngineRows
{
    private readonly StatementCache m_statements;
    private readonly string m_one;
    private readonly string m_many;
    private readonly int m_numbers;
    private readonly long[] m_values;
    private readonly string?[] m_texts;
    private int m_used;

    /// <param name="statements">Of the database.</param>
    /// <param name="insert">The text of the statement up to the rows.</param>
    /// <param name="numbers">Columns that are numbers; they come first.</param>
    /// <param name="texts">Columns that are texts: 0 or 1.</param>
    /// <param name="rows">Rows a statement.</param>
    internal EngineRows(StatementCache statements, string insert, int numbers, int texts, int rows)
    {
        var row = $"({string.Join(", ", Enumerable.Repeat('?', numbers + texts))})";
        m_statements = statements;
        m_one = insert + row;
        m_many = insert + string.Join(", ", Enumerable.Repeat(row, rows));
        m_numbers = numbers;
        m_values = new long[rows * numbers];
        m_texts = new string?[rows * texts];
    }

    /// <summary>Adds a row.</summary>
    internal void Add(string? text, params ReadOnlySpan<long> numbers)
    {
        if (m_texts.Length > 0)
            m_texts[m_used / m_numbers] = text;
        numbers.CopyTo(m_values.AsSpan(m_used));
        m_used += m_numbers;
        if (m_used < m_values.Length)
            return;

        m_used = 0;
        Write(m_many, 0, m_values.Length / m_numbers);
    }

    /// <summary>Writes what is left.</summary>
    internal void Flush()
    {
        for (var row = 0; row < m_used / m_numbers; row++)
            Write(m_one, row, 1);
        m_used = 0;
    }

    private void Write(string sql, int first, int count)
    {
        using var insert = m_statements.Take(sql);
        var parameter = 1;
        for (var row = first; row < first + count; row++)
        {
            for (var i = 0; i < m_numbers; i++)
                insert.Bind(parameter++, m_values[(row * m_numbers) + i]);
            if (m_texts.Length > 0)
                insert.Bind(parameter++, m_texts[row]);
        }

        insert.Execute();
    }
}
