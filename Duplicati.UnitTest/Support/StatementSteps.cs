// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

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

/// <summary>
/// Cancels its token while the n-th step of the statements of a connection runs, or of those that count, and notes the statements of the
/// steps after it.
/// </summary>
internal sealed class CancelAtStep : IDisposable
{
    private readonly StatementCache m_statements;
    private readonly CancellationTokenSource m_source = new();
    private readonly List<string> m_later = [];
    private int m_step;

    internal CancelAtStep(StatementCache statements, int n, Func<string, bool>? counts = null)
    {
        m_statements = statements;
        statements.Fault = sql =>
        {
            if ((counts is null || counts(sql)) && m_step++ == n)
                m_source.Cancel();
            else if (IsCancelled)
                m_later.Add(sql);
            return 0;
        };
    }

    internal CancellationToken Token => m_source.Token;

    /// <summary>False if there were fewer steps.</summary>
    internal bool IsCancelled => m_source.IsCancellationRequested;

    /// <summary>Each statement once, without rollbacks and settings; the one that ran may be among them, with its further rows.</summary>
    internal string[] Later =>
        [
            .. m_later
                .Distinct()
                .Where(x => !x.StartsWith("ROLLBACK", StringComparison.Ordinal) && !x.StartsWith("PRAGMA", StringComparison.Ordinal)),
        ];

    /// <summary>Steps are not watched any more; what was seen stays.</summary>
    internal void End() => m_statements.Fault = null;

    public void Dispose()
    {
        End();
        m_source.Dispose();
    }
}

/// <summary>Another connection that commits at the worst moment: after a member has read, and before it writes or takes the lock.</summary>
internal static class OtherCommit
{
    internal static void BeforeTheFirstWrite(LocalDatabase database, Action commit)
    {
        var isDone = false;
        database.Session.Statements.Fault = sql =>
        {
            if (isDone || sql.TrimStart().StartsWith("SELECT", StringComparison.OrdinalIgnoreCase))
                return 0;
            isDone = true;
            commit();
            return 0;
        };
    }
}
