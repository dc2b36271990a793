// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

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
