// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>The object under test, opened on a prepared database file.</summary>
internal sealed class RealRebuild : IRebuild
{
    private RealRebuild(LocalDatabase parent, LocalRecreateDatabase recreate)
    {
        Parent = parent;
        Recreate = recreate;
    }

    internal LocalDatabase Parent { get; }

    internal LocalRecreateDatabase Recreate { get; }

    internal static async Task<RealRebuild> OpenAsync(string path, RecreateLimits? limits = null, bool isLarge = false)
    {
        var parent = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default);
        var recreate = await LocalRecreateDatabase.CreateAsync(
            parent,
            new Options(new Dictionary<string, string?>()),
            null,
            CancellationToken.None
        );
        if (limits is not null)
        {
            // What a smaller machine would have.
            recreate.Work.Dispose();
            typeof(LocalRecreateDatabase)
                .GetField("m_work", BindingFlags.Instance | BindingFlags.NonPublic)!
                .SetValue(recreate, new RecreateWork(recreate.Session, limits));
        }

        if (isLarge)
            DeferredIndexes.Of(recreate.Session).MostRowsAtOnce = 0;
        return new RealRebuild(parent, recreate);
    }

    public Task<long> AddBlocksetAsync(string fullHash, long size, IEnumerable<string> lists, long expected) =>
        Recreate.AddBlocksetAsync(fullHash, size, lists, expected, default);

    public Task<long> AddMetadatasetAsync(string hash, long size, IEnumerable<string> lists, long expected) =>
        Recreate.AddMetadatasetAsync(hash, size, lists, expected, default);

    public Task AddEntryAsync(long fileset, long prefix, string path, DateTime time, long blockset, long metadata) =>
        blockset == LocalDatabase.FOLDER_BLOCKSET_ID
            ? Recreate.AddDirectoryEntryAsync(fileset, prefix, path, time, metadata, default)
            : Recreate.AddFileEntryAsync(fileset, prefix, path, time, blockset, metadata, default);

    public Task AddLinkAsync(string? fileHash, string? blockHash, long size) =>
        Recreate.AddSmallBlocksetLinkAsync(fileHash!, blockHash!, size, default);

    public Task<(bool, bool)> UpdateBlockAsync(string hash, long size, long volume) =>
        Recreate.UpdateBlockAsync(hash, size, volume, default);

    public Task<bool> AddListAsync(string hash, IEnumerable<string> entries) => Recreate.AddTempBlockListHashAsync(hash, entries, default);

    public async Task<List<string>> ListsInAsync(long volume) => await Recreate.GetBlockListsAsync(volume, default).ToListAsync();

    public Task ResolveAsync(long hashBytes, long blockBytes) => Recreate.FindMissingBlocklistHashesAsync(hashBytes, blockBytes, default);

    public async Task<List<string>> PassAsync(int pass, long blockBytes, long hashBytes, bool force) =>
        await Recreate.GetMissingBlockListVolumesAsync(pass, blockBytes, hashBytes, force, default).Select(x => x.Name).ToListAsync();

    public Task CleanupMissingVolumesAsync() => Recreate.CleanupMissingVolumesAsync(CancellationToken.None);

    public Task CleanupDeletedBlocksAsync() => Recreate.CleanupDeletedBlocksAsync(CancellationToken.None);

    public Task CommitAsync() => Recreate.CommitAsync(CancellationToken.None);

    public Task RollBackAsync() => Recreate.Transaction.RollBackAsync(CancellationToken.None);

    public async ValueTask DisposeAsync()
    {
        await Recreate.DisposeAsync();
        await Parent.DisposeAsync();
    }
}

/// <summary>The members that a recreate drives, so that a plan can be played on the real object and on its plain double.</summary>
internal interface IRebuild : IAsyncDisposable
{
    Task<long> AddBlocksetAsync(string fullHash, long size, IEnumerable<string> lists, long expected);

    Task<long> AddMetadatasetAsync(string hash, long size, IEnumerable<string> lists, long expected);

    Task AddEntryAsync(long fileset, long prefix, string path, DateTime time, long blockset, long metadata);

    Task AddLinkAsync(string? fileHash, string? blockHash, long size);

    Task<(bool, bool)> UpdateBlockAsync(string hash, long size, long volume);

    Task<bool> AddListAsync(string hash, IEnumerable<string> entries);

    Task<List<string>> ListsInAsync(long volume);

    Task ResolveAsync(long hashBytes, long blockBytes);

    Task<List<string>> PassAsync(int pass, long blockBytes, long hashBytes, bool force);

    Task CleanupMissingVolumesAsync();

    Task CleanupDeletedBlocksAsync();

    Task CommitAsync();

    Task RollBackAsync();
}
