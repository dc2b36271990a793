// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>Mends what can be wrong in a database by itself, without the remote folder.</summary>
internal static class DatabaseFixes
{
    /// <summary>Runs all fixes in upstream's order (contract B, section 6). Each commits if it changed something.</summary>
    internal static async Task RunAsync(LocalRepairDatabase database, BackupSettings settings, CancellationToken token)
    {
        await database.FixDuplicateMetahashAsync(token).ConfigureAwait(false);
        await database.FixDuplicateFileentriesAsync(token).ConfigureAwait(false);
        await database.FixDuplicatePathsInFilesetsAsync(token).ConfigureAwait(false);
        await database.FixDuplicateBlocklistHashesAsync(settings.BlockSize, settings.DigestSize, token).ConfigureAwait(false);
        await FixBlocklistsAsync(database, settings, token).ConfigureAwait(false);
        var options = new Options(new Dictionary<string, string?> { ["file-hash-algorithm"] = settings.Format.FileHash.Name });
        await database.FixEmptyMetadatasetsAsync(options, token).ConfigureAwait(false);
    }

    // Blocks of a content are missing from the database, or nobody has its list: only the volumes can tell what it was.
    private static async Task FixBlocklistsAsync(LocalRepairDatabase database, BackupSettings settings, CancellationToken token)
    {
        try
        {
            await database.FixMissingBlocklistHashesAsync(settings.Format.BlockHash.Name, settings.BlockSize, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex.GetType() == typeof(Exception) || ex is UserInformationException)
        {
            throw new UserInformationException($"{ex.Message} {Advice.RecreateDatabase()}", "MissingBlocklistHashesRepairFailed", ex);
        }
    }
}
