// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.VolumeTest;

/// <summary>
/// The blocks of a block volume, or those an index volume names for it, by hash: in memory, and past a bound in a temporary table.
/// Comparing reads the blocks of the volume from the database once, in no order, and looks each up; only differences are sorted.
/// </summary>
/// <remarks>About 150 bytes a block, for 100,000 blocks at most (10,000 with the preset <c>small</c>).</remarks>
internal sealed class FoundBlocks : LocalTestDatabase.IBlocklist
{
    private const int MostBlocks = 100_000;
    private const int MostBlocksOfSmall = 10_000;
    private const int MostCharacters = 128;

    private readonly DatabaseSession m_session;
    private readonly string m_volume;
    private readonly int m_mostBlocks;
    private readonly Dictionary<string, Sizes> m_blocks = new(StringComparer.Ordinal);
    private StoredBlocks? m_stored;
    private int m_comparison;
    private bool m_disposed;

    internal FoundBlocks(DatabaseSession session, string volume)
        : this(session, volume, ConnectionOptions.Current.IsSmall ? MostBlocksOfSmall : MostBlocks) { }

    /// <summary>The same, with so many blocks in memory at most.</summary>
    internal FoundBlocks(DatabaseSession session, string volume, int mostBlocks)
    {
        m_session = session;
        m_volume = volume;
        m_mostBlocks = mostBlocks;
    }

    public Task AddBlockAsync(string key, long value, CancellationToken token) =>
        ComparisonList.Take(m_session, (List: this, Hash: key, Size: value), static x => x.List.Take(x.Hash, x.Size), token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) =>
        m_session.SnapshotAsync(session => m_stored is { } stored ? stored.Compare(session) : Compare(session), token);

    /// <summary>Gives the memory back, or removes the table. May be called more than once.</summary>
    public void Dispose()
    {
        lock (m_session.ConnectionLock)
        {
            m_disposed = true;
            m_blocks.Clear();
            m_stored?.Dispose();
        }
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private void Take(string hash, long size)
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        if (m_stored is null && m_blocks.Count < m_mostBlocks)
            Add(hash, size);
        else
            (m_stored ??= Store()).Add(hash, size);
    }

    // As in the table: what has no hash is no block.
    private void Add(string? hash, long size)
    {
        if (hash is null)
            return;

        ref var sizes = ref CollectionsMarshal.GetValueRefOrAddDefault(m_blocks, hash, out var isKnown);
        if (!isKnown)
            sizes.First = size;
        else if (size != sizes.First)
            (sizes.Others ??= []).Add(size);
    }

    private StoredBlocks Store()
    {
        var stored = new StoredBlocks(m_session, m_volume);
        try
        {
            foreach (var (hash, sizes) in m_blocks)
            {
                foreach (var size in sizes.All)
                    stored.Add(hash, size);
            }
        }
        catch
        {
            stored.Dispose();
            throw;
        }

        m_blocks.Clear();
        m_blocks.TrimExcess();
        return stored;
    }

    private List<KeyValuePair<TestEntryStatus, string>> Compare(DatabaseSession session)
    {
        var comparison = ++m_comparison;
        var (missing, modified) = (new HashSet<string>(StringComparer.Ordinal), new HashSet<string>(StringComparer.Ordinal));
        Span<char> characters = stackalloc char[MostCharacters];
        using (var rows = VolumeContent.Of(session).ReadBlocks(m_volume))
        {
            while (rows.Read())
            {
                ref var sizes = ref Find(rows, characters);
                if (Unsafe.IsNullRef(ref sizes))
                {
                    missing.Add(rows.GetString(0)!);
                    continue;
                }

                sizes.Comparison = comparison;
                if (sizes.Others is not null || sizes.First != rows.GetInt64(1))
                    modified.Add(rows.GetString(0)!);
            }
        }

        var extra = m_blocks.Where(x => x.Value.Comparison != comparison).Select(x => x.Key);
        return [.. Of(TestEntryStatus.Missing, missing), .. Of(TestEntryStatus.Extra, extra), .. Of(TestEntryStatus.Modified, modified)];
    }

    private static IEnumerable<KeyValuePair<TestEntryStatus, string>> Of(TestEntryStatus status, IEnumerable<string> hashes) =>
        hashes.Order(StringComparer.Ordinal).Select(x => KeyValuePair.Create(status, x));

    // Hashes are looked up as the database holds them, without making a string of each.
    private ref Sizes Find(Statement rows, Span<char> characters)
    {
        var hash = rows.GetUtf8(0);
        return ref hash.Length <= MostCharacters && Encoding.UTF8.TryGetChars(hash, characters, out var written)
            ? ref CollectionsMarshal.GetValueRefOrNullRef(m_blocks.GetAlternateLookup<ReadOnlySpan<char>>(), characters[..written])
            : ref CollectionsMarshal.GetValueRefOrNullRef(m_blocks, rows.GetString(0)!);
    }

    // Nearly always one.
    private struct Sizes
    {
        internal long First;
        internal HashSet<long>? Others;

        // The last comparison that has found the block in the database.
        internal int Comparison;

        internal readonly IEnumerable<long> All => Others is null ? [First] : Others.Prepend(First);
    }
}
