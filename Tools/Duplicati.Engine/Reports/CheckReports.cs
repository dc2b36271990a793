// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Reports;

/// <summary>What a check found.</summary>
/// <param name="Verdict">All of it in one sentence.</param>
/// <param name="Volumes">Remote volumes looked at; 0 without a remote folder.</param>
/// <param name="Findings">Everything that is not as it should be, each once, the worst first; empty when all is well.</param>
public sealed record CheckReport(string Verdict, int Volumes, IReadOnlyList<CheckFinding> Findings)
{
    /// <summary>Whether anything has to be mended.</summary>
    public bool HasProblems => Findings.Any(x => x.Severity == FindingSeverity.Problem);
}

/// <summary>One thing that is not as it should be.</summary>
/// <param name="Kind">Its kind, for programs, such as <c>MissingBlockVolume</c>.</param>
/// <param name="Severity">Whether it has to be mended.</param>
/// <param name="What">What is wrong.</param>
/// <param name="Where">The file, or the volume.</param>
/// <param name="Meaning">What it means for the user's files.</param>
/// <param name="Mend">What to do.</param>
/// <param name="Command">The command that does it, as it is typed; null if it is not a command of this tool.</param>
public sealed record CheckFinding(
    string Kind,
    FindingSeverity Severity,
    string What,
    string Where,
    string Meaning,
    string Mend,
    string? Command
)
{
    /// <summary>Of a damaged table of which only the database has something: what can be read of it. Absent of all else.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public OwnTableRows? OnlyHere { get; init; }
}

/// <summary>How bad a finding is.</summary>
public enum FindingSeverity
{
    /// <summary>Something can be restored no longer, or not as it should be, or would be at risk.</summary>
    Problem,

    /// <summary>Nothing is at risk; things are slower or larger than they need be, or an operation has not ended.</summary>
    Hint,
}

/// <summary>How closely volumes are looked at.</summary>
public enum CheckDepth
{
    /// <summary>Names and sizes.</summary>
    Names,

    /// <summary>Each is fetched, and its hash compared.</summary>
    Hashes,

    /// <summary>Everything in each is read.</summary>
    Contents,
}

/// <summary>What a verification found.</summary>
/// <param name="Volumes">Volumes checked.</param>
/// <param name="Problems">Every problem, one text each; empty when all is well.</param>
public sealed record VerifyReport(int Volumes, IReadOnlyList<string> Problems);

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

/// <summary>What a backup is made of and how it grows. Sizes are bytes; long lists are cut to the largest.</summary>
/// <param name="Versions">The versions, the oldest first.</param>
/// <param name="Folders">What fills the newest version, by the folders two levels below the one that all files share.</param>
/// <param name="Types">The same by the ending of the name; empty for files without one.</param>
/// <param name="Volumes">The block volumes with most waste.</param>
/// <param name="Compact">What a compact would do.</param>
/// <param name="Tables">Tables and indexes of the database file.</param>
/// <param name="TablesSource">How those were measured.</param>
/// <param name="Operations">The operations that took longest, as far as the log of the last month tells.</param>
public sealed record OverviewReport(
    IReadOnlyList<OverviewVersion> Versions,
    SpaceShares Folders,
    SpaceShares Types,
    WasteShares Volumes,
    CompactPreview Compact,
    SpaceShares Tables,
    string TablesSource,
    IReadOnlyList<LoggedOperation> Operations
);

/// <summary>A version and what it added.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="Entries">Files, folders and symbolic links in it; null if not known.</param>
/// <param name="Bytes">Bytes of its files; null if not known.</param>
/// <param name="NewBytes">Bytes of contents that no earlier version has, each once.</param>
/// <param name="StoredBytes">Bytes of blocks of contents that no earlier version needs, before compression.</param>
public sealed record OverviewVersion(long Version, DateTime Time, long? Entries, long? Bytes, long NewBytes, long StoredBytes);

