// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.Support;

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
