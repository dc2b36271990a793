// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Broken;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>What would be hit by losing remote volumes, which are given by their exact names; unknown names are ignored.</summary>
internal class LocalListAffectedDatabase : LocalDatabase
{
    private const string OperationName = "ListAffected";

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalListAffectedDatabase> CreateAsync(string path, LocalListAffectedDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalListAffectedDatabase(), token);

    /// <summary>
    /// Version and local time of the filesets that use a block in one of the volumes, for data or metadata, or are listed in one; newest
    /// first.
    /// </summary>
    public IAsyncEnumerable<IListResultFileset> GetFilesetsAsync(IEnumerable<string> items, CancellationToken token) =>
        Session.SnapshotAsync(items, AffectedReads.Filesets, token);

    /// <summary>
    /// Distinct paths, ascending, of the files that use a block in one of the volumes, for data or metadata, and of all files in filesets
    /// listed in one.
    /// </summary>
    public IAsyncEnumerable<IListResultFile> GetFilesAsync(IEnumerable<string> items, CancellationToken token) =>
        Session.SnapshotAsync(items, AffectedReads.Files, token);

    /// <summary>Messages that contain one of the names and remote operations on one, by time (UTC). Reads the whole log.</summary>
    public IAsyncEnumerable<IListResultRemoteLog> GetLogLinesAsync(IEnumerable<string> items, CancellationToken token) =>
        Session.SnapshotAsync(items, AffectedReads.LogLines, token);

    /// <summary>Distinct names of the volumes that hold data or metadata of the filesets listed in the given list volumes.</summary>
    public IAsyncEnumerable<IListResultRemoteVolume> GetVolumesAsync(IEnumerable<string> items, CancellationToken token) =>
        Session.SnapshotAsync(items, AffectedReads.Volumes, token);
}
