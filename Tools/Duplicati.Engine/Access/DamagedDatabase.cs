// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Access;

/// <summary>
/// Reads the rows of tables from those pages of a database file that can be read, without SQLite: that gives a table up where the first of
/// its pages is damaged, and everything below it with an interior page. Memory: four bytes a page of the file, and the
/// list of the pages of tables that are asked for.
/// </summary>
/// <remarks>
/// What a page says is checked, but pages have no checksums: a changed letter within a text is read as it is. Where a page above others is
/// damaged these are found by what is on them. Pages of two tables whose rows look alike, and that are damaged both, are told apart by
/// the ids of their rows.
/// </remarks>
internal sealed class DamagedDatabase : IDisposable
{
    private const int MostLevels = 32;
    private const int Nobody = 0;
    private const int Free = -1;

    private readonly DatabasePages m_file;
    private readonly byte[] m_page;
    private readonly byte[] m_overflow;
    private readonly int[] m_owners;
    private readonly List<Tree> m_trees = [];
    private readonly IReadOnlySet<string> m_asked;
    private bool m_isSearched;

    private DamagedDatabase(DatabasePages file, IReadOnlySet<string> asked)
    {
        m_file = file;
        m_asked = asked;
        m_page = new byte[file.PageSize];
        m_overflow = new byte[file.PageSize];
        m_owners = new int[checked((int)file.Count + 1)];
        var schema = new Tree("sqlite_schema", "sqlite_schema", 1, TableColumns.OfSchema, isIndex: false);
        Walk(schema);
        m_trees.AddRange(Rows(schema).Select(TreeOf).OfType<Tree>().ToList());
        IsSchemaWhole = !schema.IsDamaged;
        foreach (var tree in m_trees.Where(x => x.Columns is not null))
            Walk(tree);
    }

    /// <summary>Whether everything that says which tables there are can be read.</summary>
    internal bool IsSchemaWhole { get; }

    /// <summary>Looks at a file that nobody has open as a database, and that has no log.</summary>
    /// <param name="path">The file.</param>
    /// <param name="tables">The tables that are asked for.</param>
    /// <returns>Null if its first page cannot be read, so that nothing is known of the others.</returns>
    internal static DamagedDatabase? TryOpen(string path, IReadOnlySet<string> tables)
    {
        var file = new DatabasePages(path);
        try
        {
            if (file.IsReadable)
                return new DamagedDatabase(file, tables);
        }
        catch
        {
            file.Dispose();
            throw;
        }

        file.Dispose();
        return null;
    }

    /// <summary>The rows of a table that can be read, by their ids; none if there is no such table.</summary>
    internal IEnumerable<Dictionary<string, object?>> Rows(string table) => Find(table) is { } tree ? Rows(tree) : [];

    /// <summary>Number of rows of a table that can be read, and of pages and rows that cannot.</summary>
    internal (long Rows, int Unreadable) Count(string table)
    {
        if (Find(table) is not { } tree)
            return (0, 0);
        Search();
        var rows = Rows(tree).LongCount();
        return (rows, tree.Unreadable + tree.BadRows);
    }

    /// <summary>The table or index that a page belongs to; null if it is nobody's, or that cannot be told.</summary>
    internal (string Name, string Table)? OwnerOf(long page)
    {
        Search(everything: true);
        return page > 0 && page < m_owners.Length && m_owners[page] > 0 && m_owners[page] <= m_trees.Count
            ? (m_trees[m_owners[page] - 1].Name, m_trees[m_owners[page] - 1].Table)
            : null;
    }

    public void Dispose() => m_file.Dispose();

    private Tree? TreeOf(Dictionary<string, object?> row) =>
        row["rootpage"] is not long root || root <= 0 ? null
        : row["type"] is "index" ? new Tree((string)row["name"]!, (string)row["tbl_name"]!, root, null, isIndex: true)
        : row["type"] is "table" ? TableOf((string)row["name"]!, root, row["sql"] as string ?? "")
        : null;

    private Tree TableOf(string name, long root, string definition) =>
        new(
            name,
            name,
            root,
            m_asked.Contains(name) ? TableColumns.Of(definition) : null,
            isIndex: definition.Contains("WITHOUT ROWID", StringComparison.OrdinalIgnoreCase)
        );

    private Tree? Find(string table) =>
        m_trees.Find(x => x.Columns is not null && string.Equals(x.Name, table, StringComparison.OrdinalIgnoreCase));

