using BenchmarkDotNet.Attributes;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>New blocksets of known blocks: one entry a block, each found by hash and size, a commit a blockset.</summary>
public class LinkBlocks : BlockBenchmark
{
    private const int Blocksize = 102400;

    private string[] m_full = [];

    [ParamsSource(nameof(Ways))]
    public override string Way { get; set; } = BlockWays.Provider;

    public static IEnumerable<string> Ways => [BlockWays.Provider, BlockWays.Native, BlockWays.Door];

    /// <summary>Blocks of one blockset.</summary>
    [Params(100, 10_000)]
    public int BlocksPerFile { get; set; }

    protected override int Rows => BenchmarkScale.Of(100_000, 10_000);

    protected override long ExpectedAnswer => Rows;

    [Benchmark]
    public void Link()
    {
        switch (Way)
        {
            case BlockWays.Provider:
                RunProvider();
                break;
            case BlockWays.Native:
                RunNative();
                break;
            case BlockWays.Door:
                RunDoor();
                break;
        }
    }

    private void RunProvider()
    {
        for (var file = 0; file < Rows / BlocksPerFile; file++)
        {
            Begin();
            var id = Provider.Scalar(BlockBenchmarkSql.InsertBlockset, ("@Length", Length), ("@FullHash", "file " + file));
            for (var i = 0; i < BlocksPerFile; i++)
                Provider.Execute(BlockBenchmarkSql.Link, ("@BlocksetId", id), ("@Index", (long)i), ("@Hash", Hash(file, i)), ("@Size", (long)Blocksize));
            Commit();
        }

        Answer = CountEntries();
    }

    private void RunNative()
    {
        for (var file = 0; file < Rows / BlocksPerFile; file++)
        {
            Begin();
            using (var insert = Statements.Take(BlockBenchmarkSql.InsertBlocksetNative))
                insert.Bind(1, Length).Bind(2, "file " + file).Execute();
            using (var link = Statements.Take(BlockBenchmarkSql.LinkNative))
            {
                link.Bind(1, Statements.LastInsertRowId);
                for (var i = 0; i < BlocksPerFile; i++)
                    link.Bind(2, (long)i).Bind(3, Hash(file, i)).Bind(4, (long)Blocksize).Execute();
            }

            Commit();
        }

        Answer = CountEntries();
    }

    private void RunDoor()
    {
        for (var file = 0; file < Rows / BlocksPerFile; file++)
        {
            var first = file;
            var hashes = Enumerable.Range(0, BlocksPerFile).Select(i => Hash(first, i));
            Layer.AddBlocksetAsync("file " + file, Length, Blocksize, hashes, [], default).GetAwaiter().GetResult();
        }

        Answer = CountEntries();
    }

    protected override void Prepare()
    {
        base.Prepare();
        // Only full blocks: every tenth of the keys is the rest of a file.
        m_full = [.. Enumerable.Range(0, TableRows).Where(i => i % 10 != 0).Select(i => Hashes(0)[i])];
    }

    private long Length => (long)BlocksPerFile * Blocksize;

    private string Hash(int file, int i) => m_full[BlockTable.Scatter((file * BlocksPerFile) + i, m_full.Length)];

    private long CountEntries()
    {
        using var count = Statements.Take(BlockBenchmarkSql.CountEntries);
        return count.ExecuteInt64();
    }
}
