// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>
/// The state in which each volume was last told to the caller, also in a transaction that has ended since: he has decided on it, and must
/// not write the outcome over a state that another connection has set meanwhile. And the volumes that he is making: if another connection
/// takes one of them for left over and removes it, its id, and that of the version it lists, may be given to something else.
/// </summary>
internal sealed class ToldStates : ITransactionCache
{
    private readonly DatabaseSession m_session;
    private readonly Dictionary<string, (RemoteVolumeState State, long Transaction)> m_states = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> m_made = new(StringComparer.Ordinal);

    // What a rollback takes back of them: the id that a name had before, or none, of each change in a transaction.
    private readonly Stack<(string Name, long? Id)> m_madeBefore = [];
    private long m_madeChangedIn = -1;
    private long m_externalWrites = -1;

    private ToldStates(DatabaseSession session)
    {
        m_session = session;
        session.BeginNoticingOthers();
        session.OthersCommitted += ThrowIfMadeIsGone;
    }

    /// <summary>Those of a session.</summary>
    internal static ToldStates Of(DatabaseSession session) => session.Service(static owner => new ToldStates(owner));

    /// <summary>A state is told.</summary>
    internal void Tell(string name, RemoteVolumeState state)
    {
        if (m_externalWrites != m_session.ExternalWriteCount)
            Forget();
        m_states[name] = (state, m_session.TransactionCount);
    }

    /// <summary>The caller has set a state.</summary>
    internal void Set(string name, RemoteVolumeState state)
    {
        Tell(name, state);
        if (!IsMade(state))
            SetMade(name, null);
    }

    /// <summary>The caller has registered a volume.</summary>
    internal void Register(string name, long id, RemoteVolumeState state)
    {
        Set(name, state);
        if (IsMade(state))
            SetMade(name, id);
    }

    /// <summary>The caller has given a volume another name.</summary>
    internal void Rename(string name, string newName)
    {
        m_states.Clear();
        if (!m_made.TryGetValue(name, out var id))
            return;
        SetMade(name, null);
        SetMade(newName, id);
    }

    /// <summary>The caller has removed volumes, and perhaps changed the states of others with them.</summary>
    internal void Remove(IEnumerable<string> names)
    {
        m_states.Clear();
        foreach (var name in names)
            SetMade(name, null);
    }

    /// <summary>To be called with the write lock, before the caller's new state of a volume is written.</summary>
    /// <exception cref="SqliteException">Code 5, extended 517: another connection has set another state than the caller was
    /// told.</exception>
    internal void ThrowIfChanged(string name)
    {
        if (
            m_externalWrites != m_session.ExternalWriteCount
            || !m_states.TryGetValue(name, out var told)
            || !m_session.OthersMayHaveChanged(told.Transaction)
        )
            return;

        using var select = m_session.Take(VolumeWrites.StateSql);
        var state = select.Bind(1, name).ExecuteString();
        if (state is not null && state != told.State.ToString() && !HasOnlyBeenSeen(told.State, state))
            throw m_session.Outdated($"the volume {name} is {state} and was told to be {told.State}");
    }

    /// <summary>After a rollback, which has taken back what was registered, renamed and removed in the transaction.</summary>
    public void Discard()
    {
        m_states.Clear();
        if (m_madeChangedIn != m_session.TransactionCount - 1)
            return;

        while (m_madeBefore.TryPop(out var before))
            Put(before.Name, before.Id);
    }

    /// <summary>Forgets all: the rows were changed in another way, as by statements of others on this connection.</summary>
    internal void Forget()
    {
        m_states.Clear();
        m_made.Clear();
        m_madeBefore.Clear();
        m_externalWrites = m_session.ExternalWriteCount;
    }

    private void ThrowIfMadeIsGone()
    {
        if (m_externalWrites != m_session.ExternalWriteCount)
            return;

        using var select = m_session.Take(VolumeWrites.Id);
        foreach (var (name, id) in m_made)
        {
            if (select.Bind(1, name).ExecuteInt64() != id)
                throw m_session.Outdated($"the volume {name}, which was being made, was removed");
        }
    }

    private void SetMade(string name, long? id)
    {
        long? before = m_made.TryGetValue(name, out var known) ? known : null;
        if (before == id)
            return;

        if (m_madeChangedIn != m_session.TransactionCount)
        {
            m_madeChangedIn = m_session.TransactionCount;
            m_madeBefore.Clear();
        }

        m_madeBefore.Push((name, before));
        Put(name, id);
    }

    private void Put(string name, long? id)
    {
        if (id is { } made)
            m_made[name] = made;
        else
            m_made.Remove(name);
    }

    // Whole it was before.
    private static bool HasOnlyBeenSeen(RemoteVolumeState told, string state) =>
        told == RemoteVolumeState.Uploaded && state == nameof(RemoteVolumeState.Verified);

    private static bool IsMade(RemoteVolumeState state) => state is RemoteVolumeState.Temporary or RemoteVolumeState.Uploading;
}
