// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Sync;

public partial class LocalSyncDatabase
{
    /// <summary>A file of the destination.</summary>
    public sealed record InventoryItem
    {
        /// <summary>The path, with forward slashes.</summary>
        public required string RelativePath { get; set; } = "";

        /// <summary>Bytes.</summary>
        public required long Size { get; set; }

        /// <summary>When it changed (UTC).</summary>
        public required DateTime LastModified { get; set; }

        /// <summary>The hash of its content, or null.</summary>
        public required string? ContentHash { get; set; }
    }

    /// <summary>A transfer that was begun and is not known to have ended.</summary>
    public sealed record PendingOperationEntry
    {
        /// <summary>Row id.</summary>
        public required long ID { get; set; }

        /// <summary>The path of the file, with forward slashes.</summary>
        public required string Path { get; set; } = "";

        /// <summary>What was begun.</summary>
        public required SyncOperation Operation { get; set; }

        /// <summary>Bytes, or null.</summary>
        public required long? Size { get; set; }

        /// <summary>The hash of the content, or null.</summary>
        public required string? Hash { get; set; }

        /// <summary>When it was begun last (UTC, whole seconds).</summary>
        public required DateTime StartedAt { get; set; }

        /// <summary>How often it was begun again.</summary>
        public required int Attempts { get; set; }
    }

    /// <summary>One thing that a synchronization has to do.</summary>
    public sealed record SyncPlanRow
    {
        /// <summary>The path below the source or destination, with forward slashes.</summary>
        public required string RelativePath { get; set; }

        /// <summary>The path of the local file; empty for a deletion.</summary>
        public required string AbsolutePath { get; set; }

        /// <summary>Bytes of the local file, or of the one to be deleted.</summary>
        public required long Size { get; set; }

        /// <summary>When that file changed (UTC).</summary>
        public required DateTime LastModifiedUtc { get; set; }

        /// <summary>What to do.</summary>
        public required SyncOperation Operation { get; set; }

        /// <summary>The known hash of the file at the destination, or null.</summary>
        public required string? RemoteContentHash { get; set; }

        /// <summary>Whether the files look equal and only their hashes are to be compared.</summary>
        public bool HashRecheckOnly { get; set; }
    }

    /// <summary>A temporary table that is removed when this is disposed.</summary>
    public sealed class TempTable : IAsyncDisposable
    {
        private readonly SqliteConnection m_connection;
        private bool m_disposed;

        internal TempTable(SqliteConnection connection, string name)
        {
            m_connection = connection;
            Name = name;
        }

        /// <summary>Its name, without quotes.</summary>
        public string Name { get; }

        /// <summary>Removes the table. Errors are ignored: it ends with the connection anyway. May be called more than once.</summary>
        public ValueTask DisposeAsync()
        {
            if (m_disposed)
                return ValueTask.CompletedTask;

            m_disposed = true;
            try
            {
                SyncPlan.DropTable(m_connection, Name);
            }
            catch (Exception ex) when (ex is SqliteException or ObjectDisposedException or InvalidOperationException)
            {
                // A rollback or the end of the connection has removed the table, or a reader keeps it until the connection ends.
            }

            return ValueTask.CompletedTask;
        }
    }
}
