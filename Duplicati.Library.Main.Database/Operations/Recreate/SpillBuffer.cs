// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// An append-only run of bytes: the first ones in memory, those past a bound in a temporary file that disappears with the buffer.
/// </summary>
/// <remarks>Not thread-safe. Positions are offsets in bytes.</remarks>
internal sealed class SpillBuffer : IDisposable
{
    private const int ChunkBytes = 1 << 20;

    private readonly long m_memoryBytes;
    private readonly List<byte[]> m_chunks = [];
    private TempFile? m_path;
    private FileStream? m_file;
    private byte[]? m_tail;
    private long m_tailStart;

    /// <summary>An empty buffer that keeps about <paramref name="memoryBytes"/> in memory.</summary>
    internal SpillBuffer(long memoryBytes) => m_memoryBytes = Math.Max(0, memoryBytes) / ChunkBytes * ChunkBytes;

    /// <summary>Number of bytes appended.</summary>
    internal long Length { get; private set; }

    /// <summary>Number of bytes that are in the file.</summary>
    internal long FileBytes => m_file is null ? 0 : Length - m_memoryBytes;

    /// <summary>Appends and returns the position of the first byte.</summary>
    /// <exception cref="IOException">The temporary file could not be written.</exception>
    internal long Append(ReadOnlySpan<byte> data)
    {
        var start = Length;
        while (!data.IsEmpty)
        {
            var room = Length < m_memoryBytes ? MemoryRoom() : TailRoom();
            var count = Math.Min(room.Length, data.Length);
            data[..count].CopyTo(room);
            data = data[count..];
            Length += count;
        }

        return start;
    }

    /// <summary>Copies bytes out.</summary>
    internal void Read(long position, Span<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            var count = position < m_memoryBytes ? ReadMemory(position, destination) : ReadFile(position - m_memoryBytes, destination);
            position += count;
            destination = destination[count..];
        }
    }

    /// <summary>Forgets everything from a position on.</summary>
    internal void Truncate(long length)
    {
        if (length >= Length)
            return;

        Length = length;
        var chunks = (int)((Math.Min(length, m_memoryBytes) + ChunkBytes - 1) / ChunkBytes);
        m_chunks.RemoveRange(chunks, m_chunks.Count - chunks);
        if (m_tail is null || length - m_memoryBytes >= m_tailStart)
            return;

        // The new end lies in the written part: the tail begins again there, and writes over what follows.
        m_tailStart = Math.Max(0, length - m_memoryBytes);
    }

    /// <summary>Removes the temporary file.</summary>
    public void Dispose()
    {
        m_file?.Dispose();
        m_path?.Dispose();
        m_chunks.Clear();
        Length = 0;
    }

    private Span<byte> MemoryRoom()
    {
        var offset = (int)(Length % ChunkBytes);
        if (offset == 0)
            m_chunks.Add(new byte[ChunkBytes]);
        return m_chunks[^1].AsSpan(offset);
    }

    private Span<byte> TailRoom()
    {
        if (m_tail is null)
            Open();

        var used = (int)(Length - m_memoryBytes - m_tailStart);
        if (used == ChunkBytes)
        {
            RandomAccess.Write(m_file!.SafeFileHandle, m_tail, m_tailStart);
            m_tailStart += ChunkBytes;
            used = 0;
        }

        return m_tail.AsSpan(used);
    }

    private void Open()
    {
        m_path = new TempFile();
        m_file = new FileStream(m_path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, 0);
        m_tail = new byte[ChunkBytes];
    }

    private int ReadMemory(long position, Span<byte> destination)
    {
        var source = m_chunks[(int)(position / ChunkBytes)].AsSpan((int)(position % ChunkBytes));
        var count = Math.Min(source.Length, destination.Length);
        source[..count].CopyTo(destination);
        return count;
    }

    private int ReadFile(long offset, Span<byte> destination)
    {
        if (offset >= m_tailStart)
        {
            var source = m_tail.AsSpan((int)(offset - m_tailStart));
            var copied = Math.Min(source.Length, destination.Length);
            source[..copied].CopyTo(destination);
            return copied;
        }

        var wanted = (int)Math.Min(destination.Length, m_tailStart - offset);
        var count = RandomAccess.Read(m_file!.SafeFileHandle, destination[..wanted], offset);
        return count > 0
            ? count
            : throw new EndOfStreamException("The temporary file of staged blocklists is shorter than what was written to it.");
    }
}
