// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.UnitTest.Main.Plain;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>
/// Random rebuilds, whole and damaged, on the real object and on the plain double: the same answers and the same tables after every step.
/// </summary>
[TestFixture]
internal sealed class RecreateEqualsPlainTests : FolderTestBase
{
    private const int Plans = 60;
    private const int PlansOfSeed = 2010;

    private static readonly (RecreateLimits? Memory, bool IsLarge)[] s_limits =
    [
        (null, false),
        (new(1, 1, 0), false),
        (new(20_000, 20_000, 100), false),
        (new(20_000, 20_000, 100), true),
    ];

    private IRebuild m_real = null!;
    private IRebuild m_plain = null!;
    private string m_realPath = null!;
    private string m_plainPath = null!;
    private (RecreateLimits? Memory, bool IsLarge) m_limits;
    private bool m_isInterrupted;
    private int m_seed;

    [SetUp]
    public void SetUp()
    {
        m_limits = default;
        m_isInterrupted = false;
    }

    [Test]
    [Contract("B 3.4 FindMissingBlocklistHashesAsync")]
    [Contract("B 9.7 idea 6")]
    [Contract("B 9.7 idea 7")]
    [Contract("B 9.8 rule 7")]
    [Contract("B 10 Q15")]
    public async Task Random_rebuilds_give_the_same_tables_as_plain_statements([Range(0, 3)] int part)
    {
        var seed = LongRun.Seed();
        for (var i = 0; i < Plans / 4; i++)
            await RunAsync(seed + (part * Plans) + i);
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    [Contract("B 9.8 rule 3")]
    [Contract("B 9.8 rule 11")]
    public Task Rebuilds_that_are_interrupted_and_have_hardly_any_memory_give_the_same_tables([Range(0, 3)] int limits) =>
        RunInterruptedAsync(limits, LongRun.Seed());

    [Test, Explicit("The long run, 2,000 rebuilds"), Category(LongRun.Category)]
    public async Task Long_run_of_interrupted_rebuilds()
    {
        var seed = (LongRun.Seed() & 0xffff) * PlansOfSeed;
        for (var left = LongRun.Count(2000); left > 0; left -= Plans / 4)
        {
            await RunInterruptedAsync(seed % s_limits.Length, seed);
            seed += Plans / 4;
        }
    }

    private async Task RunInterruptedAsync(int limits, int seed)
    {
        TestContext.Out.WriteLine($"first seed {seed}");
        m_isInterrupted = true;
        m_limits = s_limits[limits];
        for (var i = 0; i < Plans / 4; i++)
            await RunAsync(seed + i);
    }

    private async Task RunAsync(int seed)
    {
        m_seed = seed;
        var data = new RebuildData(seed);
        m_realPath = await RebuildFile.CreateAsync(Folder, $"real{seed}.sqlite", data.Volumes);
        m_plainPath = await RebuildFile.CreateAsync(Folder, $"plain{seed}.sqlite", data.Volumes);
        var schema = RebuildFile.Schema(m_realPath);
        m_plain = new PlainRebuild(m_plainPath);
        m_real = await RealRebuild.OpenAsync(m_realPath, m_limits.Memory, m_limits.IsLarge);
        try
        {
            await PlayAsync(data);
        }
        finally
        {
            await m_real.DisposeAsync();
            await m_plain.DisposeAsync();
        }

        Assert.That(RebuildFile.Schema(m_realPath), Is.EqualTo(schema), $"schema afterwards, seed {seed}");
        CompareTables("at the end");
    }

    private async Task PlayAsync(RebuildData data)
    {
        for (var i = 0; i < data.Filelists.Count; i++)
        {
            await PlayFilelistAsync(data, i + 1, data.Filelists[i]);
            await CommitOrRollBackAsync(data);
        }

        await PlayIndexFilesAsync(data);
        await BothAsync(x => x.CommitAsync());
        await BothAsync(x => x.CleanupMissingVolumesAsync());
        await ResolveAsync(data, "after the index files");
        for (var pass = 0; pass < 3; pass++)
        {
            var force = data.Random.Next(4) == 0;
            var offered = await SameAsync(x => x.PassAsync(pass, data.BlockBytes, data.HashBytes, force), $"pass {pass}");
            foreach (var name in offered)
                await PlayVolumeAsync(data, data.Volumes.Single(x => x.Name == name));
        }

        await ResolveAsync(data, "once more");
        await BothAsync(x => x.CleanupDeletedBlocksAsync());
        CompareTables("after the cleanup of blocks");
        await BothAsync(x => x.CleanupMissingVolumesAsync());
        await BothAsync(x => x.CommitAsync());
        CompareTables("after the cleanup of volumes");
    }

    private async Task PlayFilelistAsync(RebuildData data, long fileset, List<PlanEntry> entries)
    {
        foreach (var entry in entries)
        {
            var blockset = entry.Content is null ? LocalDatabase.FOLDER_BLOCKSET_ID : -1;
            var time = new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddSeconds(data.Random.Next(1000));
            await SameAsync(async rebuild => await AddEntryAsync(rebuild, fileset, entry, blockset, time), "an entry's outcome");
            if (entry.Content is not null)
                await LinkAsync(data, entry.Content);
            await LinkAsync(data, entry.Metadata);
        }
    }

    private static async Task<string> AddEntryAsync(IRebuild rebuild, long fileset, PlanEntry entry, long blockset, DateTime time)
    {
        try
        {
            if (entry.Content is { } content)
                blockset = await rebuild.AddBlocksetAsync(
                    content.FullHash,
                    content.Length,
                    content.Lists.Select(x => x.Hash),
                    content.Lists.Count
                );
            var metadata = await rebuild.AddMetadatasetAsync(
                entry.Metadata.FullHash,
                entry.Metadata.Length,
                entry.Metadata.Lists.Select(x => x.Hash),
                entry.Metadata.Lists.Count
            );
            await rebuild.AddEntryAsync(fileset, 1, entry.Path, time, blockset, metadata);
            return "added";
        }
        catch (SqliteException ex)
        {
            return $"refused with code {ex.SqliteErrorCode}";
        }
    }

    private async Task LinkAsync(RebuildData data, PlanContent content)
    {
        if (content.Blocks.Count > 1 && data.Random.Next(50) > 0)
            return;

        var block = content.Blocks.Count > 0 ? content.Blocks[0].Hash : content.FullHash;
        var (file, missing) = (content.FullHash, data.Random.Next(30) == 0);
        await BothAsync(x => x.AddLinkAsync(file, missing ? null : block, content.Length));
    }

    private async Task PlayIndexFilesAsync(RebuildData data)
    {
        foreach (var volume in data.Volumes)
        {
            foreach (var block in volume.IndexBlocks ?? [])
                await SameAsync(x => x.UpdateBlockAsync(block.Hash, block.Size, volume.Id), "a block's outcome");
            foreach (var list in volume.IndexLists)
            {
                await InterruptListAsync(data, list);
                await SameAsync(x => x.AddListAsync(list.Hash, list.Entries), "a list's outcome");
            }

            if (data.Random.Next(4) == 0)
                await CommitOrRollBackAsync(data);
        }
    }

    private async Task PlayVolumeAsync(RebuildData data, PlanVolume volume)
    {
        var changed = false;
        foreach (var block in volume.Blocks)
            changed |= (await SameAsync(x => x.UpdateBlockAsync(block.Hash, block.Size, volume.Id), "a block's outcome")).Item1;
        foreach (
            var hash in (
                await SameAsync(async x => (await x.ListsInAsync(volume.Id)).Order(StringComparer.Ordinal).ToList(), "lists of a volume")
            )
        )
        {
            if (volume.Lists.Find(x => x.Hash == hash) is { } list)
                changed |= await SameAsync(x => x.AddListAsync(hash, list.Entries), "a list's outcome");
        }

        if (changed)
            await ResolveAsync(data, "after a volume");
        await BothAsync(x => x.CommitAsync());
    }

    private async Task ResolveAsync(RebuildData data, string when)
    {
        await InterruptResolveAsync(data);
        await BothAsync(x => x.ResolveAsync(data.HashBytes, data.BlockBytes));
        CompareTables(when);
    }

    private async Task CommitOrRollBackAsync(RebuildData data)
    {
        var rollBack = data.Random.Next(6) == 0;
        await BothAsync(x => rollBack ? x.RollBackAsync() : x.CommitAsync());
        if (m_isInterrupted && data.Random.Next(6) == 0)
            await ReopenAsync();
    }

    // A volume that breaks off in the middle of a list: nothing of it is kept, and the whole list may come from another one.
    private async Task InterruptListAsync(RebuildData data, PlanList list)
    {
        if (!m_isInterrupted || data.Random.Next(3) > 0)
            return;

        try
        {
            Assert.That(await m_real.AddListAsync(list.Hash, BreakOff(list.Entries)), Is.False, "not read, because it is known");
        }
        catch (InvalidDataException) { }
    }

    private static IEnumerable<string> BreakOff(IReadOnlyList<string> entries)
    {
        foreach (var entry in entries.Skip(1))
            yield return entry;
        throw new InvalidDataException();
    }

    // Cancelled, or with a disk that is full: rolled back, and done again.
    private async Task InterruptResolveAsync(RebuildData data)
    {
        if (!m_isInterrupted || data.Random.Next(2) == 0)
            return;

        await BothAsync(x => x.CommitAsync());
        var real = (RealRebuild)m_real;
        using var cancel = new CancellationTokenSource();
        var (statements, last) = (0, data.Random.Next(40));
        if (data.Random.Next(2) == 0)
            real.Recreate.Session.Statements.Fault = _ => Count();
        else
            real.Recreate.Session.LimitPages(isFull: true);
        try
        {
            await real.Recreate.FindMissingBlocklistHashesAsync(data.HashBytes, data.BlockBytes, cancel.Token);
        }
        catch (Exception ex) when (ex is OperationCanceledException || (ex.InnerException ?? ex) is SqliteException { SqliteErrorCode: 13 })
        { }

        real.Recreate.Session.Statements.Fault = null;
        real.Recreate.Session.LimitPages(isFull: false);
        await real.RollBackAsync();

        int Count()
        {
            if (statements++ == last)
                cancel.Cancel();
            return 0;
        }
    }

    private async Task ReopenAsync()
    {
        await m_real.DisposeAsync();
        await m_plain.DisposeAsync();
        CompareTables("when it is opened again");
        m_plain = new PlainRebuild(m_plainPath);
        m_real = await RealRebuild.OpenAsync(m_realPath, m_limits.Memory, m_limits.IsLarge);
    }

    private async Task BothAsync(Func<IRebuild, Task> step)
    {
        await step(m_plain);
        await step(m_real);
    }

    private async Task<T> SameAsync<T>(Func<IRebuild, Task<T>> step, string what)
    {
        var expected = await step(m_plain);
        Assert.That(await step(m_real), Is.EqualTo(expected), $"{what}, seed {m_seed}");
        return expected;
    }

    private void CompareTables(string when) =>
        Assert.That(RebuildFile.Dump(m_realPath), Is.EqualTo(RebuildFile.Dump(m_plainPath)), $"tables {when}, seed {m_seed}");
}
