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

internal partial class LocalListDatabase
{
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
