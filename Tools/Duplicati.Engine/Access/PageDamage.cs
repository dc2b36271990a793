// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Access;

/// <summary>Something that is damaged in a database file.</summary>
/// <param name="What">What, with the file and, where it can be told, the table.</param>
/// <param name="Table">The table; null if it cannot be told, or it is none.</param>
/// <param name="Source">Where what is damaged can be had from.</param>
internal sealed record PageDamage(string What, string? Table, DamageSource Source)
{
    /// <summary>Number of rows that can be read, where the table has what only the database has.</summary>
    internal long Rows { get; init; }

    /// <summary>Number of its pages that cannot be read, or only in part, and of rows on others.</summary>
    internal long Unreadable { get; init; }
}

/// <summary>Where what is damaged can be had from.</summary>
internal enum DamageSource
{
    /// <summary>From the rows of the file: an index, statistics, or pages without rows.</summary>
    Rows,

    /// <summary>From nowhere else: what can be read is all there is.</summary>
    Here,

    /// <summary>From the remote folder.</summary>
    Remote,
}
