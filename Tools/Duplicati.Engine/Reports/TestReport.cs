// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Reports;

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
