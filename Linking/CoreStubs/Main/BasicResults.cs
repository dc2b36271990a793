// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>The common part of all results.</summary>
internal abstract class BasicResults : IBasicResults
{
    /// <inheritdoc/>
    public DateTime BeginTime { get; internal set; } = DateTime.UtcNow;

    /// <inheritdoc/>
    public DateTime EndTime { get; internal set; }

    /// <summary>Writes the log messages that were collected meanwhile to the database.</summary>
    /// <param name="db">The database object that is about to store the result.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Ends when they are written. A result that collects none has nothing to do.</returns>
    internal virtual Task FlushLogAsync(object db, CancellationToken token) => Task.CompletedTask;
}
