// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.VolumeTest;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Chooses remote volumes to test, compares what they hold with the database, and counts the tests.</summary>
/// <remarks>Nothing here commits.</remarks>
internal class LocalTestDatabase : LocalDatabase
{
    private const string OperationName = "Test";

    /// <summary>The files of a list volume. Disposing removes what was added.</summary>
    public interface IFilelist : IDisposable, IAsyncDisposable
    {
        /// <summary>
        /// Adds a file found in the volume; without a hash its size does not count. Blocklists, type and time are not compared.
        /// </summary>
        Task AddAsync(
            string path,
            long size,
            string hash,
            long metasize,
            string metahash,
            IEnumerable<string> blocklistHashes,
            FilelistEntryType type,
            DateTime time,
            CancellationToken token
        );

        /// <summary>Status and path of each difference.</summary>
        IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token);
    }

    /// <summary>The block volumes an index volume describes. Disposing removes what was added.</summary>
    public interface IIndexlist : IDisposable, IAsyncDisposable
    {
        /// <summary>Adds a block volume named in the index volume.</summary>
        Task AddBlockLinkAsync(string filename, string hash, long length, CancellationToken token);

        /// <summary>Status and volume name of each difference.</summary>
        IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token);
    }

    /// <summary>The blocks of a block volume. Disposing removes what was added.</summary>
    public interface IBlocklist : IDisposable, IAsyncDisposable
    {
        /// <summary>Adds a block: its hash and its size in bytes.</summary>
        Task AddBlockAsync(string key, long value, CancellationToken token);

        /// <summary>Status and hash of each difference from the live, deleted and duplicate blocks of the volume.</summary>
        IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token);
    }

    /// <summary>The blocklists stored in an index volume. Disposing removes what was added.</summary>
    public interface IBlocklistHashList : IDisposable, IAsyncDisposable
    {
        /// <summary>Adds a blocklist: its hash and its size in bytes.</summary>
        Task AddBlockHashAsync(string hash, long size, CancellationToken token);

        /// <summary>Status and hash of each difference from the blocklists in the volumes that the index volume describes.</summary>
        IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(
            int hashesPerBlock,
            int hashSize,
            int blockSize,
            CancellationToken token
        );
    }

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalTestDatabase> CreateAsync(string path, LocalTestDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalTestDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalTestDatabase> CreateAsync(LocalDatabase dbparent, LocalTestDatabase? dbnew, CancellationToken token) =>
        ChildAsync(dbparent, dbnew ?? new LocalTestDatabase(), token);

    /// <summary>
    /// The volumes to test: those of unknown hash or size, then lists (of the chosen versions, if any are), indexes and block volumes,
    /// least tested first and otherwise at random. Without a list nothing more is tested, unless indexes alone are wanted.
    /// </summary>
    /// <param name="samples">Volumes of each kind; less than 1 counts as 1.</param>
    /// <param name="options">Time, versions and strategy are used.</param>
    /// <param name="token">Cancels the call.</param>
    public IAsyncEnumerable<IRemoteVolume> SelectTestTargetsAsync(long samples, Options options, CancellationToken token) =>
        Session.SnapshotAsync(session => TestTargets.Select(session, samples, options), token, tellsMore: false);

    /// <summary>Counts a test of a volume, whatever its outcome; an unknown name is ignored.</summary>
    public Task UpdateVerificationCountAsync(string name, CancellationToken token) =>
        Session.ShortAsync(session => TestTargets.CountVerification(session, name), token);

    /// <summary>An empty list of files to compare with a list volume.</summary>
    public Task<IFilelist> CreateFilelistAsync(string name, CancellationToken token) =>
        Session.ShortAsync<IFilelist>(session => new FoundFiles(session, name), token, tellsMore: false);

    /// <summary>An empty list of block volumes to compare with an index volume.</summary>
    public Task<IIndexlist> CreateIndexlistAsync(string name, CancellationToken token) =>
        Session.ShortAsync<IIndexlist>(session => new FoundLinks(session, name), token, tellsMore: false);

    /// <summary>An empty list of blocks to compare with a block volume.</summary>
    public Task<IBlocklist> CreateBlocklistAsync(string name, CancellationToken token) =>
        Session.ShortAsync<IBlocklist>(session => new FoundBlocks(session, name), token, tellsMore: false);

    /// <summary>An empty list of blocklists to compare with an index volume.</summary>
    public Task<IBlocklistHashList> CreateBlocklistHashListAsync(string name, CancellationToken token) =>
        Session.ShortAsync<IBlocklistHashList>(session => new FoundBlocklists(session, name), token, tellsMore: false);
}
