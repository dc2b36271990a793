// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>A random plan of block operations on the map and the writer, and on a dictionary that knows what must come out.</summary>
internal sealed class BlockPlan(BlockFixture fixture, Random random)
{
    private const int Numbers = 3000;

    private Dictionary<(string Hash, long Size), long> m_rows = [];
    private Dictionary<(string Hash, long Size), long> m_committed = [];

    internal void Step()
    {
        switch (random.Next(100))
        {
            case < 45:
                Find(Pick());
                break;
            case < 90:
                FindOrAdd(Pick());
                break;
            case < 94:
                Delete();
                break;
            case < 98:
                fixture.Transaction.Commit();
                m_committed = new(m_rows);
                break;
            default:
                fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
                m_rows = new(m_committed);
                break;
        }
    }

    internal void CompareTables()
    {
        using var all = fixture.Session.Take(BlockSql.All);
        var rows = new Dictionary<(string, long), long>();
        while (all.Read())
            rows.Add((all.GetString(1)!, all.GetInt64(2)), all.GetInt64(0));
        Assert.That(rows, Is.EquivalentTo(m_rows));
    }

    private (string Hash, long Size) Pick()
    {
        var number = random.Next(Numbers);
        return (number % 50 == 0 ? $"text {number}" : BlockFixture.Hash(number), number % 70 == 0 ? -1 : 1024);
    }

    private void Find((string Hash, long Size) block) =>
        Assert.That(fixture.Map.Find(block.Hash, block.Size), Is.EqualTo(m_rows.GetValueOrDefault(block, -1)));

    private void FindOrAdd((string Hash, long Size) block)
    {
        Find(block);
        if (!m_rows.ContainsKey(block))
            m_rows.Add(block, fixture.Add(block.Hash, block.Size, random.Next(5)));
    }

    // A statement of another part of the layer, which does not tell the map.
    private void Delete()
    {
        if (m_rows.Count == 0)
            return;

        var (block, id) = m_rows.ElementAt(random.Next(m_rows.Count));
        using var delete = fixture.Session.Take("""DELETE FROM "Block" WHERE "ID" = ?1""");
        Assert.That(delete.Bind(1, id).ExecuteNonQuery(), Is.EqualTo(1));
        m_rows.Remove(block);
    }
}
