// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Compact;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Removes versions, and plans and books the rewriting of volumes.</summary>
/// <remarks>Nothing here commits. One call chain at a time.</remarks>
internal class LocalDeleteDatabase : LocalDatabase
{
    /// <summary>Which volumes can be deleted or are worth rewriting. A snapshot; may be asked repeatedly.</summary>
    public interface ICompactReport
    {
        /// <summary>Names of the volumes of which nothing is in use.</summary>
        IEnumerable<string> DeleteableVolumes { get; }

        /// <summary>Names of the volumes to rewrite: those with waste, then small ones, each by the oldest version that uses it.</summary>
        IEnumerable<string> CompactableVolumes { get; }

        /// <summary>Whether any volume can be deleted.</summary>
        bool ShouldReclaim { get; }

        /// <summary>Whether there is enough waste, or are enough small volumes, to rewrite volumes.</summary>
        bool ShouldCompact { get; }

        /// <summary>Logs the figures and the reason.</summary>
        void ReportCompactData();
    }

    /// <summary>Answers whether a block is needed. Keeps working across commits.</summary>
    public interface IBlockQuery : IDisposable
    {
        /// <summary>Whether a block is live and, unless <paramref name="volumeId"/> is -1, registered in that volume.</summary>
        Task<bool> UseBlockAsync(string hash, long size, long volumeId, CancellationToken token);
    }

    /// <summary>Opens, creates or upgrades the database at a path and begins an operation; disposing closes the connection.</summary>
    public static Task<LocalDeleteDatabase> CreateAsync(
        string path,
        string operation,
        LocalDeleteDatabase? dbnew,
        CancellationToken token
    ) => OpenAsync(path, operation, dbnew ?? new LocalDeleteDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalDeleteDatabase> CreateAsync(LocalDatabase dbparent, LocalDeleteDatabase? dbnew, CancellationToken token) =>
        ChildAsync(dbparent, dbnew ?? new LocalDeleteDatabase(), token);

    /// <summary>
    /// Deletes the versions of the given times and every row that nothing refers to any more, when the first item is asked for.
    /// Linear in the number of entries, files, blocksets and blocks.
    /// </summary>
    /// <returns>Name and size (-1 if unknown) of the file lists that are to be deleted remotely.</returns>
    /// <exception cref="Exception">The number of versions, or of their volumes, is not the number of times.</exception>
    public IAsyncEnumerable<KeyValuePair<string, long>> DropFilesetsFromTableAsync(DateTime[] toDelete, CancellationToken token) =>
        DropAsync(session => FilesetDeletion.Run(session, toDelete), token);

    /// <summary>The same for versions by their ids, of which several may have one time.</summary>
    internal IAsyncEnumerable<KeyValuePair<string, long>> DropFilesetsAsync(IReadOnlyCollection<long> ids, CancellationToken token) =>
        DropAsync(session => FilesetDeletion.RunById(session, ids), token);

    private IAsyncEnumerable<KeyValuePair<string, long>> DropAsync(
        Func<DatabaseSession, List<KeyValuePair<string, long>>> drop,
        CancellationToken token
    ) =>
        Session.SnapshotAsync(
            session =>
            {
                var lists = drop(session);
                ToldStates.Of(session).Remove(lists.ConvertAll(x => x.Key));
                return lists;
            },
            token
        );

    /// <summary>The versions, newest first.</summary>
    internal IAsyncEnumerable<IListResultFileset> FilesetsWithBackupVersionAsync(CancellationToken token) =>
        Session.SnapshotAsync(FilesetVersions.NewestFirst, token);

    /// <summary>The id of the version of exactly that second, or -1.</summary>
    internal Task<long> GetFilesetIdByTimeAsync(DateTime filesetTimeLocal, CancellationToken token) =>
        Session.ShortAsync(session => FilesetVersions.IdAt(session, filesetTimeLocal), token);

    /// <summary>Whether any volume that a version depends on is locked beyond a time.</summary>
    internal async Task<bool> HasAnyLockedFilesAsync(long filesetId, DateTime nowUtc, CancellationToken token)
    {
        await foreach (var volume in GetRemoteVolumesDependingOnFilesetsAsync([filesetId], token).ConfigureAwait(false))
        {
            if (volume.LockExpirationTime > nowUtc)
                return true;
        }

        return false;
    }

    /// <summary>Works out which volumes can be deleted or are worth rewriting. Linear in the number of blocks.</summary>
    /// <param name="volsize">Bytes of a full volume.</param>
    /// <param name="wastethreshold">Percentage from which waste counts.</param>
    /// <param name="smallfilesize">Bytes up to which a volume is small.</param>
    /// <param name="maxsmallfilecount">Small volumes that may stay.</param>
    /// <param name="token">Cancels the call.</param>
    public Task<ICompactReport> GetCompactReportAsync(
        long volsize,
        long wastethreshold,
        long smallfilesize,
        long maxsmallfilecount,
        CancellationToken token
    ) =>
        Session.LongAsync<ICompactReport>(
            session =>
            {
                session.LockForAnswers(token);
                return CompactReport.Create(session, volsize, wastethreshold, smallfilesize, maxsmallfilecount);
            },
            token
        );

    /// <summary>An object that answers which blocks are needed.</summary>
    public Task<IBlockQuery> CreateBlockQueryHelperAsync(CancellationToken token) =>
        Session.ShortAsync<IBlockQuery>(static session => new BlockQuery(session), token, tellsMore: false);

    /// <summary>Records that a volume holds a copy of a live block; nothing for other blocks or known copies.</summary>
    public Task RegisterDuplicatedBlockAsync(string hash, long size, long volumeID, CancellationToken token) =>
        Session.ShortAsync(session => BlockCopies.Of(session).Add(hash, size, volumeID), token);

    /// <summary>Points the live blocks of a volume that is about to go to their copies, and forgets the copies in it.</summary>
    /// <param name="filename">The volume; one that holds no blocks is left alone.</param>
    /// <param name="volumeIdsToBeRemoved">Ids of all volumes that go.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Exception">A live block has no copy in a volume that stays.</exception>
    public Task PrepareForDeleteAsync(string filename, IEnumerable<long> volumeIdsToBeRemoved, CancellationToken token)
    {
        var leaving = volumeIdsToBeRemoved.ToHashSet();
        return Session.LongAsync(session => BlockCopies.Of(session).MoveAwayFrom(filename, leaving), token);
    }

    /// <summary>Each volume once, in its order, followed by the index volumes that then describe nothing any more.</summary>
    public IAsyncEnumerable<IRemoteVolume> ReOrderDeleteableVolumesAsync(
        IEnumerable<IRemoteVolume> deleteableVolumes,
        CancellationToken token
    ) => Session.SnapshotAsync(deleteableVolumes, IndexVolumes.Interleave, token);
}
