#nullable enable

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>A statement that delivers rows by ascending key in its first column, as one side of a merge.</summary>
internal sealed class KeyCursor
{
    private readonly Statement m_rows;

    /// <summary>Stands on the first row.</summary>
    internal KeyCursor(Statement rows)
    {
        m_rows = rows;
        Next();
    }

    /// <summary>The key of the present row; the largest number after the last one.</summary>
    internal long Key { get; private set; }

    /// <summary>True when no row is left.</summary>
    internal bool IsAtEnd { get; private set; }

    /// <summary>The present row.</summary>
    internal Statement Row => m_rows;

    /// <summary>True if the present row has this key.</summary>
    internal bool IsAt(long key) => !IsAtEnd && Key == key;

    /// <summary>Goes to the next row.</summary>
    internal void Next()
    {
        IsAtEnd = !m_rows.Step();
        Key = IsAtEnd ? long.MaxValue : m_rows.GetInt64(0);
    }
}
