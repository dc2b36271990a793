// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Main.Database;
using Duplicati.UnitTest.Main.Plain;
using Duplicati.UnitTest.Main.Recreate;

namespace Duplicati.UnitTest.Main.Batch;

/// <summary>Taking in whole index files in binary form, against block by block at the API and against plain statements.</summary>
[TestFixture]
internal sealed class BatchRebuildTests : FolderTestBase
{
    private const int Plans = 12;

    private readonly List<string> m_paths = [];
    private readonly List<IRebuild> m_rebuilds = [];

    [SetUp]
    public void SetUp() => m_paths.Clear();

    [TearDown]
    public async Task TearDown() => await CloseAsync();

    [Test]
    [Contract("B 3.4")]
    [Contract("B 9.8 row 2")]
    [Contract("B 9.8 row 3")]
    [Contract("B 9.8 row 6")]
    [Contract("B 9.8 row 7")]
    [Contract("B 9.8 row 8")]
    public async Task Random_rebuilds_give_the_tables_of_the_API_and_of_plain_statements()
    {
        var seed = LongRun.Seed();
        for (var i = 0; i < Plans; i++)
        {
            await OpenAsync(new RebuildData(seed + i), seed + i);
            await PlayAsync(new RebuildData(seed + i), seed + i);
            await CloseAsync();
            CompareTables($"at the end, seed {seed + i}");
        }
    }

