// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.ExceptionServices;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>The first steps of a repair: rows that contradict each other, or the remote folder.</summary>
internal sealed class RowSteps(RepairContext context, IRemoteFolder folder, RepairChoices choices)
{
    /// <summary>
    /// Forgets links of volumes that the database has lost; a new volume could get the id of one. One row a volume in both tables.
    /// </summary>
    private const string FORGET_LOOSE_LINKS = """
        DELETE FROM "IndexBlockLink"
        WHERE "IndexVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume") OR "BlockVolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")
        """;

    /// <summary>
    /// Gives entries without a file an id that no file gets: a list that is read again makes files, of which one could get the id of a lost
    /// one, and the entries of another version would be of that. All of FilesetEntry; FileLookup by row id.
    /// </summary>
    private const string SET_APART = """
        UPDATE "FilesetEntry" SET "FileID" = -"FileID"
        WHERE "FileID" > 0 AND NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    /// <summary>Takes entries without a file out of a version. Part of the key of FilesetEntry; FileLookup by row id.</summary>
    private const string DROP_ENTRIES_WITHOUT_FILE = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = @fileset AND NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    private readonly LocalRepairDatabase m_database = context.Database;
    private readonly MisplacedVolumes m_misplaced = new(context, folder);
    private readonly HashSet<string> m_reinstated = new(StringComparer.Ordinal);
    private readonly List<RemoteVolumeEntry> m_unreadLists = [];
    private readonly List<string> m_problems = [];
    private bool m_hasChanged;

    /// <summary>
    /// Names of volumes that complete versions need, whose rows had said that they go, are gone or never came, or were lost with entries of
    /// the version.
    /// </summary>
    internal IReadOnlyCollection<string> Reinstated => m_reinstated;

    /// <summary>Lists of which the versions have lost entries that could not be read again.</summary>
    internal IReadOnlyList<RemoteVolumeEntry> UnreadLists => m_unreadLists;

    /// <summary>What could not be mended.</summary>
    internal IReadOnlyList<string> Problems => m_problems;

    /// <summary>Runs the steps.</summary>
    /// <returns>What the remote folder has, compared with the rows as they are now.</returns>
    internal async Task<RemoteInventory> RunAsync(FilelistRebuilder filelists, CancellationToken token)
    {
        DumpQuery.Execute(m_database.Connection, FORGET_LOOSE_LINKS);
        var inventory = await CompareAsync(token).ConfigureAwait(false);
        if (inventory.GivenUp.Count + inventory.LostIndexes.Count > 0)
        {
            await inventory.ReinstateAsync(token).ConfigureAwait(false);
            m_reinstated.UnionWith(inventory.GivenUp.Select(x => x.Name));
            inventory = await CompareAsync(token).ConfigureAwait(false);
        }

        return await ReloadVersionsAsync(filelists, inventory, token).ConfigureAwait(false);
    }

    /// <summary>What a repair cannot mend.</summary>
    internal static List<string> Unmended(LocalDatabase database, string remedy) =>
        [.. RowFaults.All.Select(x => x.Find(database.Connection)).Where(x => x is not null).Select(x => $"{x}. {remedy}")];

    private async Task<RemoteInventory> CompareAsync(CancellationToken token)
    {
        var inventory = new RemoteInventory(m_database, folder, context.Settings.Prefix, context.Progress)
        {
            KeepsReturned = choices.CheckVolumes.Count > 0,
        };
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        return inventory;
    }

    private async Task<RemoteInventory> ReloadVersionsAsync(FilelistRebuilder filelists, RemoteInventory inventory, CancellationToken token)
    {
        var versions = await m_database.GetFilesetsWithMissingFilesAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (versions.Count == 0)
            return inventory;
        DumpQuery.Execute(m_database.Connection, SET_APART);
        // A list that cannot be read takes back whatever is not committed. So nothing is dropped before the last one was tried, either.
        await m_database.Transaction.CommitAsync("CommitLooseRows", true, token).ConfigureAwait(false);
        var cut = new List<(long Id, DateTime Time, RemoteVolumeEntry List)>();
        foreach (var (id, time) in versions)
        {
            var list = await ListOfAsync(id, time, inventory, token).ConfigureAwait(false);
            var isMissing = inventory.Missing.Except(inventory.Resized).Any(x => x.ID == list.ID);
            if (!IsComplete(list) || !await IsReloadedAsync(filelists, id, list, isMissing, token).ConfigureAwait(false))
                cut.Add((id, time, list));
        }

        // Nor while a folder that has gone away, or another passphrase, may be why.
        if (m_hasChanged)
            inventory = await CompareAsync(token).ConfigureAwait(false);
        if (cut.Count > 0)
            await context.ProveSettingsAsync(inventory.Missing, token).ConfigureAwait(false);
        foreach (var (id, time, list) in cut)
            await DropAsync(id, time, list, token).ConfigureAwait(false);
        return inventory;
    }

    // Where its row is lost, too, a list of the version's time that the database does not know; without a name if there is none.
    private async Task<RemoteVolumeEntry> ListOfAsync(long id, DateTime time, RemoteInventory inventory, CancellationToken token)
    {
        var list = await m_database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false);
        if (list.Name is not null)
            return list;
        ExceptionDispatchInfo? unread = null;
        foreach (var file in inventory.Extra.FindAll(x => VolumeName.Parse(x.Name)!.Type == RemoteVolumeType.Files))
        {
            try
            {
                if (!await new UnknownFilelist(context, file, id).TryAdoptAsync(token).ConfigureAwait(false))
                    continue;
                inventory.Extra.Remove(file);
                m_reinstated.Add(file.Name);
                return await m_database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (UnknownFilelist.IsClosed(ex))
            {
                // It may be the one, if no other is.
                if ((VolumeName.Parse(file.Name)!.Time - time.ToUniversalTime()).Duration() <= FreeFilelistName.FarthestMove)
                    unread ??= ExceptionDispatchInfo.Capture(ex);
                await m_database.Transaction.RollBackAsync("RollbackUnknownFilelist", true, token).ConfigureAwait(false);
            }
        }

        unread?.Throw();
        return list;
    }

    private static bool IsComplete(RemoteVolumeEntry list) => list.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;

    private async Task<bool> IsReloadedAsync(
        FilelistRebuilder filelists,
        long id,
        RemoteVolumeEntry list,
        bool isMissing,
        CancellationToken token
    )
    {
        var failure = isMissing ? null : await TryReloadAsync(filelists, id, token).ConfigureAwait(false);
        if (!isMissing && failure is null)
            return true;

        // What is dropped else would be in no list any more, although the whole one may only have another name.
        var wrong = new List<RemoteVolumeEntry> { list };
        await m_misplaced.PutRightAsync(wrong, token).ConfigureAwait(false);
        if (!wrong.Contains(list))
        {
            m_hasChanged = true;
            failure = await TryReloadAsync(filelists, id, token).ConfigureAwait(false);
            if (failure is null)
                return true;
        }

        // One that is not there is made anew like all that are missing.
        m_hasChanged |= failure is RemoteFileMissingException;
        if (failure is VolumeException)
        {
            await context.ProveSettingsAsync([], token).ConfigureAwait(false);
            context.Progress.Warning(failure.What());
            m_unreadLists.Add(list);
        }

        return false;
    }

    // Nobody knows what these entries were; the others are kept, in a list that is made of them.
    private async Task DropAsync(long id, DateTime time, RemoteVolumeEntry list, CancellationToken token)
    {
        var lost = DumpQuery.Execute(m_database.Connection, DROP_ENTRIES_WITHOUT_FILE, ("@fileset", id));
        // Of a backup that was interrupted: what is lost of it is read again by the next one.
        if (list.Name is not null && list.State is RemoteVolumeState.Temporary or RemoteVolumeState.Uploading)
            return;
        await m_database.UpdateFullBackupStateInFilesetAsync(id, false, token).ConfigureAwait(false);
        await FilelistRebuilder.DoubtListAsync(m_database, id, token).ConfigureAwait(false);
        var (version, why) = list.Name is { } name
            ? (name, "the list cannot be read")
            : ($"the version of {time.ToUniversalTime():u}", "its list, too");
        m_problems.Add(
            $"Lost of {version}: {SizeText.Count(lost, "entry")}. The database has lost their files, and {why}. The version is marked partial"
        );
    }

    private async Task<Exception?> TryReloadAsync(FilelistRebuilder filelists, long id, CancellationToken token)
    {
        try
        {
            await filelists.ReloadAsync(id, token).ConfigureAwait(false);
            return null;
        }
        catch (Exception ex)
            when (ex is VolumeException and not (MissingPassphraseException or UnsupportedVolumeException) or RemoteFileMissingException)
        {
            await m_database.Transaction.RollBackAsync("RollbackReload", true, token).ConfigureAwait(false);
            return ex;
        }
    }
}

/// <summary>Mends what can be wrong in a database by itself, without the remote folder.</summary>
internal static class DatabaseFixes
{
    /// <summary>Runs all fixes in upstream's order (contract B, section 6). Each commits if it changed something.</summary>
    /// <returns>What could not be mended: blocks of a content are missing from the database, or nobody has its list, so that only the
    /// volumes can tell what it was. Null if nothing.</returns>
    internal static async Task<string?> RunAsync(LocalRepairDatabase database, BackupSettings settings, CancellationToken token)
    {
        await database.FixDuplicateMetahashAsync(token).ConfigureAwait(false);
        await database.FixDuplicateFileentriesAsync(token).ConfigureAwait(false);
        await database.FixDuplicatePathsInFilesetsAsync(token).ConfigureAwait(false);
        await database.FixDuplicateBlocklistHashesAsync(settings.BlockSize, settings.DigestSize, token).ConfigureAwait(false);
        var unfixed = await FixBlocklistsAsync(database, settings, token).ConfigureAwait(false);
        var options = new Options(new Dictionary<string, string?> { ["file-hash-algorithm"] = settings.Format.FileHash.Name });
        await database.FixEmptyMetadatasetsAsync(options, token).ConfigureAwait(false);
        return unfixed;
    }

    private static async Task<string?> FixBlocklistsAsync(LocalRepairDatabase database, BackupSettings settings, CancellationToken token)
    {
        try
        {
            await database.FixMissingBlocklistHashesAsync(settings.Format.BlockHash.Name, settings.BlockSize, token).ConfigureAwait(false);
            return null;
        }
        catch (Exception ex) when (ex.GetType() == typeof(Exception) || ex is UserInformationException)
        {
            await database.Transaction.RollBackAsync("RollbackFixes", true, token).ConfigureAwait(false);
            return ex.Message;
        }
    }
}
