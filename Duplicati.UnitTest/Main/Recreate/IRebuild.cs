// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Recreate;

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
