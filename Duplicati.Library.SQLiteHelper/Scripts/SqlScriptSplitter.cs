// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>Splits a script into statements.</summary>
/// <remarks>
/// A semicolon ends a statement unless it is in a literal, a quoted identifier, a comment or the body of a trigger. The body of a
/// trigger ends with a semicolon, the word END and another semicolon, which tells it from the END of a CASE; this is the rule of
/// sqlite3_complete (https://sqlite.org/c3ref/complete.html).
/// </remarks>
internal static class SqlScriptSplitter
{
    /// <summary>Splits a script. Linear in its length.</summary>
    /// <param name="script">SQL, with directives already resolved.</param>
    /// <returns>The statements in order; pieces without any token are left out.</returns>
    public static List<SqlStatement> Split(string script)
    {
        var statements = new List<SqlStatement>();
        var tokens = new SqlTokenizer(script);
        var current = new Piece();
        while (tokens.Read())
            if (current.IsEndedBy(tokens.Kind, tokens.Text, tokens.Start))
            {
                if (!current.IsEmpty)
                    statements.Add(current.ToStatement(script));
                current = new Piece();
            }
            else
                current.End = tokens.End;
        if (!current.IsEmpty)
            statements.Add(current.ToStatement(script));
        return statements;
    }

    /// <summary>Where in a trigger the scan is.</summary>
    private enum TriggerState
    {
        NoTrigger,
        Inside,
        BehindSemicolon,
        BehindEnd,
    }

    /// <summary>The statement being read.</summary>
    private struct Piece
    {
        private int m_start;
        private int m_tokens;
        private bool m_create;
        private TriggerState m_trigger;
        private SqlStatementKind m_kind;

        /// <summary>Offset behind the last token.</summary>
        public int End { get; set; }

        public readonly bool IsEmpty => m_tokens == 0;

        public readonly SqlStatement ToStatement(string script) => new(script[m_start..End], m_kind);

        /// <summary>Takes the next token, unless it ends the statement.</summary>
        public bool IsEndedBy(SqlTokenKind kind, ReadOnlySpan<char> text, int start)
        {
            if (kind == SqlTokenKind.Semicolon && m_trigger is (TriggerState.NoTrigger or TriggerState.BehindEnd))
                return true;
            if (m_tokens++ == 0)
                Begin(kind, text, start);
            else if (m_trigger != TriggerState.NoTrigger)
                FollowTrigger(kind, text);
            else if (m_create)
                FollowCreate(kind, text);
            return false;
        }

        private void Begin(SqlTokenKind kind, ReadOnlySpan<char> text, int start)
        {
            m_start = start;
            m_create = kind == SqlTokenKind.Word && Is(text, "CREATE");
            m_kind = kind == SqlTokenKind.Word ? KindOf(text) : SqlStatementKind.Ordinary;
        }

        /// <summary>Only TEMP and TEMPORARY may stand between CREATE and TRIGGER.</summary>
        private void FollowCreate(SqlTokenKind kind, ReadOnlySpan<char> text)
        {
            if (kind == SqlTokenKind.Word && Is(text, "TRIGGER"))
                m_trigger = TriggerState.Inside;
            m_create = kind == SqlTokenKind.Word && (Is(text, "TEMP") || Is(text, "TEMPORARY"));
        }

        private void FollowTrigger(SqlTokenKind kind, ReadOnlySpan<char> text) =>
            m_trigger =
                kind == SqlTokenKind.Semicolon ? TriggerState.BehindSemicolon
                : m_trigger == TriggerState.BehindSemicolon && kind == SqlTokenKind.Word && Is(text, "END") ? TriggerState.BehindEnd
                : TriggerState.Inside;

        private static SqlStatementKind KindOf(ReadOnlySpan<char> word) =>
            Is(word, "BEGIN") || Is(word, "COMMIT") || Is(word, "END") ? SqlStatementKind.TransactionControl
            : Is(word, "VACUUM") ? SqlStatementKind.Vacuum
            : Is(word, "PRAGMA") ? SqlStatementKind.Pragma
            : SqlStatementKind.Ordinary;

        private static bool Is(ReadOnlySpan<char> word, string keyword) => word.Equals(keyword, StringComparison.OrdinalIgnoreCase);
    }
}

/// <summary>How a statement of a script behaves towards transactions.</summary>
internal enum SqlStatementKind
{
    /// <summary>Runs in the transaction.</summary>
    Ordinary,

    /// <summary>Begins or ends a transaction of the script's own.</summary>
    TransactionControl,

    /// <summary>Cannot run in a transaction.</summary>
    Vacuum,

    /// <summary>May have no effect in a transaction.</summary>
    Pragma,
}

/// <summary>One statement of a script.</summary>
/// <param name="Text">The statement from its first to its last token, without the semicolon that ends it.</param>
/// <param name="Kind">How it behaves towards transactions.</param>
internal readonly record struct SqlStatement(string Text, SqlStatementKind Kind);
