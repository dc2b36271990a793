// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>Reads volumes of which the size differs from what is recorded, of which no hash is recorded, or that somebody doubts.</summary>
internal static class DoubtfulVolumes
{
    /// <summary>Books the volumes that turn out whole, and commits; tells of the others, which stay as they are.</summary>
    /// <returns>Those that are not whole, what is wrong with each, and whether they could be fetched.</returns>
    /// <exception cref="Library.Interface.UserInformationException">Help id <c>WrongPassphrase</c>: no other volume opens with the
    /// passphrase either.</exception>
    internal static async Task<List<(RemoteVolumeEntry Volume, string Problem, bool IsThere)>> CheckAsync(
        RepairContext context,
        IEnumerable<RemoteVolumeEntry> volumes,
        CancellationToken token
    )
    {
        var damaged = new List<(RemoteVolumeEntry, string, bool)>();
        var checker = new VolumeChecker(context.Downloader, context.Settings.Format);
        foreach (var volume in volumes)
        {
            try
            {
                // A hash says more than a size, which may be recorded wrongly.
                var expected = string.IsNullOrEmpty(volume.Hash) ? volume : WithoutSize(volume);
                await checker.CheckAsync(expected, token).ConfigureAwait(false);
                if (string.IsNullOrEmpty(volume.Hash))
                    await CompareAsync(context, volume, token).ConfigureAwait(false);
                using var download = await context
                    .Downloader.FetchAsync(volume.Name, context.Settings.Format.FileHash, volume.Hash, expected.Size, token)
                    .ConfigureAwait(false);
                await context
                    .Database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, download.Length, download.Hash, token)
                    .ConfigureAwait(false);
            }
            catch (Exception ex)
                when (ex is VolumeException and not (MissingPassphraseException or UnsupportedVolumeException) or RemoteException)
            {
                if (ex is VolumeException)
                    await context.ProveSettingsAsync([], token).ConfigureAwait(false);
                context.Progress.Warning($"{volume.Name} is not as it was uploaded: {ex.What()}");
                damaged.Add((volume, ex.What(), ex is VolumeException));
            }
        }

        await context.Database.Transaction.CommitAsync("CommitVerificationTransaction", true, token).ConfigureAwait(false);
        return damaged;
    }

    private static RemoteVolumeEntry WithoutSize(RemoteVolumeEntry volume) =>
        new(
            volume.ID,
            volume.Name,
            volume.Hash,
            -1,
            volume.Type,
            volume.State,
            volume.DeleteGracePeriod,
            volume.ArchiveTime,
            volume.LockExpirationTime
        );

    // Of one without a recorded hash only its content tells that it is the one. More than is known does no harm, but in a list of files.
    private static async Task CompareAsync(RepairContext context, RemoteVolumeEntry volume, CancellationToken token)
    {
        var test = await LocalTestDatabase.CreateAsync(context.Database, null, token).ConfigureAwait(false);
        await using var testScope = test.ConfigureAwait(false);
        var differences = await new VolumeComparer(test, context.Downloader, context.Settings)
            .CompareAsync(new RemoteVolume(volume.Name, null!, -1), token)
            .ConfigureAwait(false);
        if (volume.Type != RemoteVolumeType.Files)
            differences.RemoveAll(x => x.Status == TestEntryStatus.Extra);
        if (differences.Count > 0 && (volume.Type != RemoteVolumeType.Files || EmptyVersions.HasEntries(context.Database, volume.Name)))
            throw new CorruptVolumeException(
                volume.Name,
                $"It does not hold what the database knows of it: {SizeText.Count(differences.Count, "difference")}, first {differences[0].Key}."
            );
    }
}
