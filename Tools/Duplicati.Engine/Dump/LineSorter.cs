// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Dump;

/// <summary>
/// Sorts ASCII lines by a key and by themselves, keeping duplicates; more than fit in memory go through a temporary database.
/// </summary>
/// <remarks>Memory: at most <see cref="MAX_CHARACTERS"/> characters. Time: n log n. Not thread safe.</remarks>
internal sealed class LineSorter : IDisposable
{
    /// <summary>Sorts before every character of a key, so a key sorts before those it begins.</summary>
    private const char KEY_END = '\t';

    private const int MAX_CHARACTERS = 32 * 1024 * 1024;

    private readonly int m_maxCharacters;
    private readonly List<string> m_lines = [];
    private int m_characters;
    private SqliteConnection? m_spool;
    private SqliteTransaction? m_transaction;

    /// <summary>Makes an empty sorter.</summary>
    /// <param name="maxCharacters">How much to keep in memory.</param>
    public LineSorter(int maxCharacters = MAX_CHARACTERS) => m_maxCharacters = maxCharacters;

    /// <summary>Adds a line.</summary>
    /// <param name="line">ASCII text without a tab.</param>
    /// <param name="key">What it is sorted by first, ASCII text without a tab.</param>
    public void Add(string line, string key = "")
    {
        m_lines.Add(key.Length == 0 ? line : $"{key}{KEY_END}{line}");
        m_characters += key.Length + line.Length;
        if (m_characters > m_maxCharacters)
            Spill();
    }

    /// <summary>The lines in order. Nothing may be added afterwards.</summary>
    /// <returns>The lines, streamed.</returns>
    public IEnumerable<string> Sorted()
    {
        if (m_spool == null)
        {
            m_lines.Sort(StringComparer.Ordinal);
            return m_lines.Select(WithoutKey);
        }
        Spill();
        return DumpQuery.Rows(m_spool, DatabaseDumpReader.READ_SPOOL, row => WithoutKey(row.GetString(0)));
    }

    /// <summary>Frees the temporary database.</summary>
    public void Dispose()
    {
        m_transaction?.Dispose();
        m_spool?.Dispose();
    }

    private static string WithoutKey(string line) => line[(line.IndexOf(KEY_END) + 1)..];

    private void Spill()
    {
        if (m_spool == null)
        {
            // A database without a name is a private file that SQLite removes when it is closed.
            m_spool = new SqliteConnection("Data Source=;Pooling=False");
            m_spool.Open();
            using var create = m_spool.CreateCommand();
            create.CommandText = DatabaseDumpReader.CREATE_SPOOL;
            create.ExecuteNonQuery();
            m_transaction = m_spool.BeginTransaction();
        }
        using var insert = m_spool.CreateCommand();
        insert.CommandText = DatabaseDumpReader.SPOOL;
        var parameter = insert.Parameters.Add("$line", SqliteType.Text);
        foreach (var line in m_lines)
        {
            parameter.Value = line;
            insert.ExecuteNonQuery();
        }
        m_lines.Clear();
        m_characters = 0;
    }
}
