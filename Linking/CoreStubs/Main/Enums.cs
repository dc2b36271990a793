// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>How far a remote volume has come. Stored by name, and by number in the verification file.</summary>
public enum RemoteVolumeState
{
    /// <summary>Being built.</summary>
    Temporary = 0,

    /// <summary>The upload has started.</summary>
    Uploading = 1,

    /// <summary>The upload has finished.</summary>
    Uploaded = 2,

    /// <summary>Seen in a listing after the upload.</summary>
    Verified = 3,

    /// <summary>To be deleted.</summary>
    Deleting = 4,

    /// <summary>Deleted remotely; the row is kept until the grace time is over.</summary>
    Deleted = 5,
}

/// <summary>What a remote volume holds. Stored by name, and by number in the verification file.</summary>
public enum RemoteVolumeType
{
    /// <summary>Blocks (dblock).</summary>
    Blocks = 0,

    /// <summary>A list of files (dlist).</summary>
    Files = 1,

    /// <summary>An index of block volumes (dindex).</summary>
    Index = 2,
}

/// <summary>The kind of an entry in a file list volume.</summary>
public enum FilelistEntryType
{
    /// <summary>Not known to this release.</summary>
    Unknown,

    /// <summary>A file.</summary>
    File,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>An alternate data stream of a file.</summary>
    AlternateStream,

    /// <summary>A symbolic link.</summary>
    Symlink,
}

/// <summary>What a synchronisation does with a remote file. Stored by name.</summary>
public enum SyncOperation
{
    /// <summary>A new file is written.</summary>
    Upload,

    /// <summary>A file is written over.</summary>
    Update,

    /// <summary>A file is removed.</summary>
    Delete,
}
