// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Repair;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Questions about what a backup has lost, and fixes for what can be wrong in its database.</summary>
/// <remarks>Only the fixes commit, and only if they changed something. One call chain at a time.</remarks>
internal class LocalRepairDatabase : LocalDatabase
{
    private const string OperationName = "Repair";

    /// <summary>Opens, creates or upgrades the database at a path and begins an operation; disposing closes the connection.</summary>
    public static Task<LocalRepairDatabase> CreateRepairDatabaseAsync(string path, LocalRepairDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalRepairDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalRepairDatabase> CreateAsync(LocalDatabase dbparent, LocalRepairDatabase? dbnew, CancellationToken token) =>
        ChildAsync(dbparent, dbnew ?? new LocalRepairDatabase(), token);

    /// <summary>The fileset that a list volume belongs to; time in local time.</summary>
    /// <exception cref="Exception">No fileset belongs to a volume of that name.</exception>
    public Task<(long FilesetId, DateTime Time, bool IsFullBackup)> GetFilesetFromRemotenameAsync(
        string filelist,
        CancellationToken token
    ) =>
        Session.ShortAsync(
            session =>
            {
                var (id, seconds, isFull) = RepairFilesets.OfVolume(session, filelist);
                return (id, ParseFromEpochSeconds(seconds).ToLocalTime(), isFull);
            },
            token
        );

    /// <summary>Moves all entries of one fileset to another.</summary>
    /// <param name="filesetid">The fileset that gets the entries.</param>
    /// <param name="prevFilesetId">The fileset that loses them.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="ArgumentException">An id is not positive.</exception>
    public Task MoveFilesFromFilesetAsync(long filesetid, long prevFilesetId, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                ThrowUnlessPositive(filesetid);
                ThrowUnlessPositive(prevFilesetId);
                RepairFilesets.MoveEntries(session, filesetid, prevFilesetId);
                FilesetLabels.Move(session, prevFilesetId, filesetid);
            },
            token
        );

    /// <summary>Names of the index volumes that describe a block volume. A stable copy.</summary>
    public IAsyncEnumerable<string> GetIndexFilesReferencingBlockFileAsync(long blockfileid, CancellationToken token) =>
        Session.SnapshotAsync(session => RepairVolumes.IndexesOf(session, blockfileid), token);

