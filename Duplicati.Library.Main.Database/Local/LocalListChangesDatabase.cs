// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Compares two lists of entries, each taken from a fileset or from elsewhere.</summary>
internal class LocalListChangesDatabase : LocalDatabase
{
    private const string OperationName = "ListChanges";

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalListChangesDatabase> CreateAsync(string path, LocalListChangesDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalListChangesDatabase(), token);

    /// <summary>Makes two empty lists. Disposing them rolls the shared transaction back.</summary>
    public Task<IStorageHelper> CreateStorageHelperAsync(CancellationToken token) =>
        Session.ShortAsync<IStorageHelper>(session => ChangesStorage.Create(this, session), token);

    /// <summary>
    /// Two lists of entries, the previous and the current one. Disposing rolls the shared transaction back and takes the lists with it.
    /// </summary>
    public interface IStorageHelper : IDisposable, IAsyncDisposable
    {
        /// <summary>
        /// Adds an entry to the current list or else to the previous one. Folders and links have no file hash and size -1.
        /// </summary>
        Task AddElementAsync(
            string path,
            string filehash,
            string metahash,
            long size,
            ListChangesElementType type,
            bool asNew,
            bool logQuery,
            CancellationToken token
        );

        /// <summary>
        /// Adds the entries of a fileset that match a filter (null or empty: all). Entries without metadata or content are left out.
        /// Linear.
        /// </summary>
        Task AddFromDbAsync(long filesetId, bool asNew, IFilter filter, CancellationToken token);

        /// <summary>Counts the differences by path. Type of the current entry, of the previous one where it is deleted.</summary>
        Task<IChangeCountReport> CreateChangeCountReportAsync(CancellationToken token);

        /// <summary>Sums of the size columns, in which folders and links count as -1.</summary>
        Task<IChangeSizeReport> CreateChangeSizeReportAsync(CancellationToken token);

        /// <summary>The differences: added, deleted, modified; in each, folders, links, files. May be enumerated several times.</summary>
        IAsyncEnumerable<Tuple<ListChangesChangeType, ListChangesElementType, string>> CreateChangedFileReportAsync(
            CancellationToken token
        );
    }

    /// <summary>How many entries differ.</summary>
    public interface IChangeCountReport
    {
        /// <summary>Folders in the current list only.</summary>
        long AddedFolders { get; }

        /// <summary>Links in the current list only.</summary>
        long AddedSymlinks { get; }

        /// <summary>Files in the current list only.</summary>
        long AddedFiles { get; }

        /// <summary>Folders in the previous list only.</summary>
        long DeletedFolders { get; }

        /// <summary>Links in the previous list only.</summary>
        long DeletedSymlinks { get; }

        /// <summary>Files in the previous list only.</summary>
        long DeletedFiles { get; }

        /// <summary>Folders in both lists that differ.</summary>
        long ModifiedFolders { get; }

        /// <summary>Links in both lists that differ.</summary>
        long ModifiedSymlinks { get; }

        /// <summary>Files in both lists that differ.</summary>
        long ModifiedFiles { get; }
    }

    /// <summary>Bytes of the entries, in which folders and links count as -1.</summary>
    public interface IChangeSizeReport
    {
        /// <summary>Of the entries in the current list only.</summary>
        long AddedSize { get; }

        /// <summary>Of the entries in the previous list only.</summary>
        long DeletedSize { get; }

        /// <summary>Of the previous list.</summary>
        long PreviousSize { get; }

        /// <summary>Of the current list.</summary>
        long CurrentSize { get; }
    }

    /// <summary>How many entries differ.</summary>
    internal class ChangeCountReport : IChangeCountReport
    {
        public long AddedFolders { get; internal set; }

        public long AddedSymlinks { get; internal set; }

        public long AddedFiles { get; internal set; }

        public long DeletedFolders { get; internal set; }

        public long DeletedSymlinks { get; internal set; }

        public long DeletedFiles { get; internal set; }

        public long ModifiedFolders { get; internal set; }

        public long ModifiedSymlinks { get; internal set; }

        public long ModifiedFiles { get; internal set; }
    }

    /// <summary>Bytes of the entries.</summary>
    internal class ChangeSizeReport : IChangeSizeReport
    {
        public long AddedSize { get; internal set; }

        public long DeletedSize { get; internal set; }

        public long PreviousSize { get; internal set; }

        public long CurrentSize { get; internal set; }
    }
}
