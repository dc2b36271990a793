// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>Makes file lists anew from the database, and versions in the database from file lists.</summary>
internal sealed class FilelistRebuilder(RepairContext context)
{
    // The schema of the releases that read the time of a version from its list.
    private const int FirstThatKeepsTimes = 20;

    /// <summary>
    /// Takes entries out of a version whose file, folder, content or metadata are not there, or not all their lists of blocks: no list
    /// can have them. Part of the key of FilesetEntry, BlocklistHashBlocksetIDIndex for long contents; all others by row id or key.
    /// </summary>
    private const string DROP_UNKNOWN_ENTRIES = """
        DELETE FROM "FilesetEntry"
        WHERE "FilesetID" = @fileset AND NOT EXISTS (
            SELECT 1
            FROM "FileLookup"
            CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
            CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
            CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
            WHERE "FileLookup"."ID" = "FilesetEntry"."FileID"
                AND ("FileLookup"."BlocksetID" IN (-100, -200)
                    OR EXISTS (SELECT 1 FROM "Blockset" AS "Content" WHERE "Content"."ID" = "FileLookup"."BlocksetID"))
                AND ("Blockset"."Length" = 0 OR EXISTS (
                    SELECT 1
                    FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                    WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "BlocksetEntry"."Index" = 0))
                AND NOT EXISTS (
                    SELECT 1 FROM "Blockset" AS "Long"
                    WHERE "Long"."ID" IN ("FileLookup"."BlocksetID", "Metadataset"."BlocksetID") AND "Long"."Length" > @blocksize
                        AND (SELECT COUNT(*) FROM "BlocklistHash" WHERE "BlocklistHash"."BlocksetID" = "Long"."ID")
                            <> (("Long"."Length" + @blocksize - 1) / @blocksize + @hashes - 1) / @hashes))
        """;

    private readonly LocalRepairDatabase m_database = context.Database;
    private readonly List<string> m_problems = [];

    /// <summary>Versions that have lost entries with rows of the database, and their lists.</summary>
    internal IReadOnlyList<string> Problems => m_problems;

