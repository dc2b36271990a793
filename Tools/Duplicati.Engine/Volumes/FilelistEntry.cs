// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>One file, folder or symbolic link of a file list. Hashes are Base64, sizes bytes.</summary>
public sealed class FilelistEntry
{
    /// <summary>What the entry is.</summary>
    public required FilelistEntryType Type { get; init; }

    /// <summary>The full path at the source; folders end with its separator. Data to be checked before any use as a path.</summary>
    public required string Path { get; init; }

    /// <summary>The file hash of the content; null for folders and links.</summary>
    public string? Hash { get; init; }

    /// <summary>The length of the content; -1 for folders and links.</summary>
    public long Size { get; init; } = -1;

    /// <summary>The last change, UTC, whole seconds; the default for folders and links.</summary>
    public DateTime Time { get; init; }

    /// <summary>The file hash of the metadata, null if there is none.</summary>
    public string? MetaHash { get; init; }

    /// <summary>The length of the metadata, -1 if there is none.</summary>
    public long MetaSize { get; init; } = -1;

    /// <summary>The block hash of the metadata, if recorded; else it is the same as <see cref="MetaHash"/>.</summary>
    public string? MetaBlockHash { get; init; }

    /// <summary>The blocklists of metadata that takes several blocks, else null.</summary>
    public IReadOnlyList<string>? MetaBlocklistHashes { get; init; }

    /// <summary>The block hash of content that is one block, if recorded; else it is the same as <see cref="Hash"/>.</summary>
    public string? BlockHash { get; init; }

    /// <summary>The size recorded with <see cref="BlockHash"/>, else -1.</summary>
    public long BlockSize { get; init; } = -1;

    /// <summary>
    /// The blocklists of content that takes several blocks, in order, else null. Read from the volume as they are enumerated:
    /// once, and before the next entry is asked for.
    /// </summary>
    public IEnumerable<string>? BlocklistHashes { get; init; }
}
