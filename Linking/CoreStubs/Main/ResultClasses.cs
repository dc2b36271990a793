// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>The common part of all results.</summary>
internal abstract class BasicResults : IBasicResults
{
    /// <inheritdoc/>
    public DateTime BeginTime { get; internal set; } = DateTime.UtcNow;

    /// <inheritdoc/>
    public DateTime EndTime { get; internal set; }

    /// <summary>Writes the log messages that were collected meanwhile to the database.</summary>
    /// <param name="db">The database object that is about to store the result.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Ends when they are written. A result that collects none has nothing to do.</returns>
    internal virtual Task FlushLogAsync(object db, CancellationToken token) => Task.CompletedTask;
}

/// <summary>What a backup reports: the nine counters of changes against the previous fileset.</summary>
internal class BackupResults : BasicResults
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

/// <summary>A path with its sizes.</summary>
internal class ListResultFile(string path, IEnumerable<long>? sizes) : IListResultFile
{
    public string Path { get; } = path;
    public IEnumerable<long>? Sizes { get; } = sizes;
}

/// <summary>One version of a file.</summary>
internal sealed record ListFileVersion(
    long Version,
    DateTime Time,
    string Path,
    long Size,
    bool IsDirectory,
    bool IsSymlink,
    DateTime LastModified
) : IListFileVersion;

/// <summary>One version of a file found by a search; the caller looks its metadata up by <see cref="FileId"/>.</summary>
internal sealed record SearchFileVersion(
    long FileId,
    long Version,
    DateTime Time,
    string Path,
    long Size,
    bool IsDirectory,
    bool IsSymlink,
    DateTime LastModified,
    Range MatchedPathRange,
    Dictionary<string, string>? Metadata
) : ISearchFileVersion;

/// <summary>One page of a longer list.</summary>
internal record PaginatedResults<T>(int Page, int PageSize, int TotalPages, long TotalCount, IEnumerable<T> Items) : IPaginatedResults<T>;

/// <summary>Takes the progress of an operation.</summary>
internal interface IOperationProgressUpdater
{
    /// <summary>Reports what is done so far.</summary>
    /// <param name="count">Files finished.</param>
    /// <param name="size">Bytes finished.</param>
    void UpdatefilesProcessed(long count, long size);
}

/// <summary>The metadata of an entry, as stored.</summary>
internal interface IMetahash
{
    /// <summary>The Base64 file hash of <see cref="Blob"/>.</summary>
    string FileHash { get; }

    /// <summary>The JSON text in UTF-8 with a byte order mark.</summary>
    byte[] Blob { get; }

    /// <summary>The metadata itself.</summary>
    Dictionary<string, string> Values { get; }
}
