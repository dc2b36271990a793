// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// The rebuilding of a database from its remote volumes: the steps, what they share, and when their knowledge ends. Rows are written
/// as they come; only the contents of blocklists and the single-block links wait in memory for the next resolve.
/// </summary>
/// <remarks>
/// A rollback forgets what came since the last commit and makes the steps ask the tables again. The same happens, and the deferred
/// indexes are built, when somebody else is about to use the connection.
/// </remarks>
internal sealed class RecreateWork : ITransactionCache, IDisposable
{
    private const int BlocksBetweenChecks = 4096;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRecreateDatabase>();

    private static readonly Task<(bool, bool)> NewBlock = Task.FromResult((true, true));
    private static readonly Task<(bool, bool)> KnownBlock = Task.FromResult((false, false));
    private static readonly Task<(bool, bool)> Duplicate = Task.FromResult((true, false));
    private static readonly Task<bool> True = Task.FromResult(true);
    private static readonly Task<bool> False = Task.FromResult(false);

    private readonly DatabaseSession m_session;
    private readonly DeferredIndexes m_indexes;
    private readonly BulkStart m_start;
    private readonly SmallLinks m_links;
    private readonly VolumeQuestions m_questions;
    private readonly RecreateCleanup m_cleanup;
    private readonly BlocklistResolver m_resolver;
    private readonly Func<UInt128, bool> m_isWalkedNext;
    private bool m_disposed;

    /// <summary>Begins a rebuild on a session.</summary>
    internal RecreateWork(DatabaseSession session, RecreateLimits limits)
    {
        var keys = new KeyHasher();
        m_session = session;
        m_indexes = DeferredIndexes.Of(session);
        m_start = new BulkStart(session, ForgetTables);
        Blocks = new RecreateBlocks(session, m_start, keys, limits.BlockBytes);
        Blocklists = new StagedBlocklists(session, keys, limits.StagedBytes);
        Filelist = new RecreateFilelist(session, m_start, keys, limits.FileBytes);
        m_links = new SmallLinks(session, keys);
        m_questions = new VolumeQuestions(session, keys, Blocks);
        m_cleanup = new RecreateCleanup(session, Blocks);
        m_resolver = new BlocklistResolver(session, keys, Blocks, Blocklists, m_links, Filelist);
        m_isWalkedNext = key => Filelist.RecallBlockset(key) > m_resolver.LastBlockset;
        session.Register(this);
        session.ExternalUse += EndBulk;
        session.ContentsRemoved += ForgetContents;
    }

    /// <summary>Blocksets, metadata and file entries.</summary>
    internal RecreateFilelist Filelist { get; }

    /// <summary>Blocks.</summary>
    internal RecreateBlocks Blocks { get; }

    /// <summary>Contents of blocklists.</summary>
    internal StagedBlocklists Blocklists { get; }

    /// <summary>Records that a volume holds a block; completed when it returns, and without an allocation.</summary>
    internal Task<(bool, bool)> UpdateBlockAsync(string hash, long size, long volumeId, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(bool, bool)>(token);

        try
        {
            lock (m_session.ConnectionLock)
            {
                var (changed, gained) = Blocks.Update(hash, size, volumeId, token);
                return gained ? NewBlock
                    : changed ? Duplicate
                    : KnownBlock;
            }
        }
        catch (Exception ex)
        {
            return m_session.Failed<(bool, bool)>(ex);
        }
    }

    /// <summary>Adds an entry to a fileset.</summary>
    internal Task AddEntryAsync(
        long filesetId,
        long prefixId,
        string name,
        DateTime time,
        long blocksetId,
        long metadataId,
        CancellationToken token
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        try
        {
            Filelist.AddEntry(filesetId, prefixId, name, time, blocksetId, metadataId);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return m_session.Failed<bool>(ex);
        }
    }

    /// <summary>Stages the content of a blocklist.</summary>
    internal Task<bool> AddBlocklistAsync(string hash, IEnumerable<string> entries, CancellationToken token) =>
        Try(token, () => Blocklists.Add(hash, entries, token) ? True : False);

    /// <summary>Stages "this blockset is this block".</summary>
    internal Task AddLinkAsync(string? fileHash, string? blockHash, long size, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        try
        {
            lock (m_session.ConnectionLock)
                m_links.Add(fileHash, blockHash, size, m_isWalkedNext);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return m_session.Failed<bool>(ex);
        }
    }

    /// <summary>Records that a volume holds blocks, without texts.</summary>
    /// <param name="volumeId">The volume.</param>
    /// <param name="blocks">The blocks.</param>
    /// <param name="token">Seen every few thousand blocks.</param>
    /// <returns>Number of blocks that were new, had no volume, or became duplicates.</returns>
    internal long AddVolume(long volumeId, PackedBlocks blocks, CancellationToken token)
    {
        var changed = 0L;
        for (var start = 0; start < blocks.Count; start += BlocksBetweenChecks)
        {
            token.ThrowIfCancellationRequested();
            var some = blocks.Slice(start, Math.Min(BlocksBetweenChecks, blocks.Count - start));
            lock (m_session.ConnectionLock)
                changed += Blocks.Update(some, volumeId, token);
        }

        return changed;
    }

