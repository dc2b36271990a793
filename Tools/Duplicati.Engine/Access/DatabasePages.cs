// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Numerics;

namespace Duplicati.Engine.Access;

/// <summary>The pages of a database file, read without SQLite.</summary>
internal sealed class DatabasePages : IDisposable
{
    private const int HeaderSize = 100;
    private const int SmallestPage = 512;
    private const int LargestPage = 65536;
    private const int MostReserved = 32;
    private const int Utf8 = 1;

    private readonly FileStream m_file;
    private readonly int m_usable;

    /// <summary>Opens a file that nobody has open as a database: to close it would drop that one's locks. Its log does not count.</summary>
    internal DatabasePages(string path)
    {
        m_file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        Span<byte> header = stackalloc byte[HeaderSize];
        header.Clear();
        m_file.ReadAtLeast(header, HeaderSize, throwOnEndOfStream: false);
        var size = BinaryPrimitives.ReadUInt16BigEndian(header[16..]);
        PageSize = size == 1 ? LargestPage : Math.Max((int)size, SmallestPage);
        m_usable = PageSize - header[20];
        IsReadable =
            header.StartsWith("SQLite format 3\0"u8)
            && BitOperations.IsPow2(PageSize)
            && header[20] <= MostReserved
            && BinaryPrimitives.ReadUInt32BigEndian(header[56..]) == Utf8;
        FirstFree = BinaryPrimitives.ReadUInt32BigEndian(header[32..]);
    }

    /// <summary>Whether the header of the file is one.</summary>
    internal bool IsReadable { get; }

    /// <summary>Bytes of a page.</summary>
    internal int PageSize { get; }

    /// <summary>Number of pages.</summary>
    internal long Count => m_file.Length / PageSize;

    /// <summary>Bytes of a page of an overflowing record that are its own.</summary>
    internal int OverflowSize => m_usable - 4;

    /// <summary>The first page of the list of free ones; 0 if there is none.</summary>
    internal long FirstFree { get; }

    /// <summary>A page.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="buffer">Takes it.</param>
    /// <returns>Null if there is no page of this number.</returns>
    internal TreePage? Read(long number, byte[] buffer)
    {
        if (number <= 0 || number > Count)
            return null;
        m_file.Position = (number - 1) * PageSize;
        m_file.ReadExactly(buffer, 0, PageSize);
        return new TreePage(buffer, number == 1 ? HeaderSize : 0, m_usable);
    }

    public void Dispose() => m_file.Dispose();
}