    [Test]
    public async Task What_does_not_divide_is_refused_before_anything_is_taken_in()
    {
        var batch = await OpenBatchAsync();
        var good = new BatchVolume(1, new byte[64], new long[2]);
        Assert.That(
            () => batch.Add(new BatchIndexFile([good, new BatchVolume(1, new byte[33], new long[2])], []), 32, default),
            Throws.ArgumentException
        );
        Assert.That(
            () => batch.Add(new BatchIndexFile([good], [new BatchBlocklist(new byte[32], new byte[33])]), 32, default),
            Throws.ArgumentException
        );
        Assert.That(
            () => batch.Add(new BatchIndexFile([good], [new BatchBlocklist(default, new byte[32])]), 32, default),
            Throws.ArgumentException
        );
        Assert.That(() => batch.AddBlocklist(new byte[32], new byte[32], 0), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(
            () => batch.Add(new BatchIndexFile([good], []), 32, new CancellationToken(true)),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(() => batch.Add(null!, 32, default), Throws.ArgumentNullException);
        await m_rebuilds[0].CommitAsync();
        Assert.That(RebuildFile.Dump(m_paths[0]), Has.None.StartsWith("block|"));
        Assert.That(batch.Add(new BatchIndexFile([], []), 32, default), Is.EqualTo((0L, 0)));
        Assert.That(batch.AddBlocklist(new byte[32], [], 32), Is.True, "as at the API, an empty one is taken, and not kept");
    }

    [Test]
    public async Task Cancelled_between_blocks_the_rest_can_be_offered_again()
    {
        var batch = await OpenBatchAsync();
        var blocks = BatchBlocks.Range(0, 20_000);
        var statements = ((RealRebuild)m_rebuilds[0]).Recreate.Session.Statements;
        using var cancel = new CancelAtStep(statements, 0, sql => sql.StartsWith("INSERT INTO \"Block\"", StringComparison.Ordinal));
        Assert.That(() => batch.AddVolume(1, blocks.Hashes, blocks.Sizes, cancel.Token), Throws.InstanceOf<OperationCanceledException>());
        cancel.End();
        var rest = batch.AddVolume(1, blocks.Hashes, blocks.Sizes, default);
        Assert.That(rest, Is.InRange(1, 19_999));
        Assert.That(batch.AddVolume(1, blocks.Hashes, blocks.Sizes, default), Is.Zero);
        Assert.That(batch.AddVolume(2, blocks.Hashes, blocks.Sizes, default), Is.EqualTo(20_000), "all are duplicates");
        await m_rebuilds[0].CommitAsync();
        Assert.That(RebuildFile.Dump(m_paths[0]).Count(row => row.StartsWith("block|", StringComparison.Ordinal)), Is.EqualTo(20_000));
        Assert.That(RebuildFile.Dump(m_paths[0]).Count(row => row.StartsWith("duplicate|", StringComparison.Ordinal)), Is.EqualTo(20_000));
    }

    private async Task<BatchRebuild> OpenBatchAsync()
    {
        var path = await RebuildFile.CreateAsync(Folder, "batch.sqlite", []);
        var real = await RealRebuild.OpenAsync(path);
        m_paths.Add(path);
        m_rebuilds.Add(real);
        return BatchRebuild.Of(real.Recreate);
    }

    private async Task OpenAsync(RebuildData data, int seed)
    {
        m_paths.Clear();
        foreach (var name in new[] { "batch", "API", "plain" })
            m_paths.Add(await RebuildFile.CreateAsync(Folder, $"{name} {seed}.sqlite", data.Volumes));
        m_rebuilds.Add(await RealRebuild.OpenAsync(m_paths[0]));
        m_rebuilds.Add(await RealRebuild.OpenAsync(m_paths[1]));
        m_rebuilds.Add(new PlainRebuild(m_paths[2]));
    }

    private async Task CloseAsync()
    {
        foreach (var rebuild in m_rebuilds)
            await rebuild.DisposeAsync();
        m_rebuilds.Clear();
    }

    private async Task PlayAsync(RebuildData data, int seed)
    {
        foreach (var entry in data.Filelists.SelectMany(x => x))
        {
            foreach (var content in new[] { entry.Content, entry.Metadata }.OfType<PlanContent>())
                await EachAsync(x =>
                    x.AddBlocksetAsync(content.FullHash, content.Length, content.Lists.Select(y => y.Hash), content.Lists.Count)
                );
        }

        await EachAsync(x => x.CommitAsync());
        foreach (var volume in data.Volumes)
        {
            await AddIndexAsync(volume, (int)data.HashBytes, seed);
            var rollBack = data.Random.Next(8) == 0;
            if (data.Random.Next(3) == 0)
                await EachAsync(x => rollBack ? x.RollBackAsync() : x.CommitAsync());
        }

        await EachAsync(x => x.ResolveAsync(data.HashBytes, data.BlockBytes));
        CompareTables($"after a resolve, seed {seed}");
        await EachAsync(x => x.CleanupDeletedBlocksAsync());
        await EachAsync(x => x.CommitAsync());
    }

    private async Task AddIndexAsync(PlanVolume volume, int digestBytes, int seed)
    {
        // In every file blocks of no, one and two bytes, and a list for the second time.
        var small = Enumerable
            .Range(0, 3)
            .Select(size => new PlanBlock(Convert.ToBase64String([.. Enumerable.Repeat((byte)size, digestBytes)]), size));
        var blocks = (volume.IndexBlocks ?? []).Concat(small).ToList();
        var lists = volume.IndexLists.Where(list => IsBinary(list, digestBytes)).ToList();
        lists.AddRange([.. lists.Take(1)]);
        var file = new BatchIndexFile(
            [
                new BatchVolume(
                    volume.Id,
                    blocks.SelectMany(x => Convert.FromBase64String(x.Hash)).ToArray(),
                    blocks.Select(x => x.Size).ToArray()
                ),
            ],
            [
                .. lists.Select(x => new BatchBlocklist(
                    Convert.FromBase64String(x.Hash),
                    x.Entries.SelectMany(Convert.FromBase64String).ToArray()
                )),
            ]
        );
        var (changed, staged) = BatchRebuild.Of(((RealRebuild)m_rebuilds[0]).Recreate).Add(file, digestBytes, default);
        foreach (var rebuild in m_rebuilds.Skip(1))
        {
            var counts = (0L, 0);
            foreach (var block in blocks)
                counts.Item1 += (await rebuild.UpdateBlockAsync(block.Hash, block.Size, volume.Id)).Item1 ? 1 : 0;
            foreach (var list in lists)
                counts.Item2 += await rebuild.AddListAsync(list.Hash, list.Entries) ? 1 : 0;
            Assert.That((changed, staged), Is.EqualTo(counts), $"seed {seed}");
        }
    }

    private static bool IsBinary(PlanList list, int digestBytes) =>
        list
            .Entries.Append(list.Hash)
            .All(x => Convert.TryFromBase64String(x, new byte[x.Length], out var length) && length == digestBytes);

    private async Task EachAsync(Func<IRebuild, Task> step)
    {
        foreach (var rebuild in m_rebuilds)
            await step(rebuild);
    }

    private void CompareTables(string when)
    {
        var expected = RebuildFile.Dump(m_paths[2]);
        Assert.That(RebuildFile.Dump(m_paths[0]), Is.EqualTo(expected), $"batch, {when}");
        Assert.That(RebuildFile.Dump(m_paths[1]), Is.EqualTo(expected), $"API, {when}");
    }
}

/// <summary>Blocks for batch members: digests made of numbers, packed one after the other, with sizes and room for the answers.</summary>
internal sealed class BatchBlocks
{
    internal BatchBlocks(int digestBytes, params IReadOnlyList<(int Number, long Size)> blocks)
    {
        DigestBytes = digestBytes;
        Hashes = [.. blocks.SelectMany(x => Digest(x.Number, digestBytes))];
        Sizes = [.. blocks.Select(x => x.Size)];
        Ids = new long[blocks.Count];
        IsNew = new bool[blocks.Count];
    }

    internal int DigestBytes { get; }

    internal byte[] Hashes { get; }

    internal long[] Sizes { get; }

    internal long[] Ids { get; }

    internal bool[] IsNew { get; }

    /// <summary>Blocks of one size with the numbers of a range.</summary>
    internal static BatchBlocks Range(int first, int count) =>
        new(32, [.. Enumerable.Range(first, count).Select(number => (number, 1024L))]);

    /// <summary>A digest of any length that depends on a number only.</summary>
    internal static byte[] Digest(int number, int bytes) =>
        [
            .. Enumerable
                .Range(0, (bytes + 63) / 64)
                .SelectMany(part => SHA512.HashData(BitConverter.GetBytes(number + (part * 1_000_003L))))
                .Take(bytes),
        ];

    /// <summary>The text that the tables have for a digest.</summary>
    internal static string Text(int number, int bytes = 32) => Convert.ToBase64String(Digest(number, bytes));

    /// <summary>The text of a block's hash.</summary>
    internal string Text(long index) => Convert.ToBase64String(Hashes.AsSpan((int)index * DigestBytes, DigestBytes));
}
