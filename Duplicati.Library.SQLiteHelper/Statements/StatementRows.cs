// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>Answers of many rows.</summary>
internal static class StatementRows
{
    /// <summary>Reads to the end.</summary>
    /// <param name="rows">The statement, with its parameters bound.</param>
    /// <param name="row">Makes something of the row at hand; a static delegate allocates nothing.</param>
    internal static List<T> ReadAll<T>(this Statement rows, Func<Statement, T> row)
    {
        var result = new List<T>();
        while (rows.Read())
            result.Add(row(rows));
        return result;
    }
}
