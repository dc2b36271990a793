// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.Engine.Access;

/// <summary>
/// A page of a table or index as it stands in the file. Format: https://www.sqlite.org/fileformat2.html#b_tree_pages. Whatever a damaged
/// page says, nothing outside of it is read.
/// </summary>
/// <param name="bytes">The page.</param>
/// <param name="header">Where it begins to be one of a tree: behind the header of the file on page 1.</param>
/// <param name="usable">Bytes of it that are used.</param>
internal readonly struct TreePage(byte[] bytes, int header, int usable)
{
    private const byte InteriorIndex = 2;
    private const byte InteriorTable = 5;
    private const byte LeafIndex = 10;
    private const byte LeafTable = 13;
    private const int SmallestCell = 4;
    private const int Pointer = 4;

    /// <summary>Whether it says that it belongs to a tree.</summary>
    internal bool IsTree => bytes[header] is InteriorIndex or InteriorTable or LeafIndex or LeafTable;

    /// <summary>Whether it holds the numbers of other pages.</summary>
    internal bool IsInterior => bytes[header] is InteriorIndex or InteriorTable;

    /// <summary>Whether the tree is one of rows by their ids; the others are indexes, and tables without such ids.</summary>
    internal bool IsTable => bytes[header] is InteriorTable or LeafTable;

    /// <summary>Number of entries.</summary>
    internal int Cells => Short(header + 3);

    /// <summary>The page behind the last entry of an interior page.</summary>
    internal long Last => Long(header + 8);

    /// <summary>Bytes that hold nothing.</summary>
    internal int Unused => Math.Max(0, Content - PointersEnd) + bytes[header + 7] + Math.Max(0, FreeBlocks);

    /// <summary>Whether entries, gaps and what the header says fill it exactly, as on every page that SQLite has written.</summary>
    internal bool IsSound
    {
        get
        {
            if (!IsTree || PointersEnd > Content || Content > usable || FreeBlocks < 0)
                return false;
            var used = 0L;
            for (var i = 0; i < Cells; i++)
            {
                var size = Cell(i) is >= 0 and var cell && cell >= Content ? SizeOf(cell) : -1;
                if (size < 0 || Cell(i) + size > usable)
                    return false;
                used += size;
            }

            return used + FreeBlocks + bytes[header + 7] == usable - Content;
        }
    }

    // Zero stands for 65536, which only a page of that size can have.
    private int Content => Short(header + 5) is 0 ? 65536 : Short(header + 5);

    private int Pointers => header + (IsInterior ? 12 : 8);

    private int PointersEnd => Pointers + (2 * Cells);

    // Less than 0 if they cannot be so.
    private int FreeBlocks
    {
        get
        {
            var total = 0;
            // Each block lies behind the one before, so this ends on damaged pages too.
            for (int block = Short(header + 1), last = 0; block > 0; last = block, block = Short(block))
            {
                if (block <= last || block + 4 > usable)
                    return -1;
                total += Short(block + 2);
            }

            return total;
        }
    }

    /// <summary>Where an entry begins; -1 if that is not on the page.</summary>
    internal int Cell(int number)
    {
        var pointer = Pointers + (2 * number);
        return pointer + 2 <= usable && Short(pointer) is var cell && cell >= Pointers && cell + Pointer <= usable ? cell : -1;
    }

    /// <summary>The page before an entry of an interior page.</summary>
    internal long Child(int cell) => Long(cell);

    /// <summary>The id of the row of an entry: the last one on the page before it, if that is an interior page.</summary>
    internal long RowId(int cell) => Varint(IsInterior ? cell + Pointer : cell + Varint(cell).Length).Value;

    /// <summary>The record of an entry that has one.</summary>
    /// <returns>Its bytes in all, where it begins, and how many of them are on the page; behind these is the number of the next
    /// one.</returns>
    internal (long Length, int Position, int Local) Record(int cell)
    {
        if (IsInterior)
            cell += Pointer;
        var (length, bytesOfLength) = Varint(cell);
        cell += bytesOfLength;
        if (IsTable)
            cell += Varint(cell).Length;
        return (length, cell, LocalPart(length));
    }

    /// <summary>A number of one to nine bytes; what would lie behind the page counts as nothing.</summary>
    internal (long Value, int Length) Varint(int position) => Varint(bytes.AsSpan(0, usable), position);

    /// <summary>The same within a record.</summary>
    internal static (long Value, int Length) Varint(ReadOnlySpan<byte> from, int position)
    {
        var value = 0L;
        for (var i = 0; i < 8 && position + i < from.Length; i++)
        {
            var part = from[position + i];
            value = (value << 7) | (uint)(part & 0x7F);
            if (part < 0x80)
                return (value, i + 1);
        }

        return position + 8 < from.Length ? ((value << 8) | from[position + 8], 9) : (value, 9);
    }

    /// <summary>Four bytes as the number of a page.</summary>
    internal long Long(int position) => position + 4 <= usable ? BinaryPrimitives.ReadUInt32BigEndian(bytes.AsSpan(position)) : 0;

    // The part of a record that does not fit lies on pages of its own.
    private int LocalPart(long length)
    {
        var most = IsTable ? usable - 35 : ((usable - 12) * 64 / 255) - 23;
        if (length <= most)
            return (int)length;
        var least = ((usable - 12) * 32 / 255) - 23;
        var fitting = least + ((length - least) % (usable - 4));
        return (int)(fitting <= most ? fitting : least);
    }

    private int SizeOf(int cell)
    {
        if (IsInterior && IsTable)
            return Pointer + Varint(cell + Pointer).Length;
        var (length, position, local) = Record(cell);
        return length < 0 ? -1 : Math.Max(SmallestCell, position + local + (length > local ? Pointer : 0) - cell);
    }

    private int Short(int position) => position + 2 <= usable ? BinaryPrimitives.ReadUInt16BigEndian(bytes.AsSpan(position)) : 0;
}
