// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// What members have told their caller in the open transaction, and what he may decide on: as long as it has no write lock, another
/// connection may change it. Small answers are kept as the questions that they were given to, and can be asked again; of all others only
/// that there were any.
/// </summary>
internal sealed class ToldAnswers
{
    // A transaction that has asked for more is not renewed.
    private const int MostQuestions = 20_000;

    private readonly HashSet<(string Sql, object? Value)> m_questions = [];

    /// <summary>Something was told that cannot be asked again. A plain field behind it, because it is set for every block.</summary>
    internal bool HasMore { get; set; }

    /// <summary>True if nothing was told.</summary>
    internal bool IsNothing => !HasMore && m_questions.Count == 0;

    /// <summary>Keeps a question whose answer was told.</summary>
    /// <param name="sql">A constant statement that reads.</param>
    /// <param name="value">Its parameter, a text or a number; null if it has none.</param>
    internal void Add(string sql, object? value)
    {
        if (HasMore)
            return;
        m_questions.Add((sql, value));
        HasMore = m_questions.Count > MostQuestions;
    }

    /// <summary>The transaction has ended: what was told is the caller's own affair.</summary>
    internal void Forget()
    {
        HasMore = false;
        m_questions.Clear();
    }

    /// <summary>Whether each question has the same answer on two connections.</summary>
    internal bool AreSame(StatementCache then, StatementCache now) => m_questions.All(x => IsSame(x.Sql, x.Value, then, now));

    private static bool IsSame(string sql, object? value, StatementCache then, StatementCache now)
    {
        using var old = Ask(sql, value, then);
        using var present = Ask(sql, value, now);
        while (old.Read())
        {
            if (!present.Read() || !IsSameRow(old, present))
                return false;
        }

        return !present.Read();
    }

    private static bool IsSameRow(Statement old, Statement present) =>
        Enumerable
            .Range(0, old.FieldCount)
            .All(column => old.IsDBNull(column) == present.IsDBNull(column) && old.GetUtf8(column).SequenceEqual(present.GetUtf8(column)));

    private static Statement Ask(string sql, object? value, StatementCache statements)
    {
        var statement = statements.Take(sql);
        return value switch
        {
            null => statement,
            string text => statement.Bind(1, text),
            _ => statement.Bind(1, (long)value),
        };
    }
}
