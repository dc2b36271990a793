// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Marks rows of the block list. A mark is one statement; totals are kept beside it.</summary>
internal sealed class BlockMarker : LocalRestoreDatabase.IBlockMarker
{
    // The key of the block list, Block by id.
    private const string SetRestored = """
        UPDATE temp."RestoreBlock" SET "Restored" = 1
        WHERE "Metadata" = ?1 AND "FileID" = ?2 AND "Index" = ?3 AND "Restored" = 0 AND "Size" = ?4
            AND (SELECT b."Hash" FROM "Block" b WHERE b."ID" = "RestoreBlock"."BlockID") = ?5
        """;

    // The key of the block list; rows that have the value already are not written.
    private const string SetAllOfFile = """
        UPDATE temp."RestoreBlock" SET "Restored" = ?3 WHERE "Metadata" = ?1 AND "FileID" = ?2 AND "Restored" <> ?3
        """;

    private readonly DatabaseSession m_session;
    private readonly RestoreFileList m_list;
    private readonly Action<string> m_commit;
    private bool m_changed;

    internal BlockMarker(DatabaseSession session, RestoreFileList list, Action<string> commit)
    {
        m_session = session;
        m_list = list;
        m_commit = commit;
    }

    // Whoever uses it builds it first: a rollback may have taken it with it.
    private RestoreBlockList Blocks => m_list.Blocks;

    private RestoreProgress Progress => Blocks.Progress;

    public Task SetBlockRestoredAsync(long targetfileid, long index, string hash, long blocksize, bool metadata, CancellationToken token)
    {
        try
        {
            token.ThrowIfCancellationRequested();
            lock (m_session.ConnectionLock)
            {
                m_session.ThrowIfRolledBack();
                MarkBlock(targetfileid, index, hash, blocksize, metadata);
            }

            return Task.CompletedTask;
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }
        catch (Exception ex)
        {
            return m_session.Failed<bool>(ex);
        }
    }

    public Task SetAllBlocksMissingAsync(long targetfileid, CancellationToken token) =>
        m_session.ShortAsync(_ => MarkAll(targetfileid, false, true), token);

    public Task SetAllBlocksRestoredAsync(long targetfileid, bool includeMetadata, CancellationToken token) =>
        m_session.ShortAsync(_ => MarkAll(targetfileid, true, includeMetadata), token);

    public Task SetFileDataVerifiedAsync(long targetfileid, CancellationToken token) =>
        m_session.ShortAsync(
            _ =>
            {
                var changed = m_list.SetDataVerified(targetfileid);
                if (changed != 1)
                    throw new Exception($"Unexpected number of files marked as verified: {changed}, expected 1 (file id {targetfileid}).");
            },
            token
        );

    public Task CommitAsync(CancellationToken token) => m_session.ShortAsync(_ => m_commit("CommitBlockMarker"), token);

    public Task UpdateProcessedAsync(IOperationProgressUpdater writer, CancellationToken token)
    {
        if (!m_changed)
            return Task.CompletedTask;

        m_changed = false;
        var totals = m_session.ShortAsync(
            _ =>
            {
                Blocks.Build();
                return Progress.Totals();
            },
            token
        );
        return ReportAsync(writer, totals);
    }

    public void Dispose() { }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static async Task ReportAsync(IOperationProgressUpdater writer, Task<(long Files, long Bytes)> totals)
    {
        var (files, bytes) = await totals.ConfigureAwait(false);
        writer.UpdatefilesProcessed(files, bytes);
    }

    private void MarkBlock(long file, long index, string hash, long size, bool isMetadata)
    {
        Blocks.Build();
        if (!isMetadata)
            Progress.Touch(file);

        using var update = m_session.Take(SetRestored);
        var changed = update.Bind(1, isMetadata ? 1 : 0).Bind(2, file).Bind(3, index).Bind(4, size).Bind(5, hash).ExecuteNonQuery();
        if (changed != 1)
            throw new Exception(
                $"Unexpected number of blocks marked as restored: {changed}, expected 1 (file id {file}, index {index}, hash {hash}, size {size}, metadata {isMetadata})."
            );

        m_changed = true;
        if (!isMetadata)
            Progress.Restored(file, 1, size);
    }

    private void MarkAll(long file, bool restored, bool withMetadata)
    {
        Blocks.Build();
        Progress.Touch(file);
        var data = Count(file, false);
        var rows = data.Rows + (withMetadata ? Count(file, true).Rows : 0);
        if (rows == 0)
            throw new Exception($"Unexpected number of blocks marked as {(restored ? "restored" : "missing")}: 0 (file id {file}).");

        SetAll(file, false, restored);
        if (withMetadata)
            SetAll(file, true, restored);
        m_changed = true;
        if (restored)
            Progress.Restored(file, data.Rows - data.Restored, data.Bytes - data.RestoredBytes);
        else
            Progress.Restored(file, -data.Restored, -data.RestoredBytes);
    }

    private (long Rows, long Restored, long RestoredBytes, long Bytes) Count(long file, bool isMetadata)
    {
        using var count = m_session.Take(RestoreBlockList.CountOfFile);
        count.Bind(1, isMetadata ? 1 : 0).Bind(2, file);
        return count.Read() ? (count.GetInt64(0), count.GetInt64(1), count.GetInt64(2), count.GetInt64(3)) : default;
    }

    private void SetAll(long file, bool isMetadata, bool restored)
    {
        using var update = m_session.Take(SetAllOfFile);
        update.Bind(1, isMetadata ? 1 : 0).Bind(2, file).Bind(3, restored ? 1 : 0).ExecuteNonQuery();
    }
}
