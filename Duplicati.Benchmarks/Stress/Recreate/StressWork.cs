// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What one operation of a history does, so that it can be done in this process or another.</summary>
/// <param name="Name">backup, delete, compact, purge or recreate.</param>
/// <param name="Texts">The source of a backup, the pattern of a purge.</param>
/// <param name="Versions">Versions of a deletion or a purge, 0 = newest.</param>
internal sealed record StressWork(string Name, IReadOnlyList<string> Texts, IReadOnlyList<long> Versions)
{
    public const string Backup = "backup";
    public const string Delete = "delete";
    public const string Compact = "compact";
    public const string Purge = "purge";
    public const string Recreate = "recreate";

    /// <summary>Does it.</summary>
    public Task RunAsync(EngineOptions options, IEngineProgress progress, CancellationToken token) =>
        Name switch
        {
            Backup => new BackupOperation(options, progress).RunAsync(Texts, token),
            Delete => new DeleteOperation(options, progress).RunAsync([.. Versions], false, token),
            Compact => new CompactOperation(options with { CompactThreshold = 1, SmallFileMaxCount = 1 }, progress).RunAsync(token),
            Purge => new PurgeOperation(options, progress).RunAsync([.. Texts], [.. Versions], token),
            Recreate => new RecreateOperation(options, progress).RunAsync(token),
            _ => throw new ArgumentException($"There is no operation {Name}.", nameof(token)),
        };
}
