// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

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
