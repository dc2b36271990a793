// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections;
using Duplicati.Engine.Access;

namespace Duplicati.Engine.Check;

/// <summary>
/// Counts the pages of the tables and indexes of a database file by walking their trees, as not every build of SQLite has the
/// table that tells it. Memory: a page, and a bit a page of the file.
/// </summary>
/// <remarks>Damaged trees are counted as far as they can be read; a page is counted once.</remarks>
internal sealed class PageCensus : IDisposable
{
    private readonly DatabasePages m_file;
    private readonly byte[] m_page;
    private readonly BitArray m_seen;
    private readonly Stack<long> m_next = new();
    private long m_pages;
    private long m_unused;

    /// <summary>Opens a file that nobody has open as a database.</summary>
    internal PageCensus(string path)
    {
        m_file = new DatabasePages(path);
        m_page = new byte[m_file.PageSize];
        m_seen = new BitArray(checked((int)m_file.Count + 1));
    }

    /// <summary>Size and unused part of the tree that begins at a page, bytes.</summary>
    internal (long Bytes, long Unused) Measure(long root)
    {
        m_pages = m_unused = 0;
        m_next.Push(root);
        while (m_next.TryPop(out var number))
        {
            if (number <= 0 || number >= m_seen.Count || m_seen[(int)number] || m_file.Read(number, m_page) is not { } page)
                continue;
            m_seen[(int)number] = true;
            m_pages++;
            if (page.IsTree)
                ReadPage(page);
        }

        return (m_pages * m_file.PageSize, m_unused);
    }

    public void Dispose() => m_file.Dispose();

    private void ReadPage(TreePage page)
    {
        m_unused += page.Unused;
        if (page.IsInterior)
            m_next.Push(page.Last);
        for (var i = 0; i < page.Cells; i++)
        {
            var cell = page.Cell(i);
            if (cell < 0)
                continue;
            if (page.IsInterior)
                m_next.Push(page.Child(cell));
            if (!page.IsInterior || !page.IsTable)
                CountOverflow(page.Record(cell));
        }
    }

    // Pages of their own, filled one after the other.
    private void CountOverflow((long Length, int Position, int Local) record)
    {
        var rest = record.Length - record.Local;
        var pages = (rest + m_file.OverflowSize - 1) / m_file.OverflowSize;
        if (rest <= 0 || pages >= m_seen.Count)
            return;
        m_pages += pages;
        m_unused += (pages * m_file.OverflowSize) - rest;
    }
}