    /// <summary>Names in the remote folder that the database does not know; no list may overwrite them.</summary>
    internal HashSet<string> Taken { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Replaces a file list that is missing, or holds too much, by one of a free second between the version's neighbours, or where there is
    /// none under the same name. From schema 20 on the version keeps its time, which the list tells; before, it gets that of the name. It
    /// is uploaded before the version changes to it, so that a kill leaves the version as it is.
    /// </summary>
    internal async Task ReplaceAsync(string name, CancellationToken token)
    {
        var old = await m_database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        if (!await HasFilesetAsync(name, token).ConfigureAwait(false))
        {
            await context.Remover.RemoveAsync([new RemoteVolume(old.Name, old.Hash, old.Size)], token).ConfigureAwait(false);
            return;
        }

        var (filesetId, time, isFull) = await m_database.GetFilesetFromRemotenameAsync(name, token).ConfigureAwait(false);
        if (await FindNameAsync(filesetId, orSame: false, token).ConfigureAwait(false) is not { } newName)
        {
            await RenewAsync(VolumeName.Parse(name)!, filesetId, time, isFull, token).ConfigureAwait(false);
            return;
        }

        // The first releases take the time of a version from the name of its list.
        var keepsTime = SchemaState.Require(m_database.Connection, m_database.Connection.DataSource) >= FirstThatKeepsTimes;
        var volumeId = await UploadAsync(newName, filesetId, keepsTime ? time : newName.Time, isFull, token).ConfigureAwait(false);
        await m_database.LinkFilesetToVolumeAsync(filesetId, volumeId, token).ConfigureAwait(false);
        if (!keepsTime)
            await m_database.UpdateFilesetTimestampAsync(filesetId, newName.Time, token).ConfigureAwait(false);
        await context.Remover.RemoveAsync([new RemoteVolume(old.Name, old.Hash, old.Size)], token).ConfigureAwait(false);
    }

    // In no state in which an interrupted upload would be given up together with its version: size and hash are unknown meanwhile, which
    // the next repair settles.
    private async Task RenewAsync(VolumeName name, long filesetId, DateTime time, bool isFull, CancellationToken token)
    {
        await WriteAsync(name, filesetId, time, isFull, token).ConfigureAwait(false);
        await context.RetireAsync(name.FileName, token).ConfigureAwait(false);
        await m_database.UpdateRemoteVolumeAsync(name.FileName, RemoteVolumeState.Uploaded, -1, null, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitPriorToFilesetUpload", true, token).ConfigureAwait(false);
        await context.UploadAgainAsync(name, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitFilesetTransaction", true, token).ConfigureAwait(false);
    }

    /// <summary>Makes the file list of a version whose volume the database has lost.</summary>
    /// <exception cref="UserInformationException">Help id <c>NoFreeFilelistName</c>: its own second is taken, and no other is free between
    /// its neighbours.</exception>
    internal async Task PublishAsync(long filesetId, DateTime time, bool isFull, CancellationToken token)
    {
        var name = await FindNameAsync(filesetId, orSame: true, token).ConfigureAwait(false) ?? throw FreeFilelistName.NoneBetween(time);
        var volumeId = await UploadAsync(name, filesetId, time, isFull, token).ConfigureAwait(false);
        await m_database.LinkFilesetToVolumeAsync(filesetId, volumeId, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitFilesetTransaction", true, token).ConfigureAwait(false);
    }

    /// <summary>Reads a file list into a new version of the database, and commits.</summary>
    internal async Task LoadAsync(string name, CancellationToken token)
    {
        var volume = await m_database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        var filesetId = await m_database.CreateFilesetAsync(volume.ID, VolumeName.Parse(name)!.Time, token).ConfigureAwait(false);
        await LoadAsync(volume, filesetId, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Makes a version without entries, marked partial, of a list that cannot be read: a list without a version would be an inconsistency
    /// that no step mends. Commits.
    /// </summary>
    /// <returns>Its row.</returns>
    internal async Task<long> AddUnreadAsync(string name, CancellationToken token)
    {
        var volume = await m_database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        var filesetId = await m_database.CreateFilesetAsync(volume.ID, VolumeName.Parse(name)!.Time, token).ConfigureAwait(false);
        await m_database.UpdateFullBackupStateInFilesetAsync(filesetId, false, token).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitRecreateFilesetTransaction", true, token).ConfigureAwait(false);
        return filesetId;
    }

    /// <summary>Reads the file list of a version again that has entries of unknown files, and commits.</summary>
    internal async Task ReloadAsync(long filesetId, CancellationToken token)
    {
        var volume = await m_database.GetRemoteVolumeFromFilesetIDAsync(filesetId, token).ConfigureAwait(false);
        await m_database.DeleteFilesetEntriesAsync(filesetId, token).ConfigureAwait(false);
        await LoadAsync(volume, filesetId, token).ConfigureAwait(false);
    }

    private async Task LoadAsync(RemoteVolumeEntry volume, long filesetId, CancellationToken token)
    {
        context.Progress.Message($"Reading {volume.Name}");
        var format = context.Settings.Format;
        using var download = await context.Downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, volume.Name);
        filelist.Manifest.Require(volume.Name, format);
        var recreate = await LocalRecreateDatabase
            .CreateAsync(m_database, new Options(new Dictionary<string, string?>()), null, token)
            .ConfigureAwait(false);
        await using var recreateScope = recreate.ConfigureAwait(false);
        try
        {
            var refused = new RefusedEntries();
            await new FilelistLoader(recreate, format, context.Progress, refused)
                .LoadAsync(filelist, volume.Name, filesetId, token)
                .ConfigureAwait(false);
            refused.Tell(context.Progress);
            // Content of one block that was lost from the database finds its block again.
            await recreate
                .FindMissingBlocklistHashesAsync(context.Settings.DigestSize, context.Settings.BlockSize, token)
                .ConfigureAwait(false);
        }
        catch
        {
            // The disposal would commit the part that was read, and nobody could tell it from the whole version.
            await m_database.Transaction.RollBackAsync("RollbackFilelist", true, CancellationToken.None).ConfigureAwait(false);
            throw;
        }
    }

    private async Task<bool> HasFilesetAsync(string name, CancellationToken token)
    {
        var without = await m_database.MissingLocalFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false);
        return !without.Contains(name);
    }

    private Task<VolumeName?> FindNameAsync(long filesetId, bool orSame, CancellationToken token) =>
        FreeFilelistName.FindBetweenAsync(m_database, context.Settings, filesetId, orSame, Taken, token);

    private async Task<long> UploadAsync(VolumeName name, long filesetId, DateTime time, bool isFull, CancellationToken token)
    {
        var volumeId = await m_database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Files, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        await WriteAsync(name, filesetId, time, isFull, token).ConfigureAwait(false);
        // Not as one that is being uploaded: if it arrives and its version is not changed to it, it would be one of its own.
        await m_database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitPriorToFilesetUpload", true, token).ConfigureAwait(false);
        await context.UploadAgainAsync(name, token).ConfigureAwait(false);
        return volumeId;
    }

    /// <summary>
    /// Lets the list of a version that has lost entries be read again if it is there then. Nothing else tells of them if a repair ends
    /// between the commit of this and the new list. Does not commit.
    /// </summary>
    internal static async Task DoubtListAsync(LocalDatabase database, long filesetId, CancellationToken token)
    {
        var list = await database.GetRemoteVolumeFromFilesetIDAsync(filesetId, token).ConfigureAwait(false);
        if (list.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
            await database.UpdateRemoteVolumeAsync(list.Name, RemoteVolumeState.Uploaded, -1, null, token).ConfigureAwait(false);
    }

    private async Task WriteAsync(VolumeName name, long filesetId, DateTime time, bool isFull, CancellationToken token)
    {
        var utc = time.ToUniversalTime();
        var lost = DumpQuery.Execute(
            m_database.Connection,
            DROP_UNKNOWN_ENTRIES,
            ("@fileset", filesetId),
            ("@blocksize", context.Settings.BlockSize),
            ("@hashes", context.Settings.BlockSize / context.Settings.DigestSize)
        );
        if (lost > 0)
        {
            isFull = false;
            await m_database.UpdateFullBackupStateInFilesetAsync(filesetId, isFull, token).ConfigureAwait(false);
            await DoubtListAsync(m_database, filesetId, token).ConfigureAwait(false);
            m_problems.Add(
                $"Lost of the version of {utc:u}: {SizeText.Count(lost, "entry")}. The database has lost what they were, and their list is gone. The version is marked partial"
            );
        }

        await FilelistFile
            .WriteAsync(
                m_database,
                context.CreateFile(name),
                context.Settings.Format.For(name),
                filesetId,
                isFull,
                name.Time == utc ? null : utc,
                token
            )
            .ConfigureAwait(false);
    }
}
