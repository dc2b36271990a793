// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>The state of a database file. Sizes are bytes.</summary>
/// <param name="SchemaVersion">Version of the schema.</param>
/// <param name="SqliteVersion">Version of the SQLite that read the file.</param>
/// <param name="FileBytes">Size of the file.</param>
/// <param name="LogBytes">Size of the write-ahead log beside it; 0 without one.</param>
/// <param name="PageSize">Size of a page.</param>
/// <param name="Pages">Number of pages.</param>
/// <param name="FreePages">Pages that hold nothing; a vacuum gives them back.</param>
/// <param name="RowCounts">Rows by table.</param>
/// <param name="Objects">Tables and indexes, the largest first; empty if there is no space for a copy to look at.</param>
/// <param name="Versions">The backup's versions, the newest first.</param>
/// <param name="Volumes">Remote volumes by type and state.</param>
/// <param name="Growth">What operations have added to the remote folder and is still there, oldest first.</param>
/// <param name="Flags">Marks that an operation has not ended, such as <c>repair-in-progress</c>.</param>
/// <param name="MissingIndexes">Indexes that an operation has left out while it fills the database.</param>
/// <param name="Filling">What a running operation has left out for now, as a text; null if there is none.</param>
/// <param name="Problems">What SQLite's check of the file found, what an interrupted operation left behind, and rows that refer to what is
/// not there.</param>
public sealed record InspectReport(
    int SchemaVersion,
    string SqliteVersion,
    long FileBytes,
    long LogBytes,
    long PageSize,
    long Pages,
    long FreePages,
    IReadOnlyDictionary<string, long> RowCounts,
    IReadOnlyList<ObjectSize> Objects,
    IReadOnlyList<ListedVersion> Versions,
    IReadOnlyList<VolumeCount> Volumes,
    IReadOnlyList<OperationGrowth> Growth,
    IReadOnlyList<string> Flags,
    IReadOnlyList<string> MissingIndexes,
    string? Filling,
    IReadOnlyList<string> Problems
);

/// <summary>The size of a table or an index.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">table or index.</param>
/// <param name="Bytes">Bytes of its pages.</param>
/// <param name="UnusedBytes">Bytes in them that hold nothing.</param>
public sealed record ObjectSize(string Name, string Type, long Bytes, long UnusedBytes);

/// <summary>How many remote volumes are of a type and in a state.</summary>
/// <param name="Type">Files, Index or Blocks.</param>
/// <param name="State">Such as Verified, Uploaded, Uploading or Deleting.</param>
/// <param name="Count">Their number.</param>
/// <param name="Bytes">Their size.</param>
public sealed record VolumeCount(string Type, string State, long Count, long Bytes);

/// <summary>What one operation has added to the remote folder.</summary>
/// <param name="Time">When it began (UTC).</param>
/// <param name="Operation">Such as Backup or Compact.</param>
/// <param name="Volumes">Number of its volumes.</param>
/// <param name="Bytes">Their size.</param>
public sealed record OperationGrowth(DateTime Time, string Operation, long Volumes, long Bytes);
