// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// What an interrupted operation had recorded and no version holds: a database made anew would not know it, or as deleted blocks.
/// </summary>
internal static class UnusedRows
{
    /// <summary>Removes it. Does not commit.</summary>
    internal static async Task DropAsync(LocalDatabase database, CancellationToken token)
    {
        var delete = await LocalDeleteDatabase.CreateAsync(database, null, token).ConfigureAwait(false);
        await using var deleteScope = delete.ConfigureAwait(false);
        await delete.DropFilesetsFromTableAsync([], token).CountAsync(token).ConfigureAwait(false);
    }

    /// <summary>Removes it if there are files among it, which a purge does not accept. Linear in the files. Does not commit.</summary>
    internal static async Task DropFilesAsync(LocalDatabase database, CancellationToken token)
    {
        var purge = await LocalPurgeDatabase.CreateAsync(database, null, token).ConfigureAwait(false);
        await using var purgeScope = purge.ConfigureAwait(false);
        if (await purge.CountOrphanFilesAsync(token).ConfigureAwait(false) > 0)
            await DropAsync(database, token).ConfigureAwait(false);
    }
}