    // Every page that can be reached from the root.
    private void Walk(Tree tree)
    {
        var owner = m_trees.IndexOf(tree) + 1;
        if (owner == 0)
            owner = int.MaxValue;
        var next = new Stack<(long Page, long After, int Level)>();
        next.Push((tree.Root, 0, 0));
        while (next.TryPop(out var at))
        {
            if (at.Level > MostLevels || m_file.Read(at.Page, m_page) is not { } page)
            {
                tree.Unreadable++;
                continue;
            }

            if (m_owners[at.Page] != Nobody)
            {
                Contest(tree, owner, at.Page, at.After, page);
                continue;
            }

            m_owners[at.Page] = owner;
            if (!page.IsTree || page.IsTable == tree.IsIndex)
            {
                tree.Unreadable++;
                continue;
            }

            // What can be read of it is read all the same.
            if (!page.IsSound)
                tree.Unreadable++;
            if (page.IsInterior)
                Push(next, page, at.After, at.Level);
            else if (tree.Columns is not null)
                AddLeaf(tree, at.Page, at.After, page);
        }
    }

    private void AddLeaf(Tree tree, long number, long after, TreePage page)
    {
        tree.Add(new Leaf(number, after), page);
        tree.IsBent |=
            !Fits(tree, page) || (page.Cells == 0 && number != tree.Root) || (page.Cells > 0 && Gap(page, after) == long.MaxValue);
    }

    private static void Push(Stack<(long Page, long After, int Level)> next, TreePage page, long after, int level)
    {
        var children = new List<(long, long, int)>();
        for (var i = 0; i < page.Cells; i++)
        {
            var cell = page.Cell(i);
            if (cell < 0)
                continue;
            children.Add((page.Child(cell), after, level + 1));
            if (page.IsTable)
                after = page.RowId(cell);
        }

        children.Add((page.Last, after, level + 1));
        children.Reverse();
        foreach (var child in children)
            next.Push(child);
    }

    // Two pages name this one as the next: it belongs to the tree whose ids go on best.
    private void Contest(Tree tree, int owner, long number, long after, TreePage page)
    {
        tree.IsBent = true;
        var other = m_owners[number] > 0 && m_owners[number] <= m_trees.Count ? m_trees[m_owners[number] - 1] : null;
        if (other is null || other == tree)
            return;
        other.IsBent = true;
        var held = other.Leaves.Find(x => x.Page == number);
        if (
            tree.Columns is null
            || page.IsInterior
            || !page.IsTable
            || !Fits(tree, page)
            || (held is not null && Fits(other, page) && Gap(page, held.After) <= Gap(page, after))
        )
            return;
        if (held is not null)
            other.Remove(held, page);
        m_owners[number] = owner;
        tree.Add(new Leaf(number, after), page);
    }

    private static long Gap(TreePage page, long after) =>
        page.Cell(0) is >= 0 and var cell && page.RowId(cell) > after ? page.RowId(cell) - after : long.MaxValue;

    // Whether all entries of a page can be rows of a table.
    private bool Fits(Tree tree, TreePage page)
    {
        for (var i = 0; i < page.Cells; i++)
        {
            if (page.Cell(i) is not (>= 0 and var cell) || page.Record(cell) is var record && !IsInside(record))
                return false;
            if (tree.Columns?.Fits(m_page.AsSpan(record.Position, record.Local), record.Length) != true)
                return false;
        }

        return true;
    }

    private bool IsInside((long Length, int Position, int Local) record) =>
        record.Length > 0 && record.Length <= m_file.Count * m_file.PageSize && record.Position + record.Local <= m_file.PageSize;

    // Pages that nobody names, and that are not free, are those below a damaged one.
    private void Search(bool everything = false)
    {
        if (m_isSearched || (!everything && !m_trees.Exists(x => x.Columns is not null && x.IsDamaged)))
            return;
        m_isSearched = true;
        foreach (var tree in m_trees.Where(x => x.Columns is null))
            Walk(tree);
        WalkFree();
        var wanted = m_trees.FindAll(x => x.Columns is not null && x.IsDamaged);
        for (var number = 2; number < m_owners.Length; number++)
        {
            if (m_owners[number] != Nobody || m_file.Read(number, m_page) is not { IsInterior: false, IsTable: true, IsSound: true } page)
                continue;
            if (page.Cells > 0 && wanted.FindAll(x => Fits(x, page)) is { Count: > 0 } fitting)
                Take(fitting.Count == 1 ? fitting[0] : fitting.MinBy(x => Gap(page, Before(x, page)))!, number, page);
        }
    }

