// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database.Sync;

public partial class LocalSyncDatabase
{
    /// <summary>Enters a file of the destination, or replaces what is known of it.</summary>
    /// <param name="relativePath">Its path, with forward slashes.</param>
    /// <param name="size">Bytes.</param>
    /// <param name="lastModified">When it changed; stored in UTC.</param>
    /// <param name="contentHash">The hash of its content; null if not known.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public Task UpsertInventoryAsync(
        string relativePath,
        long size,
        DateTime lastModified,
        string? contentHash,
        CancellationToken cancellationToken
    ) => m_session.ShortAsync(session => InventoryWrites.Upsert(session, relativePath, size, lastModified, contentHash), cancellationToken);

    /// <summary>Enters or replaces many files, such as those of one folder, in one transaction.</summary>
    internal Task UpsertInventoryAsync(IReadOnlyCollection<InventoryItem> items, CancellationToken cancellationToken) =>
        m_session.ShortAsync(
            session =>
                SyncTransaction.Run(
                    session,
                    () =>
                    {
                        foreach (var item in items)
                            InventoryWrites.Upsert(session, item.RelativePath, item.Size, item.LastModified, item.ContentHash);
                    }
                ),
            cancellationToken
        );

    /// <summary>Forgets a file of the destination, if it is known.</summary>
    public Task RemoveInventoryAsync(string relativePath, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => InventoryWrites.Remove(session, relativePath), cancellationToken);

    /// <summary>A file of the destination, or null.</summary>
    public Task<InventoryItem?> GetInventoryItemAsync(string relativePath, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => InventoryReads.Find(session, relativePath), cancellationToken);

    /// <summary>The files directly in a folder, compared exactly. A range of an index, except for the top folder.</summary>
    /// <param name="folder">The folder without a slash at its end; null or empty for the top.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    public IAsyncEnumerable<InventoryItem> GetInventoryItemsInFolderAsync(string? folder, CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(session => InventoryReads.InFolder(session, folder), cancellationToken);

    /// <summary>All files of the destination.</summary>
    public IAsyncEnumerable<InventoryItem> GetInventoryAsync(CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(InventoryReads.All, cancellationToken);

    /// <summary>Whether any file of the destination is known.</summary>
    public Task<bool> HasAnyInventoryAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(InventoryReads.Any, cancellationToken);

    /// <summary>Records a transfer that begins; for a path with a transfer already, replaces it and counts one more attempt.</summary>
    public Task UpsertPendingOperationAsync(
        string path,
        SyncOperation operation,
        long? size,
        string? hash,
        CancellationToken cancellationToken
    ) => m_session.ShortAsync(session => PendingOperations.Upsert(session, path, operation, size, hash), cancellationToken);

    /// <summary>Forgets the transfer of a path, if there is one.</summary>
    public Task RemovePendingOperationAsync(string path, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => PendingOperations.Remove(session, path), cancellationToken);

    /// <summary>Forgets all transfers.</summary>
    public Task ClearPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(PendingOperations.Clear, cancellationToken);

    /// <summary>Whether there is any transfer.</summary>
    public Task<bool> HasAnyPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.ShortAsync(PendingOperations.Any, cancellationToken);

    /// <summary>The transfer of a path, or null.</summary>
    public Task<PendingOperationEntry?> GetPendingOperationAsync(string path, CancellationToken cancellationToken) =>
        m_session.ShortAsync(session => PendingOperations.Find(session, path), cancellationToken);

    /// <summary>All transfers.</summary>
    public IAsyncEnumerable<PendingOperationEntry> GetPendingOperationsAsync(CancellationToken cancellationToken) =>
        m_session.SnapshotAsync(PendingOperations.All, cancellationToken);
}
