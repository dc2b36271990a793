// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>What every operation reports.</summary>
public interface IBasicResults
{
    /// <summary>When the operation began, UTC.</summary>
    DateTime BeginTime { get; }

    /// <summary>When it ended, UTC; ticks 0 while it runs.</summary>
    DateTime EndTime { get; }
}

/// <summary>A file in a listing of a backend.</summary>
public interface IFileEntry
{
    /// <summary>The name, without a path.</summary>
    string Name { get; }

    /// <summary>The size in bytes; negative when the backend does not tell.</summary>
    long Size { get; }
}

/// <summary>A path with its sizes.</summary>
public interface IListResultFile
{
    /// <summary>The full path.</summary>
    string Path { get; }

    /// <summary>The size in bytes in each listed fileset; null when sizes were not looked up.</summary>
    IEnumerable<long>? Sizes { get; }
}

/// <summary>A fileset in a listing.</summary>
public interface IListResultFileset
{
    /// <summary>The position among all filesets, newest first, from 0.</summary>
    long Version { get; }

    /// <summary>0 partial, 1 full.</summary>
    int IsFullBackup { get; }

    /// <summary>The time of the fileset.</summary>
    DateTime Time { get; }

    /// <summary>The number of files, or -1.</summary>
    long FileCount { get; }

    /// <summary>The size of the files in bytes, or -1.</summary>
    long FileSizes { get; }

    /// <summary>The text that the user gave to the fileset; null without one. Since schema 20.</summary>
    string? Label { get; }
}

/// <summary>A log line about a remote volume.</summary>
public interface IListResultRemoteLog
{
    /// <summary>When it was written, UTC.</summary>
    DateTime Timestamp { get; }

    /// <summary>The text.</summary>
    string Message { get; }
}

/// <summary>A remote volume in a listing.</summary>
public interface IListResultRemoteVolume
{
    /// <summary>The file name.</summary>
    string Name { get; }
}

/// <summary>One version of a file.</summary>
public interface IListFileVersion
{
    /// <summary>The position of its fileset among all filesets, newest first, from 0.</summary>
    long Version { get; }

    /// <summary>The time of its fileset, UTC.</summary>
    DateTime Time { get; }

    /// <summary>The path.</summary>
    string Path { get; }

    /// <summary>The length in bytes, 0 without content.</summary>
    long Size { get; }

    /// <summary>Whether it is a folder.</summary>
    bool IsDirectory { get; }

    /// <summary>Whether it is a symbolic link.</summary>
    bool IsSymlink { get; }

    /// <summary>The time of the last change, UTC.</summary>
    DateTime LastModified { get; }
}

/// <summary>One version of a file found by a search.</summary>
public interface ISearchFileVersion : IListFileVersion
{
    /// <summary>The part of the path that matched.</summary>
    Range MatchedPathRange { get; }

    /// <summary>The metadata, if it was asked for.</summary>
    Dictionary<string, string>? Metadata { get; }
}

/// <summary>A fileset in the extended listing.</summary>
public interface IListFilesetResultFileset
{
    /// <summary>The position among all filesets, newest first, from 0.</summary>
    long Version { get; }

    /// <summary>The time of the fileset, UTC.</summary>
    DateTime Time { get; }

    /// <summary>Whether the backup was complete; null when that is not known.</summary>
    bool? IsFullBackup { get; }

    /// <summary>The number of entries, folders and symlinks included; null when it is not known.</summary>
    long? FileCount { get; }

    /// <summary>The size of the files in bytes; null when it is not known.</summary>
    long? FileSizes { get; }

    /// <summary>The text that the user gave to the fileset; null without one. Since schema 20.</summary>
    string? Label { get; }
}

/// <summary>An entry of a folder listing.</summary>
public interface IListFolderEntry
{
    /// <summary>The full path; a folder ends with its separator.</summary>
    string Path { get; }

    /// <summary>The length in bytes, -1 without content.</summary>
    long Size { get; }

    /// <summary>Whether it is a folder.</summary>
    bool IsDirectory { get; }

    /// <summary>Whether it is a symbolic link.</summary>
    bool IsSymlink { get; }

    /// <summary>The time of the last change, UTC.</summary>
    DateTime LastModified { get; }

    /// <summary>The metadata, if it was asked for.</summary>
    Dictionary<string, string?>? Metadata { get; }
}

/// <summary>One page of a longer list.</summary>
/// <typeparam name="T">The items.</typeparam>
public interface IPaginatedResults<T>
{
    /// <summary>The page, from 0.</summary>
    int Page { get; }

    /// <summary>The greatest number of items on a page.</summary>
    int PageSize { get; }

    /// <summary>The number of pages.</summary>
    int TotalPages { get; }

    /// <summary>The number of items on all pages.</summary>
    long TotalCount { get; }

    /// <summary>The items of this page.</summary>
    IEnumerable<T> Items { get; }
}

/// <summary>What happened to an entry between two filesets.</summary>
public enum ListChangesChangeType
{
    /// <summary>It is new.</summary>
    Added,

    /// <summary>It is gone.</summary>
    Deleted,

    /// <summary>It differs.</summary>
    Modified,
}

/// <summary>The kind of an entry in a comparison.</summary>
public enum ListChangesElementType
{
    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A symbolic link.</summary>
    Symlink,

    /// <summary>A file.</summary>
    File,
}

/// <summary>How an entry of a remote volume compares with the database.</summary>
public enum TestEntryStatus
{
    /// <summary>In the database only.</summary>
    Missing = 0,

    /// <summary>In the remote volume only.</summary>
    Extra = 1,

    /// <summary>On both sides, with different values.</summary>
    Modified = 2,

    /// <summary>The comparison itself failed.</summary>
    Error = 3,
}

/// <summary>How far the change journal of a volume was read.</summary>
public class USNJournalDataEntry
{
    /// <summary>The volume.</summary>
    public string Volume { get; set; } = "";

    /// <summary>The journal.</summary>
    public long JournalId { get; set; }

    /// <summary>The first record not read.</summary>
    public long NextUsn { get; set; }

    /// <summary>A hash of the settings the journal was read with.</summary>
    public string ConfigHash { get; set; } = "";
}
