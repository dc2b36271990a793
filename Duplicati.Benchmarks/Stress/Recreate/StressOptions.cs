// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What a run of cycles does.</summary>
internal sealed record StressOptions
{
    /// <summary>Seed; null takes that of an interrupted run, or one of its own.</summary>
    public long? Seed { get; init; }

    /// <summary>Number of the first cycle, from 1.</summary>
    public int First { get; init; } = 1;

    /// <summary>How many cycles; null for no limit.</summary>
    public int? Cycles { get; init; }

    /// <summary>When no further cycle begins (local time); null for never.</summary>
    public DateTime? Until { get; init; }

    /// <summary>Programs that recreate every database as well.</summary>
    public IReadOnlyList<Peer> Peers { get; init; } = [];

    /// <summary>The peers as they were typed, for the command that repeats a cycle.</summary>
    public string PeerWords { get; init; } = "";

    /// <summary>The work folder.</summary>
    public string Work { get; init; } = "artifacts/stress-recreate";

    /// <summary>A cycle whose recreated database is falsified, for tests.</summary>
    public int? Break { get; init; }
}
