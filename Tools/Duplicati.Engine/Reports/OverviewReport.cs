// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

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
