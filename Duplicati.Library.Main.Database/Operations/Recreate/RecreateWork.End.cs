// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The end of a recreate: what is not used goes, and the indexes that were left out are built.</summary>
internal sealed partial class RecreateWork
{
    /// <summary>
    /// Removes lost blocks, books unused ones as deleted, builds the deferred indexes, and commits: of many blocks also before each of
    /// these indexes, so that an interruption from then on costs one index at most. The file is marked until it has all of them.
    /// </summary>
    internal Task RemoveUnusedBlocksAsync(Action<string> commit, CancellationToken token) =>
        m_session.LongAsync(
            _ =>
            {
                m_cleanup.RemoveUnusedBlocks(token);
                ForgetRows();
                m_indexes.Restore(commit, token);
                commit("CleanupDeletedBlocksAsync");
            },
            token
        );

    /// <summary>Builds the indexes that an interrupted recreate has not come to, although it had done everything else. Commits.</summary>
    internal Task BuildIndexesAsync(Action<string> commit, CancellationToken token) =>
        m_session.LongAsync(
            session =>
            {
                session.BeginWriting();
                m_indexes.Restore(commit, token);
                commit("BuildDeferredIndexes");
            },
            token
        );

    // The file is completed when it is opened the next time; a disposal must not hide the error that led to it.
    private void RestoreForDispose()
    {
        if (m_session.Connection.State != System.Data.ConnectionState.Open)
            return;

        try
        {
            m_session.RecoverTransaction();
            m_indexes.RestoreIfSmall();
        }
        catch (SqliteException ex)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "FailedToRestoreIndexes",
                ex,
                "Failed to build the indexes of the new database: {0}",
                ex.Message
            );
        }
    }
}
