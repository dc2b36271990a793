// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Model;

namespace Duplicati.Library.Main.Database.FileLists;

/// <summary>
/// An entry of a fileset with all that a list volume says about it. Hashes are Base64; what is not recorded is null or -1.
/// </summary>
internal sealed record FileListEntry
{
    internal required string Path { get; init; }

    /// <summary>The blockset of the data, or the mark of a folder or symbolic link.</summary>
    internal required long BlocksetId { get; init; }

    /// <summary>Time of the last change in ticks, UTC.</summary>
    internal required long LastModified { get; init; }

    internal required string? FileHash { get; init; }

    internal required long FileSize { get; init; }

    internal required string? FirstBlockHash { get; init; }

    internal required long FirstBlockSize { get; init; }

    internal required string? MetaHash { get; init; }

    internal required long MetaSize { get; init; }

    internal required string? FirstMetaBlockHash { get; init; }

    /// <summary>The blocklists of the data in order, or null if there are none.</summary>
    internal required string[]? Blocklists { get; init; }

    /// <summary>The blocklists of the metadata in order, or null if there are none.</summary>
    internal required string[]? MetaBlocklists { get; init; }

    internal bool IsFolder => BlocksetId == SpecialBlocksets.Folder;

    internal bool IsFile => BlocksetId >= 0;

    /// <summary>A folder or link without metadata that can be restored is left out of the list.</summary>
    internal bool IsListed => IsFile || FirstMetaBlockHash is not null;
}
