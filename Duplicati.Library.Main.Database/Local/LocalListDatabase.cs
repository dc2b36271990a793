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
internal class LocalListDatabase : LocalDatabase
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

    /// <summary>A path and its sizes.</summary>
    public interface IFileversion
    {
        /// <summary>Full path.</summary>
        string? Path { get; }

        /// <summary>
        /// The bytes in each chosen fileset, newest first; -1 where it is absent, a folder or a link. May be read late, partly or never.
        /// </summary>
        IAsyncEnumerable<long> SizesAsync(CancellationToken token);
    }

    /// <summary>A fileset in a listing.</summary>
    public interface IFileset
    {
        /// <summary>Position among all filesets, newest first, from 0.</summary>
        long Version { get; }

        /// <summary>A value of <see cref="BackupType"/>.</summary>
        int IsFullBackup { get; set; }

        /// <summary>Local time.</summary>
        DateTime Time { get; }

        /// <summary>Number of plain files; -1 if there are none or they were not counted.</summary>
        long FileCount { get; }

        /// <summary>Bytes of the plain files; -1 if there are none or they were not counted.</summary>
        long FileSizes { get; }

        /// <summary>The user's text; null without one.</summary>
        string? Label { get; }
    }

    /// <summary>The filesets when a listing began, some of which are chosen.</summary>
    public interface IFileSets : IDisposable, IAsyncDisposable
    {
        /// <summary>The chosen filesets with counts, newest first. Linear in their entries.</summary>
        IAsyncEnumerable<IFileset> SetsAsync(CancellationToken token);

        /// <summary>All filesets without counts, newest first.</summary>
        IAsyncEnumerable<IFileset> QuickSetsAsync(CancellationToken token);

        /// <summary>The paths of the chosen filesets that match a filter, ascending, with their sizes.</summary>
        IAsyncEnumerable<IFileversion> SelectFilesAsync(IFilter filter, CancellationToken token);

        /// <summary>The longest folder common to the matching paths, or one a drive or server; an empty path if there is none.</summary>
        IAsyncEnumerable<IFileversion> GetLargestPrefixAsync(IFilter filter, CancellationToken token);

        /// <summary>What is directly in the folder that the filter names, ascending, with sizes; the top without a filter.</summary>
        /// <exception cref="ArgumentException">On the first item: the filter is not one plain path.</exception>
        IAsyncEnumerable<IFileversion> SelectFolderContentsAsync(IFilter filter, CancellationToken token);

        /// <summary>Chooses only the newest of the chosen filesets.</summary>
        Task TakeFirstAsync(CancellationToken token);
    }

    /// <summary>An entry of a fileset.</summary>
    /// <param name="FileId">Id of the FileLookup row.</param>
    /// <param name="Path">Full path.</param>
    /// <param name="Size">Bytes; -1 without content.</param>
    /// <param name="IsDirectory">Whether it is a folder.</param>
    /// <param name="IsSymlink">Whether it is a symbolic link.</param>
    /// <param name="LastModified">Time of the last change, UTC.</param>
    /// <param name="Metadata">The metadata; null if not asked for.</param>
    public sealed record FolderEntry(
        long FileId,
        string Path,
        long Size,
        bool IsDirectory,
        bool IsSymlink,
        DateTime LastModified,
        Dictionary<string, string?>? Metadata
    ) : IListFolderEntry;
}
