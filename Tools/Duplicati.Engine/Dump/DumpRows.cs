// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>A remote volume. Times are seconds since 1970; null where the schema has no such column.</summary>
/// <param name="Name">Name at the destination.</param>
/// <param name="Type">Blocks, Files or Index.</param>
/// <param name="Size">Bytes; -1 or null for not known.</param>
/// <param name="Hash">Base64, or null for not known.</param>
/// <param name="State">State as stored.</param>
/// <param name="VerificationCount">How often it was drawn for a test.</param>
/// <param name="DeleteGraceTime">Until when a deleted volume stays known.</param>
/// <param name="ArchiveTime">Since when it is archived.</param>
/// <param name="LockExpirationTime">Until when it is locked.</param>
public sealed record DumpVolume(
    string Name,
    string Type,
    long? Size,
    string? Hash,
    string State,
    long VerificationCount,
    long? DeleteGraceTime,
    long? ArchiveTime,
    long? LockExpirationTime
);

/// <summary>A physical copy of a block.</summary>
/// <param name="Hash">Base64.</param>
/// <param name="Size">Bytes; null if the block a duplicate refers to is gone.</param>
/// <param name="Volume">Name of its volume; null for no volume.</param>
public sealed record DumpBlock(string Hash, long? Size, string? Volume);

/// <summary>A blockset with its blocks in one digest.</summary>
/// <param name="FullHash">Base64 over the whole content.</param>
/// <param name="Length">Bytes.</param>
/// <param name="BlockCount">Number of its blocks.</param>
/// <param name="Contiguous">Whether its blocks have the indices 0, 1, 2 and so on.</param>
/// <param name="BlocksDigest">SHA-256 over <c>hash:size\n</c> of each block in order, lower-case hex.</param>
/// <param name="BlocklistHashes">Base64, in order.</param>
public sealed record DumpBlockset(
    string FullHash,
    long Length,
    long BlockCount,
    bool Contiguous,
    string BlocksDigest,
    IReadOnlyList<string> BlocklistHashes
);

/// <summary>A metadata record.</summary>
/// <param name="FullHash">Base64 of its blockset.</param>
/// <param name="Length">Bytes of its blockset; null if that is gone.</param>
/// <param name="Content">Its text where the database keeps it.</param>
public sealed record DumpMetadataset(string FullHash, long? Length, string? Content);

/// <summary>A file, folder or symbolic link of a fileset.</summary>
/// <param name="Path">Full path.</param>
/// <param name="Kind"><c>file</c>, <c>folder</c>, <c>symlink</c> or <see cref="DumpNames.Missing"/>.</param>
/// <param name="FullHash">Base64 of the content; null unless a file.</param>
/// <param name="Length">Bytes of the content; null unless a file.</param>
/// <param name="MetadataHash">Base64 of the metadata.</param>
/// <param name="MetadataLength">Bytes of the metadata; null if they are gone.</param>
/// <param name="LastModified">Ticks (100 ns since year 1); null for a file of no fileset.</param>
public sealed record DumpEntry(
    string Path,
    string Kind,
    string? FullHash,
    long? Length,
    string MetadataHash,
    long? MetadataLength,
    long? LastModified
);

/// <summary>A backup version.</summary>
/// <param name="Timestamp">Seconds since 1970.</param>
/// <param name="IsFull">1 for complete, 0 for interrupted; null where the schema does not say.</param>
/// <param name="Volume">Name of its dlist volume.</param>
/// <param name="Label">The user's text; null without one.</param>
/// <param name="Entries">What it holds; read from the database each time it is enumerated.</param>
public sealed record DumpFileset(long Timestamp, long? IsFull, string? Volume, string? Label, IEnumerable<DumpEntry> Entries);

/// <summary>A link of an index volume to a block volume.</summary>
/// <param name="IndexVolume">Name of the index volume.</param>
/// <param name="BlockVolume">Name of the block volume.</param>
public sealed record DumpIndexLink(string? IndexVolume, string? BlockVolume);

/// <summary>A file that a restore test has looked at.</summary>
/// <param name="Path">Full path.</param>
/// <param name="LastVerified">Seconds since 1970.</param>
/// <param name="LastResult">What was found.</param>
public sealed record DumpRestoreTest(string Path, long LastVerified, string LastResult);

/// <summary>An object of the schema; names in lower case.</summary>
/// <param name="Type">table, index, view or trigger.</param>
/// <param name="Name">Its name.</param>
/// <param name="Table">The table it belongs to.</param>
public sealed record DumpSchemaObject(string Type, string Name, string Table);
