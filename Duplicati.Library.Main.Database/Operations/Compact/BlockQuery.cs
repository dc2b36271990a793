// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>Whether blocks found in a downloaded volume are still needed. One cached statement a question; allocates nothing.</summary>
internal sealed class BlockQuery : LocalDeleteDatabase.IBlockQuery
{
    // BlockHashSize.
    private const string VolumeOfBlock = """SELECT "VolumeID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    private const long AnyVolume = -1;

    private static readonly Task<bool> s_yes = Task.FromResult(true);
    private static readonly Task<bool> s_no = Task.FromResult(false);

    private readonly DatabaseSession m_session;

    internal BlockQuery(DatabaseSession session) => m_session = session;

    public Task<bool> UseBlockAsync(string hash, long size, long volumeId, CancellationToken token)
    {
        try
        {
            token.ThrowIfCancellationRequested();
            lock (m_session.ConnectionLock)
            {
                m_session.LockForAnswers(token);
                return IsUsed(hash, size, volumeId) ? s_yes : s_no;
            }
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled<bool>(token);
        }
        catch (Exception ex)
        {
            return m_session.Failed<bool>(ex);
        }
    }

    public void Dispose() { }

    private bool IsUsed(string hash, long size, long volume)
    {
        using var row = m_session.Take(VolumeOfBlock);
        return row.Bind(1, hash).Bind(2, size).Read() && (volume == AnyVolume || row.GetInt64(0) == volume);
    }
}