    private void Take(Tree tree, int number, TreePage page)
    {
        m_owners[number] = m_trees.IndexOf(tree) + 1;
        tree.Add(new Leaf(number, Before(tree, page)), page);
    }

    // The last id before the page of those that are known.
    private static long Before(Tree tree, TreePage page) =>
        page.RowId(page.Cell(0)) is > 1 and var first ? tree.Lasts.GetViewBetween(1, first - 1).Max : 0;

    private void WalkFree()
    {
        for (var trunk = m_file.FirstFree; m_file.Read(trunk, m_page) is { } page && m_owners[trunk] == Nobody; trunk = page.Long(0))
        {
            m_owners[trunk] = Free;
            var count = Math.Min(page.Long(4), (m_file.PageSize / 4) - 2);
            for (var i = 0; i < count; i++)
            {
                if (page.Long(8 + (4 * i)) is > 0 and var free && free < m_owners.Length && m_owners[free] == Nobody)
                    m_owners[free] = Free;
            }
        }
    }

    private IEnumerable<Dictionary<string, object?>> Rows(Tree tree)
    {
        Search();
        tree.BadRows = 0;
        var seen = new HashSet<long>();
        var page = new byte[m_file.PageSize];
        foreach (var leaf in tree.Leaves.ToList())
        {
            if (m_file.Read(leaf.Page, page) is not { } tables)
                continue;
            for (var i = 0; i < tables.Cells; i++)
            {
                if (tables.Cell(i) is not (>= 0 and var cell))
                {
                    tree.BadRows++;
                    // What follows is as wrong: a number of entries that cannot be so.
                    break;
                }

                var id = tables.RowId(cell);
                if (Record(tables.Record(cell), tables, page) is { } record && tree.Columns!.Read(id, record) is { } row)
                {
                    if (seen.Add(id))
                        yield return row;
                }
                else
                {
                    tree.BadRows++;
                }
            }
        }
    }

    private byte[]? Record((long Length, int Position, int Local) part, TreePage page, byte[] bytes)
    {
        if (!IsInside(part))
            return null;
        // Grows with what is there: a damaged length may be any.
        using var record = new MemoryStream();
        record.Write(bytes, part.Position, part.Local);
        var next = part.Length > part.Local ? page.Long(part.Position + part.Local) : 0;
        while (record.Length < part.Length)
        {
            if (m_file.Read(next, m_overflow) is not { } overflow)
                return null;
            record.Write(m_overflow, 4, (int)Math.Min(part.Length - record.Length, m_file.OverflowSize));
            next = overflow.Long(0);
        }

        return next == 0 ? record.ToArray() : null;
    }

    /// <summary>A table or an index.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="table">The table.</param>
    /// <param name="root">Its first page.</param>
    /// <param name="columns">What its rows have; null if they are not asked for.</param>
    /// <param name="isIndex">Whether its pages are those of an index; so are those of tables without ids of rows.</param>
    private sealed class Tree(string name, string table, long root, TableColumns? columns, bool isIndex)
    {
        internal string Name => name;

        internal string Table => table;

        internal long Root => root;

        internal TableColumns? Columns => columns;

        internal bool IsIndex => isIndex;

        internal List<Leaf> Leaves { get; } = [];

        /// <summary>The last ids on pages of rows.</summary>
        internal SortedSet<long> Lasts { get; } = [];

        /// <summary>Pages that are named and cannot be read, or only in part.</summary>
        internal int Unreadable { get; set; }

        /// <summary>Whether a page leads to one that is not the next.</summary>
        internal bool IsBent { get; set; }

        /// <summary>Rows on pages that can be read, which cannot be read themselves; known once all were asked for.</summary>
        internal int BadRows { get; set; }

        internal bool IsDamaged => IsBent || Unreadable > 0;

        internal void Add(Leaf leaf, TreePage page)
        {
            Leaves.Add(leaf);
            if (LastId(page) is { } last)
                Lasts.Add(last);
        }

        internal void Remove(Leaf leaf, TreePage page)
        {
            Leaves.Remove(leaf);
            if (LastId(page) is { } last)
                Lasts.Remove(last);
        }

        private static long? LastId(TreePage page) =>
            page.Cells > 0 && page.Cell(page.Cells - 1) is >= 0 and var cell ? page.RowId(cell) : null;
    }

    /// <summary>A page of rows.</summary>
    /// <param name="Page">Its number.</param>
    /// <param name="After">The last id before it.</param>
    private sealed record Leaf(long Page, long After);
}
