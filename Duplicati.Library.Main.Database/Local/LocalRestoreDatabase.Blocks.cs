// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Volumes;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Blocks of the list: marking them, and finding them in volumes or on this machine.</summary>
internal partial class LocalRestoreDatabase
{
    /// <summary>
    /// Asks for the blocks of everything in the list, and commits. The block list itself is built when it is first needed: by a
    /// marker, a search for sources, or a question about volumes.
    /// </summary>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public Task FindMissingBlocksAsync(bool skipMetadata, CancellationToken token) =>
        Session.ShortAsync(
            _ =>
            {
                ThrowIfNoList();
                List.Blocks.Want(skipMetadata);
                m_rtr.Commit("FindMissingBlocks");
            },
            token
        );

    /// <summary>Begins to keep totals of what is restored, and commits.</summary>
    /// <param name="createFilesNewlyDoneTracker">Whether the ids of files that become complete are collected.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public Task CreateProgressTrackerAsync(bool createFilesNewlyDoneTracker, CancellationToken token) =>
        Session.ShortAsync(_ => StartProgress(createFilesNewlyDoneTracker), token);

    /// <summary>Builds the block list if needed and returns an object that marks blocks in it.</summary>
    /// <exception cref="InvalidOperationException">No list has been prepared, or progress is not tracked.</exception>
    public Task<IBlockMarker> CreateBlockMarkerAsync(CancellationToken token) =>
        Session.LongAsync<IBlockMarker>(
            session =>
            {
                ThrowIfNoList();
                if (!List.Blocks.Progress.IsTracked)
                    throw new InvalidOperationException("The progress tracker has not been created.");
                List.Blocks.Build();
                return new BlockMarker(session, List, message => m_rtr.Commit(message));
            },
            token
        );

    /// <summary>The files of the list that have blocks, by target path.</summary>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public IAsyncEnumerable<IExistingFile> GetExistingFilesWithBlocksAsync(CancellationToken token)
    {
        ThrowIfNoList();
        return ExistingFiles.ReadAsync(Session, List, token);
    }

    /// <summary>Files with missing blocks, by target path, with all the places on this machine that may hold them.</summary>
    /// <param name="skipMetadata">Whether missing blocks of metadata are left out.</param>
    /// <param name="blocksize">Bytes in a full block.</param>
    /// <param name="token">Cancels the stream.</param>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public IAsyncEnumerable<ILocalBlockSource> GetFilesAndSourceBlocksAsync(bool skipMetadata, long blocksize, CancellationToken token)
    {
        ThrowIfNoList();
        return LocalSources.ReadAsync(Session, List, skipMetadata, blocksize, token);
    }

    /// <summary>
    /// Files with missing blocks, by id, whose source still exists and is not the target, with the blocks that its newest
    /// version has at the same place. Commits after the look at the sources, and at the end.
    /// </summary>
    /// <param name="blocksize">Bytes in a full block.</param>
    /// <param name="token">Cancels the stream.</param>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public IAsyncEnumerable<IFastSource> GetFilesAndSourceBlocksFastAsync(long blocksize, CancellationToken token)
    {
        ThrowIfNoList();
        return new FastSources(Session, List).ReadAsync(blocksize, message => m_rtr.Commit(message), token);
    }

    /// <summary>Volumes that hold missing blocks, in the order of the highest block index needed.</summary>
    public IAsyncEnumerable<IRemoteVolume> GetMissingVolumesAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
            {
                if (!List.Exists)
                    return [];
                List.Blocks.Build();
                return MissingVolumes.Read(session);
            },
            token
        );

    /// <summary>What an opened volume is needed for; commits. Dispose the answer before the next volume.</summary>
    /// <param name="curvolume">The volume; its listing is read once.</param>
    /// <param name="blocksize">Bytes in a full block.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="InvalidOperationException">No list has been prepared.</exception>
    public async Task<IFilesAndMetadata> GetMissingBlockDataAsync(BlockVolumeReader curvolume, long blocksize, CancellationToken token)
    {
        ThrowIfNoList();
        // The volume may have to be unpacked for this, which is nothing to wait for on the connection.
        var listing = await Task.Run(() => curvolume.Blocks.ToList(), token).ConfigureAwait(false);
        return await Session
            .LongAsync(
                session =>
                {
                    var patches = VolumePatches.Create(session, List, listing, blocksize, () => m_rtr.Commit("GetMissingBlockData"));
                    m_rtr.Commit("GetMissingBlockData");
                    return patches;
                },
                token
            )
            .ConfigureAwait(false);
    }

    private void StartProgress(bool newlyDone)
    {
        try
        {
            ThrowIfNoList();
            List.Blocks.Progress.Start(newlyDone);
            (m_fileprogtable, m_totalprogtable) = (RestoreTempTables.RestoreFile.Name, RestoreTempTables.RestoreBlock.Name);
            m_filesnewlydonetable = newlyDone ? RestoreTempTables.RestoreNewlyDone.Name : null;
        }
        catch (Exception ex)
        {
            m_fileprogtable = m_totalprogtable = null;
            Logging.Log.WriteWarningMessage(LOGTAG, "ProgressTrackerSetupError", ex, "Failed to set up the progress tracker");
            throw;
        }
        finally
        {
            m_rtr.Commit("CreateProgressTracker");
        }
    }

    private void ThrowIfNoList()
    {
        if (!List.Exists)
            throw new InvalidOperationException("No list of files to restore has been prepared.");
    }
}
