// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Streams for the processes of a restore. All may run at the same time.</summary>
internal partial class LocalRestoreDatabase
{
    // Small table, one row a volume; once a restore.
    private const string LargestVolume = """SELECT MAX("Size") FROM "Remotevolume" WHERE "Type" = 'Blocks'""";

    private EntryReads Entries => new(Session, List);

    /// <summary>Files of the list, or those not verified yet, with their target paths.</summary>
    public IAsyncEnumerable<IFileToRestore> GetFilesToRestoreAsync(bool onlyNonVerified, CancellationToken token) =>
        Entries.FilesToRestore(onlyNonVerified, token);

    /// <summary>Target paths of the folders in the list.</summary>
    public IAsyncEnumerable<string> GetTargetFoldersAsync(CancellationToken token) => Entries.TargetFolders(token);

    /// <summary>Files and symbolic links of the list, largest first.</summary>
    /// <exception cref="InvalidOperationException">Target paths have not been chosen.</exception>
    public IAsyncEnumerable<FileRequest> GetFilesAndSymlinksToRestoreAsync(CancellationToken token) => Entries.FilesAndSymlinks(token);

    /// <summary>Folders of the list that have metadata.</summary>
    public IAsyncEnumerable<FileRequest> GetFolderMetadataToRestoreAsync(CancellationToken token) => Entries.FolderMetadata(token);

    /// <summary>One pair of block id and volume id for each use of a block by the list; a block used five times comes five times.</summary>
    /// <param name="skipMetadata">Whether uses by metadata are left out.</param>
    /// <param name="token">Cancels the stream.</param>
    public async IAsyncEnumerable<(long, long)> GetBlocksAndVolumeIDsAsync(
        bool skipMetadata,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        if (!List.Exists)
            yield break;

        await foreach (var use in Paged.PagesAsync<BlockUse>(Session, () => new UseCursor(skipMetadata).Next, token).ConfigureAwait(false))
            yield return (use.BlockId, use.VolumeId);
    }

    /// <summary>
    /// Everything the list needs, volume by volume, each volume once: for a restore that opens volumes one after the other
    /// instead of files. Not part of the layer that is replaced; see <see cref="VolumePass"/> for order, memory and cost.
    /// </summary>
    /// <param name="skipMetadata">Whether uses by metadata are left out.</param>
    /// <param name="token">Cancels the stream.</param>
    internal IAsyncEnumerable<VolumeNeed> GetNeedsByVolumeAsync(bool skipMetadata, CancellationToken token)
    {
        ThrowIfNoList();
        return new VolumePass(Session, skipMetadata).ReadAsync(token);
    }

    /// <summary>
    /// Those of the blocks that a volume is needed for that another operation has moved since, or of which another volume has a copy, by
    /// the volumes that have them.
    /// Committed rows only.
    /// </summary>
    /// <param name="volume">The volume and the blocks.</param>
    /// <param name="tried">Ids of volumes that are not named again, with that of the volume itself.</param>
    /// <param name="token">Cancels.</param>
    internal IReadOnlyList<VolumeNeed> FindMovedBlocks(VolumeNeed volume, IReadOnlyCollection<long> tried, CancellationToken token) =>
        BlockReads.Moved(Readers, volume, tried, token);

    /// <summary>The blocks of one blockset in index order, numbered from 0. Committed rows only.</summary>
    public IAsyncEnumerable<BlockRequest> GetBlocksFromFileAsync(long blocksetID, CancellationToken token) =>
        BlockReads.OfBlockset(Readers, blocksetID, token);

    /// <summary>
    /// The metadata blocks of one entry in index order, numbered from 0. Committed rows only; a slow consumer holds no connection.
    /// </summary>
    public IAsyncEnumerable<BlockRequest> GetMetadataBlocksFromFileAsync(long fileID, CancellationToken token) =>
        BlockReads.OfMetadata(Readers, fileID, token);

    /// <summary>
    /// Name, size (-1 if unknown) and hash (empty if unknown) of a volume; nothing for an unknown id. Committed rows only.
    /// </summary>
    public IAsyncEnumerable<(string, long, string)> GetVolumeInfoAsync(long VolumeID, CancellationToken token) =>
        BlockReads.Volume(Readers, VolumeID, token);

    /// <summary>Bytes of the largest block volume, -1 if there is none.</summary>
    public Task<long> GetLargestVolumeAsync(CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                return session.ReadNumber(LargestVolume, ifNone: -1);
            },
            token
        );

    /// <summary>Marks a file of the list as verified. Does not commit.</summary>
    public Task MarkFileDataVerifiedAsync(long targetfileid, CancellationToken token) =>
        Session.ShortAsync(
            _ =>
            {
                if (List.Exists)
                    List.SetDataVerified(targetfileid);
            },
            token
        );
}
