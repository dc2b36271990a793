// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.UnitTest.Tool.Pages;

/// <summary>Which rows of which tables lie on which page of a sound database: what a damaged page takes along at most.</summary>
internal sealed class PageMap
{
    private readonly byte[] m_file;
    private readonly Dictionary<long, (string Name, string Table, HashSet<long> Rows)> m_pages = [];

    internal PageMap(string path)
    {
        m_file = File.ReadAllBytes(path);
        PageSize = BinaryPrimitives.ReadUInt16BigEndian(m_file.AsSpan(16));
        using var connection = Databases.Open(path);
        Walk("sqlite_schema", "sqlite_schema", 1);
        foreach (var line in connection.Lines("SELECT name, tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0"))
            Walk(line.Split('|')[0], line.Split('|')[1], int.Parse(line.Split('|')[2], System.Globalization.CultureInfo.InvariantCulture));
    }

    internal int PageSize { get; }

    internal int Count => m_file.Length / PageSize;

    /// <summary>The table or index of a page, and its table; empty if no tree has it.</summary>
    internal (string Name, string Table) Owner(int page) => m_pages.TryGetValue(page, out var found) ? (found.Name, found.Table) : ("", "");

    /// <summary>The ids of the rows of a table that a page has something of.</summary>
    internal IReadOnlySet<long> RowsOn(int page, string table) =>
        m_pages.TryGetValue(page, out var found) && found.Name == table ? found.Rows : new HashSet<long>();

    /// <summary>Whether a page holds a part of a row that did not fit on the one where it begins.</summary>
    internal bool IsOverflow(int page) => m_pages.ContainsKey(page) && Kind(page) is not (2 or 5 or 10 or 13);

    private static int Head(int page) => page == 1 ? 100 : 0;

    private byte Kind(int page) => m_file[((page - 1) * PageSize) + Head(page)];

    private void Walk(string name, string table, int page)
    {
        var rows = new HashSet<long>();
        m_pages.Add(page, (name, table, rows));
        var bytes = m_file.AsSpan((page - 1) * PageSize, PageSize);
        var kind = Kind(page);
        var cells = BinaryPrimitives.ReadUInt16BigEndian(bytes[(Head(page) + 3)..]);
        for (var i = 0; i < cells; i++)
        {
            var pointers = Head(page) + (kind < 8 ? 12 : 8);
            int cell = BinaryPrimitives.ReadUInt16BigEndian(bytes[(pointers + (2 * i))..]);
            if (kind < 8)
            {
                Walk(name, table, BinaryPrimitives.ReadInt32BigEndian(bytes[cell..]));
                cell += 4;
            }

            if (kind == 5)
                continue;
            var length = Number(bytes, ref cell);
            var id = kind == 13 ? Number(bytes, ref cell) : 0;
            rows.Add(id);
            var most = kind == 13 ? PageSize - 35 : ((PageSize - 12) * 64 / 255) - 23;
            if (length <= most)
                continue;
            var least = ((PageSize - 12) * 32 / 255) - 23;
            var local = least + ((length - least) % (PageSize - 4));
            local = local <= most ? local : least;
            for (
                var next = BinaryPrimitives.ReadInt32BigEndian(bytes[(cell + (int)local)..]);
                next > 0;
                next = BinaryPrimitives.ReadInt32BigEndian(m_file.AsSpan((next - 1) * PageSize))
            )
                m_pages.Add(next, (name, table, [id]));
        }

        if (kind < 8)
            Walk(name, table, BinaryPrimitives.ReadInt32BigEndian(bytes[(Head(page) + 8)..]));
    }

    private static long Number(ReadOnlySpan<byte> bytes, ref int position)
    {
        var value = 0L;
        while (true)
        {
            var part = bytes[position++];
            value = (value << 7) | (uint)(part & 0x7F);
            if (part < 0x80)
                return value;
        }
    }
}
