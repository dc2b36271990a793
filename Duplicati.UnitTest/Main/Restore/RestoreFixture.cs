// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Restore;

/// <summary>Steps that most tests of a restore begin with.</summary>
internal static class RestoreFixture
{
    internal static readonly DateTime AnyTime = new(0, DateTimeKind.Utc);

    internal static Task<LocalRestoreDatabase> OpenAsync(string path) => LocalRestoreDatabase.CreateAsync(path, null, default);

    /// <summary>Opens, chooses files of the newest version and sends them to a folder.</summary>
    internal static async Task<LocalRestoreDatabase> PrepareAsync(string path, string destination = "/out", long[]? versions = null)
    {
        var db = await OpenAsync(path);
        await db.PrepareRestoreFilelistAsync(AnyTime, versions, null, false, default);
        await db.SetTargetPathsAsync(destination.Length == 0 ? "" : await db.GetLargestPrefixAsync(default), destination, default);
        return db;
    }

    /// <summary>As <see cref="PrepareAsync"/>, with blocks and progress as the single-threaded restore wants them.</summary>
    internal static async Task<LocalRestoreDatabase> PrepareBlocksAsync(string path, bool skipMetadata = false)
    {
        var db = await PrepareAsync(path);
        await db.FindMissingBlocksAsync(skipMetadata, default);
        await db.CreateProgressTrackerAsync(false, default);
        return db;
    }
}

/// <summary>Keeps the counts and sizes that a restore reports.</summary>
internal sealed class ReportedProgress : IOperationProgressUpdater
{
    internal List<(long Files, long Bytes)> Reports { get; } = [];

    public void UpdatefilesProcessed(long count, long size) => Reports.Add((count, size));
}
