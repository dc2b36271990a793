// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Common;

/// <summary>Statements that end early when they are cancelled.</summary>
internal static class Interruptible
{
    /// <summary>Runs statements of a connection.</summary>
    /// <exception cref="OperationCanceledException">They were cancelled.</exception>
    internal static T Run<T>(SqliteConnection connection, CancellationToken token, Func<T> work)
    {
        using var stop = token.Register(() => EngineControl.Interrupt(connection));
        try
        {
            return work();
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == raw.SQLITE_INTERRUPT && token.IsCancellationRequested)
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
    }
}
