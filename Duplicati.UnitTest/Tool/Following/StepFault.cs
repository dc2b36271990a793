// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Reliability.PowerLoss;
using SQLitePCL;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>What happens to an operation at a step.</summary>
internal enum FaultKind
{
    /// <summary>The disk is full from then on: no file grows, neither of the database nor of the remote folder.</summary>
    Full,

    /// <summary>The remote folder does nothing any more.</summary>
    Remote,

    /// <summary>Ctrl+C.</summary>
    Cancel,

    /// <summary>The process is gone: what it has left until then is all there is.</summary>
    Kill,
}

/// <summary>
/// Lets something happen at the n-th step of what runs in this call chain: a call of the remote folder, before it is done or after it, or a
/// write of SQLite to the database. Before the end of it nothing else may write to the database.
/// </summary>
internal sealed class StepFault : IDisposable
{
    private readonly Lock m_lock = new();
    private readonly CancellationTokenSource m_stop = new();
    private readonly DiskRecorder m_recorder;
    private readonly FaultKind m_kind;
    private readonly int m_at;
    private readonly Action m_kill;

    /// <param name="folder">Where the database is.</param>
    /// <param name="kind">What happens.</param>
    /// <param name="at">The step, from 1.</param>
    /// <param name="kill">Keeps what a process that is killed at the step leaves.</param>
    internal StepFault(string folder, FaultKind kind, int at, Action kill)
    {
        (m_kind, m_at, m_kill) = (kind, at, kill);
        RemoteFolder.Through.Value = inner => new Folder(inner, this);
        m_recorder = new DiskRecorder(folder)
        {
            Fault = () => kind != FaultKind.Remote && IsAt(false) && kind == FaultKind.Full ? raw.SQLITE_FULL : raw.SQLITE_OK,
        };
    }

    /// <summary>Interrupts when it is the step for it.</summary>
    internal CancellationToken Token => m_stop.Token;

    /// <summary>Steps taken so far.</summary>
    internal int Steps { get; private set; }

    public void Dispose()
    {
        RemoteFolder.Through.Value = null;
        m_recorder.Dispose();
        m_stop.Dispose();
    }

    // Whether the step has come; with a full disk and a remote folder that is gone it stays so.
    private bool IsAt(bool isDone)
    {
        lock (m_lock)
        {
            if (++Steps != m_at)
                return Steps > m_at && !isDone;
        }

        if (m_kind == FaultKind.Cancel)
            m_stop.Cancel();
        if (m_kind == FaultKind.Kill)
            EngineFiles.Do(m_kill);
        return true;
    }

    private void Remote(bool grows, bool isDone = false)
    {
        if (!IsAt(isDone))
            return;
        if (m_kind == FaultKind.Full && grows)
            throw new IOException("No space left on device", 28);
        if (m_kind == FaultKind.Remote)
            throw new IOException("The remote folder does not answer.");
    }

    private sealed class Folder(IRemoteFolder folder, StepFault fault) : WatchedFolder(folder, _ => fault.Remote(grows: false))
    {
        public override async Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
        {
            fault.Remote(grows: false);
            return await base.ListAsync(token);
        }

        public override async Task PutAsync(string name, string localPath, CancellationToken token)
        {
            fault.Remote(grows: true);
            await base.PutAsync(name, localPath, token);
            fault.Remote(grows: false, isDone: true);
        }

        public override async Task DeleteAsync(string name, CancellationToken token)
        {
            fault.Remote(grows: false);
            await base.DeleteAsync(name, token);
            fault.Remote(grows: false, isDone: true);
        }

        public override async Task MoveAsync(string from, string to, CancellationToken token)
        {
            fault.Remote(grows: false);
            await base.MoveAsync(from, to, token);
            fault.Remote(grows: false, isDone: true);
        }
    }
}
