// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.Support;

/// <summary>What tests look at before a step of a statement.</summary>
internal static class StatementSteps
{
    /// <summary>Calls something before each step from now on, with the text of the statement, which goes on as without it.</summary>
    internal static void Observe(this StatementCache statements, Action<string> look) =>
        statements.Fault = sql =>
        {
            look(sql);
            return 0;
        };

    /// <summary>Whether a statement builds an index.</summary>
    internal static bool BuildsIndex(string sql) =>
        sql.StartsWith("CREATE ", StringComparison.Ordinal) && sql.Contains(" INDEX ", StringComparison.Ordinal);
}
