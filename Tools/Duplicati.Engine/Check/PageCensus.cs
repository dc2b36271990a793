// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Collections;

namespace Duplicati.Engine.Check;

/// <summary>
/// Counts the pages of the tables and indexes of a database file by walking their trees, as not every build of SQLite has the
/// table that tells it. Format: https://www.sqlite.org/fileformat2.html#b_tree_pages. Memory: a page, and a bit a page of the file.
/// </summary>
/// <remarks>Damaged trees are counted as far as they can be read; a page is counted once.</remarks>
internal sealed class PageCensus : IDisposable
{
    private const int FileHeaderSize = 100;
    private const byte InteriorIndex = 2;
    private const byte InteriorTable = 5;
    private const byte LeafIndex = 10;
    private const byte LeafTable = 13;

    private readonly FileStream m_file;
    private readonly byte[] m_page;
    private readonly int m_usable;
    private readonly BitArray m_seen;
    private readonly Stack<long> m_next = new();
    private long m_pages;
    private long m_unused;

    /// <summary>Opens a file that nobody has open as a database: to close it would drop that one's locks.</summary>
    internal PageCensus(string path)
    {
        m_file = new FileStream(
            path,
            new FileStreamOptions
            {
                Mode = FileMode.Open,
                Access = FileAccess.Read,
                BufferSize = 0,
            }
        );
        Span<byte> header = stackalloc byte[FileHeaderSize];
        m_file.ReadExactly(header);
        var size = BinaryPrimitives.ReadUInt16BigEndian(header[16..]);
        m_page = new byte[size == 1 ? 65536 : Math.Max(size, (ushort)512)];
        m_usable = m_page.Length - header[20];
        m_seen = new BitArray(checked((int)(m_file.Length / m_page.Length) + 1));
    }

    /// <summary>Size and unused part of the tree that begins at a page, bytes.</summary>
    internal (long Bytes, long Unused) Measure(long root)
    {
        m_pages = m_unused = 0;
        m_next.Push(root);
        while (m_next.TryPop(out var number))
        {
            if (number <= 0 || number >= m_seen.Count || m_seen[(int)number])
                continue;
            m_seen[(int)number] = true;
            m_file.Position = (number - 1) * m_page.Length;
            m_file.ReadExactly(m_page);
            m_pages++;
            ReadPage(number == 1 ? FileHeaderSize : 0);
        }

        return (m_pages * m_page.Length, m_unused);
    }

    public void Dispose() => m_file.Dispose();

    private void ReadPage(int header)
    {
        var type = m_page[header];
        if (type is not (InteriorIndex or InteriorTable or LeafIndex or LeafTable))
            return;
        var isInterior = type is InteriorIndex or InteriorTable;
        var cells = Short(header + 3);
        var pointers = header + (isInterior ? 12 : 8);
        // Zero stands for 65536, which only a page of that size can have.
        var content = Short(header + 5) is 0 ? 65536 : Short(header + 5);
        m_unused += Math.Max(0, content - pointers - (2 * cells)) + m_page[header + 7] + FreeBlocks(Short(header + 1));
        if (isInterior)
            m_next.Push(Long(header + 8));
        for (var i = 0; i < cells && pointers + (2 * i) + 1 < m_usable; i++)
            ReadCell(type, Short(pointers + (2 * i)));
    }

    private int FreeBlocks(int first)
    {
        var total = 0;
        // Each block lies behind the one before, so this ends on damaged pages too.
        for (int block = first, last = 0; block > last && block + 4 <= m_usable; last = block, block = Short(block))
            total += Short(block + 2);
        return total;
    }

    private void ReadCell(byte type, int cell)
    {
        if (cell + 4 > m_usable)
            return;
        if (type is InteriorIndex or InteriorTable)
        {
            m_next.Push(Long(cell));
            cell += 4;
        }

        if (type != InteriorTable)
            CountOverflow(Varint(cell), type == LeafTable);
    }

    // The part of a record that does not fit on its page lies on pages of its own, filled one after the other.
    private void CountOverflow(long payload, bool isTable)
    {
        var most = isTable ? m_usable - 35 : ((m_usable - 12) * 64 / 255) - 23;
        if (payload <= most)
            return;
        var least = ((m_usable - 12) * 32 / 255) - 23;
        var fitting = least + ((payload - least) % (m_usable - 4));
        var rest = payload - (fitting <= most ? fitting : least);
        var pages = (rest + m_usable - 5) / (m_usable - 4);
        if (pages >= m_seen.Count)
            return;
        m_pages += pages;
        m_unused += (pages * (m_usable - 4)) - rest;
    }

    private int Short(int position) => BinaryPrimitives.ReadUInt16BigEndian(m_page.AsSpan(position));

    private long Long(int position) => BinaryPrimitives.ReadUInt32BigEndian(m_page.AsSpan(position));

    private long Varint(int position)
    {
        var value = 0L;
        for (var i = 0; i < 8 && position + i < m_page.Length; i++)
        {
            var part = m_page[position + i];
            value = (value << 7) | (uint)(part & 0x7F);
            if (part < 0x80)
                return value;
        }

        return position + 8 < m_page.Length ? (value << 8) | m_page[position + 8] : value;
    }
}