    /// <summary>
    /// Id and local time of the filesets with an entry whose file is not known. A stable copy; linear in the entries of all filesets.
    /// </summary>
    public IAsyncEnumerable<KeyValuePair<long, DateTime>> GetFilesetsWithMissingFilesAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
                RepairFilesets
                    .WithMissingFiles(session)
                    .ConvertAll(x => KeyValuePair.Create(x.Id, ParseFromEpochSeconds(x.EpochSeconds).ToLocalTime())),
            token
        );

    /// <summary>Deletes all entries of a fileset and returns their number.</summary>
    public Task<int> DeleteFilesetEntriesAsync(long filesetid, CancellationToken token) =>
        Session.LongAsync(session => RepairFilesets.DeleteEntries(session, filesetid), token);

    /// <summary>The block volumes that an index volume describes; hash empty and size -1 where unknown. A stable copy.</summary>
    public IAsyncEnumerable<IRemoteVolume> GetBlockVolumesFromIndexNameAsync(string indexName, CancellationToken token) =>
        Session.SnapshotAsync(session => RepairVolumes.DescribedBy(session, indexName), token);

    /// <summary>Names of the list volumes, other than deleted ones, that no fileset belongs to. A stable copy.</summary>
    public IAsyncEnumerable<string> MissingLocalFilesetsAsync(CancellationToken token) =>
        Session.SnapshotAsync(RepairVolumes.ListsWithoutFileset, token);

    /// <summary>Id, time (UTC) and completeness of the filesets whose list volume is gone. A stable copy.</summary>
    public IAsyncEnumerable<(long FilesetID, DateTime Timestamp, bool IsFull)> MissingRemoteFilesetsAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session => RepairFilesets.WithoutVolume(session).ConvertAll(x => (x.Id, ParseFromEpochSeconds(x.EpochSeconds), x.IsFull)),
            token
        );

    /// <summary>The uploaded index volumes that describe no block volume; hash empty and size -1 where unknown. A stable copy.</summary>
    public IAsyncEnumerable<IRemoteVolume> EmptyIndexFilesAsync(CancellationToken token) =>
        Session.SnapshotAsync(RepairVolumes.EmptyIndexes, token);

    /// <summary>Checks what an index file says about a block volume. Blocks that the database does not know are no error.</summary>
    /// <param name="filename">The block volume.</param>
    /// <param name="blocks">Hash and size of the blocks that are said to be in it.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Exception">A known block is registered in another volume.</exception>
    public async Task CheckAllBlocksAreInVolumeAsync(
        string filename,
        IEnumerable<KeyValuePair<string, long>> blocks,
        CancellationToken token
    )
    {
        // The sequence may read a file, which must not happen while the connection is held.
        var list = blocks.ToList();
        await Session.LongAsync(session => IndexChecks.BlocksAreIn(session, filename, list), token).ConfigureAwait(false);
    }

    /// <summary>Compares a blocklist of an index file with the blocks of a blockset that has it.</summary>
    /// <param name="hash">The hash of the blocklist.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="blocklist">The hashes in it.</param>
    /// <param name="blocksize">Bytes of a full block.</param>
    /// <param name="blockhashlength">Bytes of a digest.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Exception">A hash differs, or there are fewer or more hashes than the database knows.</exception>
    public async Task CheckBlocklistCorrectAsync(
        string hash,
        long length,
        IEnumerable<string> blocklist,
        long blocksize,
        long blockhashlength,
        CancellationToken token
    )
    {
        var hashes = blocklist.ToList();
        await Session
            .LongAsync(session => IndexChecks.Of(session).BlocklistIsRight(hash, length, hashes, blocksize / blockhashlength), token)
            .ConfigureAwait(false);
    }

    /// <summary>Lists the blocks of a lost volume; to be disposed.</summary>
    /// <exception cref="Exception">No block is registered in a volume of that name.</exception>
    public Task<IMissingBlockList> CreateBlockListAsync(string volumename, CancellationToken token) =>
        Session.LongAsync<IMissingBlockList>(session => MissingBlockList.Create(session, volumename), token);

    private static void ThrowUnlessPositive(long id, [CallerArgumentExpression(nameof(id))] string? name = null)
    {
        if (id <= 0)
            throw new ArgumentException($"The id of a fileset must be positive, but is {id}.", name);
    }

    /// <summary>Leaves one row of metadata for each content. Linear in the metadata. Commits if there was something to do.</summary>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateHashesRepairFailed: duplicates are left.</exception>
    public Task FixDuplicateMetahashAsync(CancellationToken token) => FixAsync(DuplicateRows.Metadata.Fix, "FixDuplicateMetahash", token);

    /// <summary>Leaves one row for each path, content and metadata. Linear in the files. Commits if there was something to do.</summary>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateFilesRepairFailed: duplicates are left.</exception>
    public Task FixDuplicateFileentriesAsync(CancellationToken token) =>
        FixAsync(DuplicateRows.Files.Fix, "FixDuplicateFileentries", token);

    /// <summary>
    /// Leaves each path once in a fileset, in the version with the highest file id. Near-linear in the files. Commits if there was
    /// something to do.
    /// </summary>
    public Task FixDuplicatePathsInFilesetsAsync(CancellationToken token) =>
        FixAsync(DuplicatePaths.Fix, "FixDuplicatePathsInFilesets", token);

    /// <summary>Leaves one blocklist for each position of a blockset. Commits if there was something to do.</summary>
    /// <param name="blocksize">Bytes of a full block.</param>
    /// <param name="hashsize">Bytes of a digest.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateBlocklistHashesRepairFailed: the tables do not fit together
    /// afterwards.</exception>
    /// <exception cref="Exception">An unexpected number of rows was deleted.</exception>
    public Task FixDuplicateBlocklistHashesAsync(long blocksize, long hashsize, CancellationToken token) =>
        FixAsync(session => DuplicateBlocklists.Fix(session, blocksize, hashsize, token), "FixDuplicateBlocklistHashes", token);

    /// <summary>
    /// Makes the blocklists of blocksets that lack some, or have too many, from their blocks. Linear in the blocks of all blocksets.
    /// Commits if there was something to do.
    /// </summary>
    /// <param name="blockhashalgorithm">The hash function of blocks.</param>
    /// <param name="blocksize">Bytes of a full block.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id MissingBlocklistHashesRepairFailed: some are left.</exception>
    /// <exception cref="Exception">A blocklist is stored in no volume, or a blockset has gaps.</exception>
    public Task FixMissingBlocklistHashesAsync(string blockhashalgorithm, long blocksize, CancellationToken token) =>
        FixAsync(session => BlocklistRebuild.Fix(session, blockhashalgorithm, blocksize), "FixMissingBlocklistHashes", token);

    /// <summary>
    /// Replaces metadata without content by other metadata. Linear in the blocksets. Commits if there was something to do.
    /// </summary>
    /// <param name="options">Name the hash function of files.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id FailedToLocateEmptyMetadataBlockset: there is nothing to replace it by;
    /// MetadataRepairFailed: some is left.</exception>
    public Task FixEmptyMetadatasetsAsync(Options options, CancellationToken token)
    {
        var empty = EmptyMetadata.Of(options.FileHashAlgorithm);
        return FixAsync(session => ZeroLengthMetadata.Fix(session, empty), "FixEmptyMetadatasets", token);
    }

    private Task FixAsync(Func<DatabaseSession, bool> fix, string message, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                if (fix(session))
                    m_rtr.Commit(message);
            },
            token
        );

    /// <summary>A place in a source file where a lost block may still be found.</summary>
    /// <param name="Hash">The block's hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="File">The full path.</param>
    /// <param name="Offset">Where in the file, in bytes.</param>
    public sealed record BlockWithSourceData(string Hash, long Size, string File, long Offset);

    /// <summary>A source entry whose metadata may still give a lost block.</summary>
    /// <param name="Hash">The block's hash.</param>
    /// <param name="Size">Its size in bytes.</param>
    /// <param name="Path">The full path.</param>
    public sealed record BlockWithMetadataSourceData(string Hash, long Size, string Path);

    /// <summary>One block of a blockset that has lost a blocklist.</summary>
    /// <param name="BlocksetId">The blockset.</param>
    /// <param name="BlocklistHash">The hash of the blocklist that the block is in.</param>
    /// <param name="BlocklistHashLength">The length of the blockset in bytes.</param>
    /// <param name="BlocklistHashIndex">The position of that blocklist, from 0.</param>
    /// <param name="Index">The position of the block in the blockset, from 0.</param>
    /// <param name="Hash">The hash of the block.</param>
    public sealed record BlocklistHashesEntry(
        long BlocksetId,
        string BlocklistHash,
        long BlocklistHashLength,
        long BlocklistHashIndex,
        int Index,
        string Hash
    );

    /// <summary>
    /// The blocks of a lost volume, and which of them have been found elsewhere. Blocks may be marked while any of the sequences is read.
    /// </summary>
    public interface IMissingBlockList : IDisposable, IAsyncDisposable
    {
        /// <summary>Marks a block as found and registers it in its new volume; the lost volume is kept as a place of a duplicate.</summary>
        /// <returns>False, and nothing is changed, if the block is not in the list or has been marked already.</returns>
        /// <exception cref="Exception">The block is no longer known.</exception>
        Task<bool> SetBlockRestoredAsync(string hash, long size, long volumeId, CancellationToken token);

        /// <summary>
        /// Where in source files the blocks not yet found may be: each version of each file, ordered by hash, size, path and offset.
        /// </summary>
        /// <param name="blocksize">Bytes of a full block.</param>
        /// <param name="token">Cancels the call.</param>
        IAsyncEnumerable<BlockWithSourceData> GetSourceFilesWithBlocksAsync(long blocksize, CancellationToken token);

        /// <summary>Whose metadata the blocks not yet found are part of, ordered by hash, size and path.</summary>
        IAsyncEnumerable<BlockWithMetadataSourceData> GetSourceItemsWithMetadataBlocksAsync(CancellationToken token);

        /// <summary>All blocks of the blocksets that have a blocklist not yet found, ordered by blockset and index.</summary>
        /// <param name="hashesPerBlock">Hashes in a full blocklist.</param>
        /// <param name="token">Cancels the call.</param>
        /// <exception cref="Exception">A blockset lacks the row of a blocklist.</exception>
        IAsyncEnumerable<BlocklistHashesEntry> GetBlocklistHashesAsync(long hashesPerBlock, CancellationToken token);

        /// <summary>The number of blocks not yet found.</summary>
        Task<long> GetMissingBlockCountAsync(CancellationToken token);

        /// <summary>
        /// The list volumes of the filesets with a file whose data needs any block of the list, found or not. Metadata does not count.
        /// </summary>
        IAsyncEnumerable<IRemoteVolume> GetFilesetsUsingMissingBlocksAsync(CancellationToken token);

        /// <summary>Other volumes in which a block not yet found is registered.</summary>
        IAsyncEnumerable<IRemoteVolume> GetMissingBlockSourcesAsync(CancellationToken token);
    }
}
