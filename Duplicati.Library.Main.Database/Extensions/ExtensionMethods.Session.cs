// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Data;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

public static partial class ExtensionMethods
{
    /// <summary>An empty command in the current transaction of a database object.</summary>
    /// <param name="self">The connection.</param>
    /// <param name="rtr">The transaction.</param>
    /// <returns>The command.</returns>
    internal static SqliteCommand CreateCommand(this SqliteConnection self, ReusableTransaction rtr) =>
        self.CreateCommand().SetTransaction(rtr);

    /// <summary>Binds a command to the current transaction of a database object, which is another one after every commit.</summary>
    /// <param name="self">The command.</param>
    /// <param name="rtr">The transaction.</param>
    /// <returns>The command.</returns>
    internal static SqliteCommand SetTransaction(this SqliteCommand self, ReusableTransaction rtr)
    {
        // A cancelled write makes the engine roll back. What follows must not run outside any transaction; the next member says it.
        lock (rtr.Session.ConnectionLock)
            rtr.Session.RecoverForCommand();
        return self.SetTransaction(rtr.Transaction);
    }

    /// <summary>Replaces a parameter by a list of values, or by a look-up in the list's temporary table.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The list; it must live until the command has run.</param>
    /// <param name="cancellationToken">Cancels.</param>
    /// <returns>The command.</returns>
    internal static async Task<SqliteCommand> ExpandInClauseParameterMssqliteAsync(
        this SqliteCommand cmd,
        string originalParamName,
        TemporaryDbValueList values,
        CancellationToken cancellationToken
    )
    {
        if (!values.IsTableCreated)
            return cmd.ExpandInClauseParameterMssqlite(originalParamName, values.Values);
        var table = await values.GetInClauseAsync(cancellationToken).ConfigureAwait(false);
        cmd.CommandText = CommandText.ReplaceParameter(cmd.CommandText, originalParamName, table);
        return cmd;
    }

    /// <summary>Replaces a parameter by a list of values, or by a look-up in the list's temporary table.</summary>
    /// <param name="cmd">The command.</param>
    /// <param name="originalParamName">The parameter with its <c>@</c>. It is replaced as plain text, so no other name may begin with
    /// it.</param>
    /// <param name="values">The list; it must live until the command has run.</param>
    /// <returns>The command.</returns>
    internal static IDbCommand ExpandInClauseParameter(this IDbCommand cmd, string originalParamName, TemporaryDbValueList values)
    {
        if (!values.IsTableCreated)
            return cmd.ExpandInClauseParameter(originalParamName, values.Values);
        cmd.CommandText = CommandText.ReplaceParameter(
            cmd.CommandText,
            originalParamName,
            values.GetInClauseAsync(CancellationToken.None).Await()
        );
        return cmd;
    }
}