    /// <summary>
    /// Short work that takes the connection lock itself, as a task: completed when this returns, faulted instead of throwing.
    /// </summary>
    internal Task<T> Try<T>(CancellationToken token, Func<Task<T>> work)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);

        try
        {
            return work();
        }
        catch (Exception ex)
        {
            return m_session.Failed<T>(ex);
        }
    }

    /// <summary>Connects blocksets and blocks, and commits.</summary>
    internal Task ResolveAsync(Action<string> commit, long hashBytes, long blockBytes, CancellationToken token) =>
        m_session.LongAsync(
            _ =>
            {
                Resolve(hashBytes, blockBytes, withLinks: true, "BlocksetInsertFailed", token);
                commit("FindMissingBlocklistHashesAsync");
            },
            token
        );

    /// <summary>Connects blocksets and blocks, and does not commit.</summary>
    internal Task ResolveOnlyAsync(long hashBytes, long blockBytes, bool withLinks, CancellationToken token) =>
        m_session.LongAsync(_ => Resolve(hashBytes, blockBytes, withLinks, "BlockOrBlocksetInsertFailed", token), token);

    // With the write lock first: a transaction that had to be begun anew inside would lose the resolver's savepoint.
    private void Resolve(long hashBytes, long blockBytes, bool withLinks, string failureId, CancellationToken token)
    {
        m_session.BeginWriting();
        m_start.NoticeOthers();
        m_resolver.Resolve(hashBytes, blockBytes, withLinks, failureId, token);
    }

    /// <summary>The volumes that a pass offers; see <see cref="VolumeQuestions.Pass"/>.</summary>
    internal IAsyncEnumerable<IRemoteVolume> PassAsync(
        int pass,
        long blockBytes,
        long hashBytes,
        bool force,
        bool countUnknown,
        CancellationToken token
    ) => m_session.SnapshotAsync(_ => m_questions.Pass(pass, blockBytes / hashBytes, force, countUnknown), token);

    /// <summary>The blocklists among the blocks of a volume.</summary>
    internal IAsyncEnumerable<string> BlocklistsInAsync(long volumeId, CancellationToken token) =>
        m_session.SnapshotAsync(_ => m_questions.BlocklistsIn(volumeId), token);

    /// <summary>Whether a pass has anything to look for; see <see cref="VolumeQuestions.IsNeeded"/>.</summary>
    internal Task<bool> IsPassNeededAsync(int pass, long blockBytes, long hashBytes, CancellationToken token) =>
        m_session.LongAsync(_ => m_questions.IsNeeded(pass, blockBytes / hashBytes, force: false, countUnknown: true), token);

    /// <summary>Takes entries out of their filesets that cannot be so; see <see cref="ImpossibleBlocksets"/>.</summary>
    internal Task<(long Count, IReadOnlyList<string> First)> RefuseImpossibleAsync(int most, CancellationToken token) =>
        m_session.LongAsync(session => new ImpossibleBlocksets(session, m_resolver).Refuse(most), token);

    /// <summary>Removes volumes that are not there; see <see cref="RecreateCleanup.RemoveMissingVolumes"/>.</summary>
    internal Task RemoveMissingVolumesAsync(CancellationToken token) =>
        m_session.LongAsync(_ => m_cleanup.RemoveMissingVolumes(token), token);

    /// <summary>Gives blocks of volumes that are not there to those that have a copy.</summary>
    internal Task TakeOverMissingAsync(CancellationToken token) => m_session.LongAsync(_ => m_cleanup.TakeOverMissing(token), token);

    /// <summary>The blocks of metadata whose text is missing.</summary>
    internal IAsyncEnumerable<LocalRecreateDatabase.MetadataBlockInfo> MissingMetadataAsync(CancellationToken token) =>
        m_session.SnapshotAsync(MetadataContent.ListMissing, token);

    /// <summary>After a rollback: forgets what was staged since the last commit, and all rows.</summary>
    public void Discard()
    {
        Blocklists.Discard();
        m_links.Discard();
        m_resolver.Restart();
        ForgetRows();
    }

    /// <summary>
    /// Lets go of the session. The deferred indexes of large tables are left to whoever uses the database next. May be called more than
    /// once.
    /// </summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        lock (m_session.ConnectionLock)
        {
            if (!m_suspended)
                RestoreForDispose();
            if (m_session.Connection.State == System.Data.ConnectionState.Open)
                Blocks.Forget();
            m_session.ExternalUse -= EndBulk;
            m_session.ContentsRemoved -= ForgetContents;
            m_session.Unregister(this);
            Blocklists.Dispose();
        }
    }

    private void EndBulk()
    {
        m_indexes.Restore();
        ForgetTables();
    }

    // What was walked over or waits may be gone, and its ids those of others. The caches of rows notice by themselves.
    private void ForgetContents()
    {
        m_resolver.Restart();
        m_questions.Forget();
    }

    // Rows that a resolve has made may be taken away again by others.
    private void ForgetTables()
    {
        m_resolver.Restart();
        ForgetRows();
    }

    private void ForgetRows()
    {
        m_start.Forget();
        Blocks.Forget();
        Filelist.Forget();
        m_questions.Forget();
    }

    // The part of a recreate that can be gone on with after an interruption.

    // Row id; the last row.
    private const string LastBlocksetSql = """SELECT MAX("ID") FROM "Blockset" """;

    private bool m_suspended;

    /// <summary>
    /// From now on what is staged is written down as well; what is there already, by an interrupted recreate, is taken over, and what is
    /// in the tables counts as written by this one: their indexes are left out.
    /// </summary>
    /// <param name="journal">Where it is written.</param>
    /// <param name="sameHash">Whether a blockset of one block has the hash of that block.</param>
    /// <param name="token">Seen between rows.</param>
    internal void Keep(RecreateJournal journal, bool sameHash, CancellationToken token)
    {
        m_start.Continue();
        journal.Read(Blocklists, m_links, token);
        if (sameHash)
            m_links.ImplyUpTo(LastBlockset());
        Blocklists.Journal = journal;
        m_links.Journal = journal;
    }

    /// <summary>What is staged is not needed any more, by nobody.</summary>
    internal void StopKeeping()
    {
        Blocklists.Journal = null;
        m_links.Journal = null;
        new RecreateJournal(m_session).Drop();
    }

    /// <summary>The recreate will be gone on with: a disposal leaves indexes out that are left out.</summary>
    internal void Suspend() => m_suspended = true;

    private long LastBlockset() => m_session.ReadNumber(LastBlocksetSql);

    // The end of a recreate: what is not used goes, and the indexes that were left out are built.

    /// <summary>
    /// Removes lost blocks, books unused ones as deleted, builds the deferred indexes, and commits: of many blocks also before each of
    /// these indexes, so that an interruption from then on costs one index at most. The file is marked until it has all of them.
    /// </summary>
    internal Task RemoveUnusedBlocksAsync(Action<string> commit, CancellationToken token) =>
        m_session.LongAsync(
            _ =>
            {
                m_cleanup.RemoveUnusedBlocks(token);
                ForgetRows();
                m_indexes.Restore(commit, token);
                commit("CleanupDeletedBlocksAsync");
            },
            token
        );

    /// <summary>Builds the indexes that an interrupted recreate has not come to, although it had done everything else. Commits.</summary>
    internal Task BuildIndexesAsync(Action<string> commit, CancellationToken token) =>
        m_session.LongAsync(
            session =>
            {
                session.BeginWriting();
                m_indexes.Restore(commit, token);
                commit("BuildDeferredIndexes");
            },
            token
        );

    // The file is completed when it is opened the next time; a disposal must not hide the error that led to it.
    private void RestoreForDispose()
    {
        if (m_session.Connection.State != System.Data.ConnectionState.Open)
            return;

        try
        {
            m_session.RecoverTransaction();
            m_indexes.RestoreIfSmall();
        }
        catch (SqliteException ex)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "FailedToRestoreIndexes",
                ex,
                "Failed to build the indexes of the new database: {0}",
                ex.Message
            );
        }
    }
}

