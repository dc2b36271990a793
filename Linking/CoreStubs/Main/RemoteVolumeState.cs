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
