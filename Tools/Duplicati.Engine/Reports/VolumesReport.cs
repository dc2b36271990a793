// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.Engine.Reports;

/// <summary>Which volumes to list, and in which order.</summary>
public sealed record VolumesRequest
{
    /// <summary>Only those of these states; none for all.</summary>
    public IReadOnlyCollection<RemoteVolumeState> States { get; init; } = [];

    /// <summary>Only those of these types; none for all.</summary>
    public IReadOnlyCollection<RemoteVolumeType> Types { get; init; } = [];

    /// <summary>What comes first.</summary>
    public VolumeOrder Order { get; init; }
}

/// <summary>The order of volumes.</summary>
public enum VolumeOrder
{
    /// <summary>By name.</summary>
    Name,

    /// <summary>The largest first.</summary>
    Size,

    /// <summary>Those first that were changed longest ago.</summary>
    Age,

    /// <summary>Those first with most waste.</summary>
    Waste,

    /// <summary>The least tested first, as a test takes them.</summary>
    Tests,
}

/// <summary>The volumes that a database knows.</summary>
/// <param name="Volumes">They.</param>
/// <param name="Unsettled">What it means that some of them are on their way, and what settles it; null if none is, or if only the next
/// backup can.</param>
public sealed record VolumesReport(IReadOnlyList<ListedVolume> Volumes, CheckFinding? Unsettled);

/// <summary>A volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">What it holds.</param>
/// <param name="State">What the database says of it.</param>
/// <param name="Size">Bytes; null if not known.</param>
/// <param name="Changed">When the operation began that changed its row last (UTC).</param>
/// <param name="ChangedBy">That operation.</param>
/// <param name="LiveBytes">Of a block volume: bytes of blocks in use, before compression.</param>
/// <param name="WastedBytes">Of a block volume: bytes of blocks that nothing uses.</param>
/// <param name="Tests">How often it was tested, as tests count: one that is tested first joins those tested most.</param>
/// <param name="LastRead">When it was fetched last (UTC), as far as the log of the last month tells; null if it does not.</param>
/// <param name="Why">Why it is in a state that is not the end of anything; null for others.</param>
public sealed record ListedVolume(
    string Name,
    string Type,
    string State,
    long? Size,
    DateTime? Changed,
    string? ChangedBy,
    long? LiveBytes,
    long? WastedBytes,
    long Tests,
    DateTime? LastRead,
    string? Why
);
