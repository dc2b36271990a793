// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>Answers of one number, such as those of pragmas.</summary>
internal static class SingleNumber
{
    /// <summary>The first column of the first row; 0 if there is none. For constant texts, as the statement stays prepared.</summary>
    internal static long ReadNumber(this StatementCache statements, string sql)
    {
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }
}
