// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Linq;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>Replaces a parameter by one parameter for each value of a list, for use inside <c>IN ( )</c>.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The values; none gives an empty list, which no value is in.</param>
    /// <returns>The command.</returns>
    /// <exception cref="ArgumentException">The name lacks its <c>@</c>.</exception>
    public static SqliteCommand ExpandInClauseParameterMssqlite<T>(this SqliteCommand cmd, string originalParamName, IEnumerable<T> values)
    {
        ((IDbCommand)cmd).ExpandInClauseParameter(originalParamName, values);
        return cmd;
    }

    /// <summary>Replaces a parameter by one parameter for each value of a list, for use inside <c>IN ( )</c>.</summary>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The values; none gives an empty list, which no value is in.</param>
    /// <returns>The command.</returns>
    /// <exception cref="ArgumentException">The name lacks its <c>@</c>.</exception>
    public static IDbCommand ExpandInClauseParameter<TValue>(this IDbCommand cmd, string originalParamName, IEnumerable<TValue> values)
    {
        var items = values.ToArray();
        var names = CommandText.ItemNames(originalParamName, items.Length);
        cmd.CommandText = CommandText.ReplaceParameter(cmd.CommandText, originalParamName, string.Join(", ", names));
        if (cmd.Parameters.Contains(originalParamName))
            cmd.Parameters.RemoveAt(originalParamName);
        for (var i = 0; i < items.Length; i++)
            cmd.AddNamedParameter(names[i], items[i] as object ?? DBNull.Value);
        return cmd;
    }
}
