// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// The queries behind list, find, list-filesets, list-folder, list-file-versions and search. Nothing here changes the database.
/// </summary>
internal partial class LocalListDatabase : LocalDatabase
{
    private const string OperationName = "List";

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalListDatabase> CreateAsync(string path, LocalListDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalListDatabase(), token);

    /// <summary>
    /// Chooses filesets: those up to a time (none with 0 ticks) and those with the version numbers; all without either. Null versions are
    /// none.
    /// </summary>
    /// <exception cref="Exception">The time has ticks but its kind is unspecified.</exception>
    public Task<IFileSets> SelectFileSetsAsync(DateTime time, long[] versions, CancellationToken token) =>
        Session.ShortAsync<IFileSets>(session => FileSets.Select(this, session, time, versions), token);

    /// <summary>
    /// All filesets, newest first, times in UTC, with the number of all entries and the bytes of the files. Linear in the entries of all
    /// filesets.
    /// </summary>
    public IAsyncEnumerable<IListFilesetResultFileset> ListFilesetsExtendedAsync(CancellationToken token) =>
        Session.SnapshotAsync(FilesetListing.Extended, token);

    /// <summary>Ids of those of the path prefixes that exist, compared exactly.</summary>
    public IAsyncEnumerable<long> GetPrefixIdsAsync(IEnumerable<string> prefixes, CancellationToken token) =>
        Session.SnapshotAsync(prefixes, FolderListing.PrefixIds, token);

    /// <summary>A page of the direct entries of some folders in one fileset, by prefix and name in binary order. Times in UTC.</summary>
    /// <exception cref="ArgumentException">There is an offset without a limit.</exception>
    public async Task<IPaginatedResults<IListFolderEntry>> ListFolderAsync(
        IEnumerable<long> prefixIds,
        long filesetid,
        long offset,
        long limit,
        CancellationToken token
    )
    {
        var window = PageWindow.Of(offset, limit);
        return await Session
            .LongAsync(prefixIds, (session, ids) => FolderListing.Page(session, ids, filesetid, window), token)
            .ConfigureAwait(false);
    }

    /// <summary>
    /// The entries of a fileset that lie in no folder that is an entry too, by full path in binary order. Reads all entries.
    /// </summary>
    public IAsyncEnumerable<IListFolderEntry> GetMinimalUniquePrefixEntriesAsync(long filesetId, CancellationToken token) =>
        Session.SnapshotAsync(session => FolderListing.Roots(session, filesetId), token);

    /// <summary>
    /// The stored metadata of files, given by the id of their FileLookup row; files without are left out, unreadable text is skipped with a
    /// warning.
    /// </summary>
    public Task<Dictionary<long, Dictionary<string, string?>>> GetMetadataForFilesetIdsAsync(
        IEnumerable<long> filesetIds,
        CancellationToken token
    ) => Session.LongAsync(filesetIds, MetadataListing.Of, token);

    /// <summary>
    /// A page of the versions of the files whose last path component or whole path is given, with or without a separator at the
    /// end; by component, then the oldest first. Times in UTC. No filesets given means all.
    /// </summary>
    /// <exception cref="ArgumentException">There is an offset without a limit.</exception>
    public async Task<IPaginatedResults<IListFileVersion>> ListFileVersionsAsync(
        IEnumerable<string> paths,
        long[]? filesetIds,
        long offset,
        long limit,
        CancellationToken token
    )
    {
        var wanted = paths?.ToList() ?? [];
        if (wanted.Count == 0)
            return new PageWindow(offset, limit).Nothing<IListFileVersion>();

        var window = PageWindow.Of(offset, limit);
        return await Session
            .LongAsync(session => FileVersionListing.Page(session, wanted, filesetIds, window), token)
            .ConfigureAwait(false);
    }

    /// <summary>
    /// A page of the entries that a filter wants, by prefix and name in binary order, then the oldest first. Times in UTC. Plain
    /// texts fit anywhere in the path, wildcards fit the whole path; the first rule that fits, in written order, decides.
    /// </summary>
    /// <param name="pathprefixes">Folders with their separators: only what is directly in them; null or none is everywhere.</param>
    /// <param name="filter">The rules; without any, everything is wanted.</param>
    /// <param name="caseSensitive">Otherwise ASCII letters compare without case.</param>
    /// <param name="filesetIds">Filesets to look in; null or none is all.</param>
    /// <param name="searchMetadata">Whether a rule also fits by the names in the stored metadata.</param>
    /// <param name="offset">Number of entries to leave out.</param>
    /// <param name="limit">Number of entries at most; 0 or less is no limit.</param>
    /// <param name="token">Interrupts the search.</param>
    /// <exception cref="ArgumentException">There is an offset without a limit.</exception>
    /// <exception cref="UserInformationException">Help id FilterTypeNotSupported: the filter has regular expressions, groups or foreign
    /// rules.</exception>
    public async Task<IPaginatedResults<ISearchFileVersion>> SearchEntriesAsync(
        IEnumerable<string>? pathprefixes,
        IFilter filter,
        bool caseSensitive,
        long[]? filesetIds,
        bool searchMetadata,
        long offset,
        long limit,
        CancellationToken token
    )
    {
        var window = PageWindow.Of(offset, limit);
        return await Session
            .LongAsync(
                pathprefixes,
                (session, folders) => SearchListing.Page(session, folders, filter, caseSensitive, filesetIds, searchMetadata, window),
                token
            )
            .ConfigureAwait(false);
    }
}
