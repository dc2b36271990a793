// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>The bounds of a <see cref="CommitQueue"/>.</summary>
public sealed record CommitQueueOptions
{
    /// <summary>Works that may wait before <see cref="CommitQueue.EnqueueAsync{T}"/> lets its caller wait; at least 1.</summary>
    public int Capacity { get; init; } = 1024;

    /// <summary>
    /// Works that one transaction takes at most; at least 1. Bounds how long the first caller of a group waits for the last, and how much
    /// one failed commit undoes.
    /// </summary>
    public int MostWorksPerCommit { get; init; } = 1024;

    /// <summary>
    /// How <see cref="CommitQueue.Open"/> opens the database. Other presets than <c>durable</c> acknowledge what a power loss may still
    /// take.
    /// </summary>
    internal ConnectionOptions Connection { get; init; } = ConnectionPreset.Durable.ToOptions();
}
