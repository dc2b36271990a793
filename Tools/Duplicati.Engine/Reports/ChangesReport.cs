// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Reports;

/// <summary>How one version differs from another. Sizes are those of files.</summary>
/// <param name="From">The version to start from.</param>
/// <param name="To">The version it is compared with.</param>
/// <param name="Added">What only the second has.</param>
/// <param name="Deleted">What only the first has.</param>
/// <param name="Modified">What both have, with another content, metadata or type.</param>
/// <param name="AddedBytes">Bytes of what was added.</param>
/// <param name="DeletedBytes">Bytes of what was deleted.</param>
/// <param name="Changes">Each change: added, then deleted, then modified entries; folders, then symbolic links, then files.</param>
public sealed record ChangesReport(
    ComparedVersion From,
    ComparedVersion To,
    ChangeCounts Added,
    ChangeCounts Deleted,
    ChangeCounts Modified,
    long AddedBytes,
    long DeletedBytes,
    IReadOnlyList<ListedChange> Changes
);

/// <summary>A version that was compared.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="Bytes">Bytes of its entries that the filter wants.</param>
public sealed record ComparedVersion(long Version, DateTime Time, long Bytes);

/// <summary>How many entries of each type.</summary>
public sealed record ChangeCounts(long Folders, long Symlinks, long Files);

/// <summary>One change.</summary>
public sealed record ListedChange(ListChangesChangeType Change, ListChangesElementType Type, string Path);
