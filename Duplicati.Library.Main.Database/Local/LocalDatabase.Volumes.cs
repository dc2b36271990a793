// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>The id of a volume by exact name, -1 if there is none.</summary>
    public Task<long> GetRemoteVolumeIDAsync(string file, CancellationToken token) =>
        Session.ShortAsync(session => VolumeReads.Id(session, file), token, tellsMore: false);

    /// <summary>Name and id of those of the volumes that exist.</summary>
    public IAsyncEnumerable<KeyValuePair<string, long>> GetRemoteVolumeIDsAsync(IEnumerable<string> files, CancellationToken token) =>
        Session.SnapshotAsync(files, VolumeReads.Ids, token, tellsMore: false);

    /// <summary>A volume by exact name, times in UTC; <see cref="RemoteVolumeEntry.Empty"/> if there is none.</summary>
    public Task<RemoteVolumeEntry> GetRemoteVolumeAsync(string file, CancellationToken token) =>
        Session.ShortAsync(session => VolumeReads.ByName(session, file), token, tellsMore: false);

    /// <summary>All volumes, also deleted ones, times in UTC. A stable copy: the caller may change the rows meanwhile.</summary>
    public IAsyncEnumerable<RemoteVolumeEntry> GetRemoteVolumesAsync(CancellationToken token) =>
        Session.SnapshotAsync(VolumeReads.All, token, tellsMore: false);

    /// <summary>Volumes that are present and also marked as deleted, with the state of the present row. A stable copy.</summary>
    public IAsyncEnumerable<KeyValuePair<string, RemoteVolumeState>> DuplicateRemoteVolumesAsync(CancellationToken token) =>
        Session.SnapshotAsync(VolumeReads.Duplicates, token, tellsMore: false);

    /// <summary>The volume that lists a fileset, times in local time; the default value if there is none.</summary>
    public Task<RemoteVolumeEntry> GetRemoteVolumeFromFilesetIDAsync(long filesetID, CancellationToken token) =>
        Session.ShortAsync(session => VolumeReads.OfFileset(session, filesetID), token, tellsMore: false);

    /// <summary>Names and lock times (UTC) of all volumes needed to restore the filesets. A stable copy.</summary>
    public IAsyncEnumerable<(string Name, DateTime? LockExpirationTime)> GetRemoteVolumesDependingOnFilesetsAsync(
        IEnumerable<long> filesetIds,
        CancellationToken token
    ) => Session.SnapshotAsync(filesetIds, VolumeReads.DependingOnFilesets, token);

    /// <summary>Adds a volume of known size.</summary>
    public Task<long> RegisterRemoteVolumeAsync(
        string name,
        RemoteVolumeType type,
        long size,
        RemoteVolumeState state,
        CancellationToken token
    ) => RegisterRemoteVolumeAsync(name, type, state, size, TimeSpan.Zero, token);

    /// <summary>Adds a volume of unknown size.</summary>
    public Task<long> RegisterRemoteVolumeAsync(string name, RemoteVolumeType type, RemoteVolumeState state, CancellationToken token) =>
        RegisterRemoteVolumeAsync(name, type, state, -1, TimeSpan.Zero, token);

    /// <summary>Adds a volume of unknown size with a grace time from now.</summary>
    public Task<long> RegisterRemoteVolumeAsync(
        string name,
        RemoteVolumeType type,
        RemoteVolumeState state,
        TimeSpan deleteGraceTime,
        CancellationToken token
    ) => RegisterRemoteVolumeAsync(name, type, state, -1, deleteGraceTime, token);

    /// <summary>Adds a volume and returns its id. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the name is taken.</exception>
    public Task<long> RegisterRemoteVolumeAsync(
        string name,
        RemoteVolumeType type,
        RemoteVolumeState state,
        long size,
        TimeSpan deleteGraceTime,
        CancellationToken token
    ) => Session.ShortAsync(session => VolumeWrites.Register(session, OperationId, name, type, state, size, deleteGraceTime), token);

    /// <summary>Sets state, size and hash; a volume that becomes deleted takes everything that depends on it along.</summary>
    public Task UpdateRemoteVolumeAsync(string name, RemoteVolumeState state, long size, string? hash, CancellationToken token) =>
        UpdateRemoteVolumeAsync(name, state, size, hash, false, TimeSpan.Zero, null, token);

    /// <summary>
    /// Sets state, size and hash; a volume that becomes deleted takes everything that depends on it along unless suppressed.
    /// </summary>
    public Task UpdateRemoteVolumeAsync(
        string name,
        RemoteVolumeState state,
        long size,
        string? hash,
        bool suppressCleanup,
        CancellationToken token
    ) => UpdateRemoteVolumeAsync(name, state, size, hash, suppressCleanup, TimeSpan.Zero, null, token);

    /// <summary>Sets state, size and hash, a grace time from now if positive, and the archive time if given. Does not commit.</summary>
    /// <exception cref="Exception">There is not exactly one volume with the name.</exception>
    public Task UpdateRemoteVolumeAsync(
        string name,
        RemoteVolumeState state,
        long size,
        string? hash,
        bool suppressCleanup,
        TimeSpan deleteGraceTime,
        bool? setArchived,
        CancellationToken token
    )
    {
        var update = new VolumeUpdate(name, state, size, hash, suppressCleanup, deleteGraceTime, setArchived);
        return update.RemovesContents
            ? Session.LongAsync(session => VolumeWrites.Update(session, OperationId, update, token), token)
            : Session.ShortAsync(session => VolumeWrites.Update(session, OperationId, update, token), token);
    }

    /// <summary>Deletes the row with this name and state, and nothing that depends on it. Does not commit.</summary>
    /// <exception cref="Exception">There is not exactly one such row.</exception>
    public Task UnlinkRemoteVolumeAsync(string name, RemoteVolumeState state, CancellationToken token) =>
        Session.ShortAsync(session => VolumeWrites.Unlink(session, name, state), token);

    /// <summary>Removes a volume and everything that depends on it. Does not commit.</summary>
    public Task RemoveRemoteVolumeAsync(string name, CancellationToken token) => RemoveRemoteVolumesAsync([name], token);

    /// <summary>Removes volumes and everything that depends on them; unknown names are ignored. Does not commit.</summary>
    /// <exception cref="System.Data.ConstraintException">An entry of a fileset has no file; roll back.</exception>
    public Task RemoveRemoteVolumesAsync(IEnumerable<string> names, CancellationToken token) =>
        Session.LongAsync(names, (session, list) => VolumeRemoval.Remove(session, list, token), token);

    /// <summary>
    /// Renames a volume and registers the old name as one to be deleted; for a list volume, adds an empty fileset for the old name and
    /// commits.
    /// </summary>
    /// <exception cref="Exception">There is not exactly one volume with the old name.</exception>
    public Task RenameRemoteFileAsync(string oldname, string newname, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                if (FilesetWrites.RenameVolume(session, OperationId, oldname, newname))
                    m_rtr.Commit("RenameRemoteFile");
            },
            token
        );

    /// <summary>Records that an index volume describes a block volume. Does not commit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An id is not positive.</exception>
    public Task AddIndexBlockLinkAsync(long indexVolumeID, long blockVolumeID, CancellationToken token) =>
        Session.ShortAsync(session => VolumeWrites.AddIndexBlockLink(session, indexVolumeID, blockVolumeID), token);

    /// <summary>Forgets deleted volumes whose grace time ended before a time. Commits.</summary>
    public Task PurgeDeletedVolumesAsync(DateTime threshold, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                VolumeWrites.PurgeDeleted(session, threshold);
                m_rtr.Commit("PurgeDeletedVolumes");
            },
            token
        );
}