/// <summary>How much memory a recreate may use before it goes on more slowly on disk.</summary>
/// <param name="BlockBytes">For the map of blocks; beyond it a smaller one, whose answers are verified in the table, and beyond that the
/// index is asked.</param>
/// <param name="FileBytes">For the maps of blocksets, metadata and files each; beyond it they are looked up in the tables.</param>
/// <param name="StagedBytes">For the contents of blocklists; beyond it they go to a temporary file.</param>
internal sealed record RecreateLimits(long BlockBytes, long FileBytes, long StagedBytes)
{
    private const long LeastBytes = 16L << 20;

    // Eleven million blocks in the map, fifty-four million in the smaller one.
    private const long MostBlockBytes = 384L << 20;
    private const long MostFileBytes = 256L << 20;
    private const long MostStagedBytes = 96L << 20;

    // Three million blocks in the map, thirteen million in the smaller one.
    private static readonly RecreateLimits Small = new(96L << 20, 16L << 20, 4L << 20);

    /// <summary>
    /// Those of the preset in force, at most shares of the memory that this process may use, as the runtime knows it (a container's limit
    /// counts).
    /// </summary>
    internal static RecreateLimits ForThisMachine()
    {
        var memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        var most = ConnectionOptions.Current.IsSmall ? Small : new RecreateLimits(MostBlockBytes, MostFileBytes, MostStagedBytes);
        return new RecreateLimits(
            Math.Clamp(memory / 4, LeastBytes, most.BlockBytes),
            Math.Clamp(memory / 16, LeastBytes, most.FileBytes),
            Math.Min(Math.Max(memory / 16, LeastBytes), most.StagedBytes)
        );
    }
}