/// <summary>The largest parts of something.</summary>
/// <param name="Largest">They, the largest first.</param>
/// <param name="Other">All others together; null if there are none.</param>
public sealed record SpaceShares(IReadOnlyList<SpaceShare> Largest, SpaceShare? Other);

/// <summary>A part of something.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Count">How many it is made of.</param>
/// <param name="Bytes">Its size.</param>
public sealed record SpaceShare(string Name, long Count, long Bytes);

/// <summary>Block volumes, those with most waste first.</summary>
/// <param name="Count">How many there are.</param>
/// <param name="LiveBytes">Bytes of blocks in use, in all of them, before compression.</param>
/// <param name="WastedBytes">Bytes of blocks that nothing uses, in all of them.</param>
/// <param name="Largest">Those with most waste; none without any.</param>
public sealed record WasteShares(long Count, long LiveBytes, long WastedBytes, IReadOnlyList<VolumeWaste> Largest);

/// <summary>A block volume, before compression.</summary>
public sealed record VolumeWaste(string Name, long LiveBytes, long WastedBytes);

/// <summary>What a compact with the usual limits would do.</summary>
/// <param name="IsWorthwhile">Whether it would do anything.</param>
/// <param name="Deleted">Volumes of which nothing is in use.</param>
/// <param name="Rewritten">Volumes whose blocks it would write together, if there is enough waste or are enough small ones.</param>
/// <param name="FreedBytes">About so many bytes of the remote folder would become free.</param>
public sealed record CompactPreview(bool IsWorthwhile, long Deleted, long Rewritten, long FreedBytes);

/// <summary>An operation in the log.</summary>
/// <param name="Time">When it began (UTC).</param>
/// <param name="Operation">Such as Backup.</param>
/// <param name="Seconds">From its begin to the last thing that it logged.</param>
/// <param name="Records">What it logged: transfers and messages.</param>
public sealed record LoggedOperation(DateTime Time, string Operation, long Seconds, long Records);

/// <summary>What a test found.</summary>
/// <param name="Volumes">Names of the volumes tested, in order.</param>
/// <param name="Differences">Every difference; empty when all is well.</param>
/// <param name="ReplacedIndexVolumes">Names of the faulty index volumes that were made anew under other names, or would be in a dry
/// run.</param>
/// <param name="Left">What a budget has left for other runs; null if nothing.</param>
public sealed record TestReport(
    IReadOnlyList<string> Volumes,
    IReadOnlyList<VolumeDifference> Differences,
    IReadOnlyList<string> ReplacedIndexVolumes,
    TestRest? Left
);

/// <summary>Volumes that a test has not fetched.</summary>
/// <param name="Volumes">How many.</param>
/// <param name="Bytes">Their size.</param>
public sealed record TestRest(int Volumes, long Bytes);

/// <summary>One difference between a remote volume and what the database says of it.</summary>
/// <param name="Volume">The volume's name.</param>
/// <param name="Status">Whether the volume lacks something, holds something more, or holds something else; or that it could not be
/// read.</param>
/// <param name="Key">A path, a volume name or a hash; or why the volume could not be read.</param>
public sealed record VolumeDifference(string Volume, TestEntryStatus Status, string Key);

/// <summary>A file, folder or link whose data or metadata is lost.</summary>
/// <param name="Path">Its full path.</param>
/// <param name="Size">Its length in bytes; -1 for folders and links.</param>
public sealed record BrokenFile(string Path, long Size)
{
    /// <summary>
    /// Whether its data can be restored, and only times and permissions are lost: a purge of broken files keeps it, without those. Never
    /// true of a symbolic link, whose target is lost with them.
    /// </summary>
    public bool OnlyMetadata { get; init; }
}

/// <summary>The broken files of one version.</summary>
/// <param name="Version">Position among the versions, 0 = newest.</param>
/// <param name="Time">Its time (local).</param>
/// <param name="Files">The files.</param>
public sealed record BrokenFilesReport(int Version, DateTime Time, IReadOnlyList<BrokenFile> Files);
