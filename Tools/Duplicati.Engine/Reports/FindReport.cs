// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>Where to begin: with one of these.</summary>
public sealed record FindRequest
{
    /// <summary>The hash of a block, as the database has it.</summary>
    public string? Block { get; init; }

    /// <summary>The hash of a whole file, as the database has it.</summary>
    public string? FileHash { get; init; }

    /// <summary>The name of a volume.</summary>
    public string? Volume { get; init; }

    /// <summary>The path of a file, a folder or a link, as it was backed up.</summary>
    public string? Path { get; init; }

    /// <summary>A version, 0 = newest.</summary>
    public long? Version { get; init; }
}

/// <summary>What was found, without what uses it.</summary>
/// <param name="Blocks">Where the block is; several if there are copies.</param>
/// <param name="Volume">The volume, or the file list of the version.</param>
/// <param name="Contents">The contents that the path had, or that have the hash.</param>
public sealed record FindReport(IReadOnlyList<FoundBlock> Blocks, FoundVolume? Volume, IReadOnlyList<FoundContent> Contents);

/// <summary>A place of a block.</summary>
/// <param name="Hash">Its hash.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="Volume">The volume it is in; null if none is recorded.</param>
/// <param name="State">The state of that volume.</param>
/// <param name="Place">What counts it.</param>
public sealed record FoundBlock(string Hash, long Size, string? Volume, string? State, BlockPlace Place);

/// <summary>What a place of a block is.</summary>
public enum BlockPlace
{
    /// <summary>The one that restores read.</summary>
    Live,

    /// <summary>A further one.</summary>
    Copy,

    /// <summary>Waste, until the same block is needed again or a compact comes.</summary>
    Deleted,
}

/// <summary>A volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">What it holds.</param>
/// <param name="State">What the database says of it.</param>
/// <param name="Size">Bytes; null if not known.</param>
/// <param name="Hash">Its hash; null if not known.</param>
/// <param name="Version">Of a file list: its version, 0 = newest; null for others.</param>
/// <param name="VersionTime">When that was made (UTC).</param>
/// <param name="Linked">Of block volumes those that describe it, of index volumes those that it describes.</param>
public sealed record FoundVolume(
    string Name,
    string Type,
    string State,
    long? Size,
    string? Hash,
    long? Version,
    DateTime? VersionTime,
    IReadOnlyList<string> Linked
);

/// <summary>A content.</summary>
/// <param name="Hash">The hash of the whole.</param>
/// <param name="Length">Bytes.</param>
public sealed record FoundContent(string Hash, long Length);

/// <summary>One use of one block.</summary>
/// <param name="Path">Who uses it.</param>
/// <param name="Versions">In which versions, such as <c>0,2-4</c>; empty if in none that is listed.</param>
/// <param name="Role">What for.</param>
/// <param name="Offset">Where in the file, or in the metadata; of a list of blocks where in the file the first of them is.</param>
/// <param name="Block">The hash of the block.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="Volume">The volume it is in; null if none is recorded.</param>
public sealed record FoundUse(string Path, string Versions, BlockRole Role, long Offset, string Block, long Size, string? Volume);

/// <summary>What a block is used for.</summary>
public enum BlockRole
{
    /// <summary>A part of a file.</summary>
    Content,

    /// <summary>A part of metadata.</summary>
    Metadata,

    /// <summary>The hashes of a row of blocks of a file.</summary>
    List,
}
