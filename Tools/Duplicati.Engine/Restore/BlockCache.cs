// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Collections.Concurrent;
using Duplicati.Engine.Common;
using Microsoft.Win32.SafeHandles;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Verified blocks on their way to their files. A bounded number of bytes is kept, and then written file by file in the order of the
/// places, neighbours with one call: blocks of one file lie close together in a volume, but each alone would cost a call.
/// </summary>
/// <remarks>
/// Not safe for concurrent use. The bytes allowed, or one block, and 32 bytes a place; at most <see cref="MostPlaces"/> of them wait.
/// </remarks>
internal sealed class BlockCache : IDisposable
{
    /// <summary>Bytes kept unless told otherwise; twice as many gain nothing that can be measured.</summary>
    internal const int DefaultBytes = 4 * 1024 * 1024;

    // A block of zeros may belong to any number of places.
    private const int MostPlaces = 64 * 1024;

    private readonly IReadOnlyDictionary<long, string> m_files;
    private readonly ConcurrentDictionary<long, string> m_problems;
    private readonly int m_blocksize;
    private readonly byte[] m_content;
    private readonly int m_capacity;
    private readonly List<Place> m_places = [];
    private readonly List<ReadOnlyMemory<byte>> m_parts = [];
    private int m_used;

    /// <summary>An empty cache.</summary>
    /// <param name="files">Full target paths by entry id; places in others are left out.</param>
    /// <param name="problems">Takes why a file could not be written, by entry id; nothing more is written to it.</param>
    /// <param name="blocksize">Bytes of the largest block.</param>
    /// <param name="bytes">Most bytes kept; less than a block is one block.</param>
    internal BlockCache(IReadOnlyDictionary<long, string> files, ConcurrentDictionary<long, string> problems, int blocksize, int bytes)
    {
        m_files = files;
        m_problems = problems;
        m_blocksize = blocksize;
        m_capacity = Math.Max(blocksize, bytes);
        m_content = ArrayPool<byte>.Shared.Rent(m_capacity);
    }

    private readonly record struct Place(long FileId, long Offset, int Start, int Length);

    /// <summary>Room for the next block; what was kept is written first if there is none left.</summary>
    internal Span<byte> Room()
    {
        if (m_capacity - m_used < m_blocksize)
            Write();
        return m_content.AsSpan(m_used, m_blocksize);
    }

    /// <summary>Keeps what is in <see cref="Room"/>.</summary>
    /// <returns>Where it starts, for <see cref="Add"/>.</returns>
    internal int Keep(int length)
    {
        m_used += length;
        return m_used - length;
    }

    /// <summary>Notes a place of the block that was kept last.</summary>
    internal void Add(long fileId, long offset, int start)
    {
        if (m_places.Count == MostPlaces)
            WritePlaces();
        m_places.Add(new Place(fileId, offset, start, m_used - start));
    }

    /// <summary>Writes everything that is kept.</summary>
    /// <exception cref="IOException">There is no space left.</exception>
    internal void Write()
    {
        WritePlaces();
        m_used = 0;
    }

    /// <summary>Forgets what is kept.</summary>
    public void Dispose() => ArrayPool<byte>.Shared.Return(m_content);

    private void WritePlaces()
    {
        m_places.Sort(static (a, b) => a.FileId != b.FileId ? a.FileId.CompareTo(b.FileId) : a.Offset.CompareTo(b.Offset));
        for (var i = 0; i < m_places.Count; )
        {
            var end = i;
            while (end < m_places.Count && m_places[end].FileId == m_places[i].FileId)
                end++;
            WriteFile(i, end);
            i = end;
        }

        m_places.Clear();
    }

    private void WriteFile(int first, int end)
    {
        var id = m_places[first].FileId;
        if (!m_files.TryGetValue(id, out var path) || m_problems.ContainsKey(id))
            return;

        try
        {
            using var handle = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            while (first < end)
                first = WriteRun(handle, first, end);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException && !DiskSpace.IsExhausted(ex))
        {
            m_problems.TryAdd(id, ex.Message);
        }
    }

    // Neighbours in the file; those that are neighbours in memory as well are one part.
    private int WriteRun(SafeFileHandle handle, int first, int end)
    {
        m_parts.Clear();
        var run = m_places[first];
        var offset = run.Offset;
        var next = first + 1;
        for (; next < end && m_places[next].Offset == run.Offset + run.Length; next++)
        {
            var place = m_places[next];
            if (place.Start == run.Start + run.Length)
            {
                run = run with { Length = run.Length + place.Length };
                continue;
            }

            m_parts.Add(m_content.AsMemory(run.Start, run.Length));
            run = place;
        }

        m_parts.Add(m_content.AsMemory(run.Start, run.Length));
        RandomAccess.Write(handle, m_parts, offset);
        return next;
    }
}
