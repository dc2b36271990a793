namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The keys of full size among so many, which nine of ten are, in an order that has nothing to do with that of the table.</summary>
internal sealed class FullBlocks(int rows)
{
    private readonly int m_count = rows - ((rows + 9) / 10);

    /// <summary>The number of the key for a step; each comes once in as many steps as there are.</summary>
    public int Index(int step)
    {
        var full = BlockTable.Scatter(step, m_count);
        return (full / 9 * 10) + 1 + (full % 9);
    }
}
