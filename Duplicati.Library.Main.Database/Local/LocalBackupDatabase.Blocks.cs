// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalBackupDatabase
{
    private static readonly Task<bool> s_true = Task.FromResult(true);
    private static readonly Task<bool> s_false = Task.FromResult(false);
    private static readonly Task<long> s_notFound = Task.FromResult(-1L);

    /// <summary>The id of a live block, or -1. Completes synchronously, from memory where possible.</summary>
    public Task<long> FindBlockIDAsync(string key, long size, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<long>(token);

        using var timer = Profile("FindBlockID");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                var id = m_blocks.Find(key, size, token);
                return id < 0 ? s_notFound : Task.FromResult(id);
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<long>(ex);
        }
    }

    /// <summary>
    /// Makes a block live. True: it is new and its data must be stored in the volume. False: it is stored already, also if it was
    /// deleted but is still there. Completes synchronously, allocates nothing. Does not commit.
    /// </summary>
    public Task<bool> AddBlockAsync(string key, long size, long volumeid, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<bool>(token);

        using var timer = Profile("AddBlock");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                return m_blocks.Add(key, size, volumeid, token) ? s_true : s_false;
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }

    /// <summary>Books a live block to another volume. Completes synchronously. Does not commit.</summary>
    /// <exception cref="Exception">The block is not in the source volume.</exception>
    public Task MoveBlockToVolumeAsync(string blockkey, long size, long sourcevolumeid, long targetvolumeid, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        using var timer = Profile("MoveBlockToVolume");
        try
        {
            lock (Session.ConnectionLock)
                m_blocks.Move(blockkey, size, sourcevolumeid, targetvolumeid, token);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }

    /// <summary>
    /// True if a fileset other than the current one uses this blocklist, or if it has been asked about on this instance before.
    /// Completes synchronously; the first call reads the blocklists of the database.
    /// </summary>
    public Task<bool> IsBlocklistHashKnownAsync(string hash, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<bool>(token);

        using var timer = Profile("IsBlocklistHashKnown");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                return m_knownBlocklists.IsKnown(hash, m_filesetId) ? s_true : s_false;
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }
}
