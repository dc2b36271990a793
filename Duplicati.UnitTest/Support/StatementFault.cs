// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Support;

/// <summary>A call one of whose statements fails.</summary>
internal static class StatementFault
{
    /// <summary>Fails the n-th step of a call. The error has to come out, alone or as a cause, and statements are put back.</summary>
    /// <param name="statements">Of the connection.</param>
    /// <param name="n">How many steps go well before.</param>
    /// <param name="code">The result code.</param>
    /// <param name="call">The call.</param>
    /// <returns>The statement that failed, null if there were not so many; and what the call threw.</returns>
    internal static async Task<(string? Failed, Exception? Error)> FailAsync(StatementCache statements, int n, int code, Func<Task> call)
    {
        var step = 0;
        string? failed = null;
        var open = statements.OpenStatements;
        statements.Fault = sql => step++ == n && (failed = sql) is not null ? code : raw.SQLITE_OK;
        Exception? error = null;
        try
        {
            await call();
        }
        catch (Exception ex)
        {
            error = ex;
        }

        statements.Fault = null;
        var cause = error;
        while (cause is not (null or SqliteException))
            cause = cause.InnerException;
        if (failed is null)
            Assert.That(error, Is.Null);
        else if (error is not null || !MayFailInSilence(failed))
            Assert.That((cause as SqliteException)?.SqliteErrorCode, Is.EqualTo(code), $"statement {n}, {error}: {failed}");
        Assert.That(statements.OpenStatements, Is.LessThan(open + 100), $"statement {n}: statements are put back");
        return (failed, error);
    }

    // A temporary table that is not removed cannot outlive the connection.
    private static bool MayFailInSilence(string sql) =>
        sql.StartsWith("DELETE FROM temp.", StringComparison.Ordinal)
        || sql.StartsWith("DROP TABLE IF EXISTS temp.", StringComparison.Ordinal);
}
