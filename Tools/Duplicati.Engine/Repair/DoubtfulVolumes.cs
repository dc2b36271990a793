// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
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
    /// <param name="context">What a repair works on.</param>
    /// <param name="volumes">The volumes.</param>
    /// <param name="isDoubted">Those of which also the content is compared, where a hash is recorded.</param>
    /// <param name="isSound">Whether rows do not contradict each other. Else nothing is compared with them, nor booked.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Those that are not whole, what is wrong with each, and whether they are to be made anew.</returns>
    /// <exception cref="Library.Interface.UserInformationException">Help id <c>WrongPassphrase</c>: no other volume opens with the
    /// passphrase either.</exception>
    internal static async Task<List<(RemoteVolumeEntry Volume, string Problem, bool IsThere)>> CheckAsync(
        RepairContext context,
        IEnumerable<RemoteVolumeEntry> volumes,
        Func<RemoteVolumeEntry, bool> isDoubted,
        bool isSound,
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
                var (hash, length) = await checker.CheckAsync(expected, token).ConfigureAwait(false);
                if (!isSound)
                    continue;
                if (string.IsNullOrEmpty(volume.Hash))
                    await CompareAsync(context, volume, hash, token).ConfigureAwait(false);
                else if (isDoubted(volume) && await ContradictionAsync(context, volume, token).ConfigureAwait(false) is { } contradiction)
                {
                    context.Progress.Warning($"{volume.Name} is as it was uploaded: {contradiction}");
                    damaged.Add((volume, contradiction, false));
                }
                await context
                    .Database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, length, hash, token)
                    .ConfigureAwait(false);
            }
            catch (InvalidManifestException ex) when (ex.IsOfOther)
            {
                // It is whole, and somebody's. Of a list that is all there is of its version others tell.
                await context.ProveSettingsAsync([], token).ConfigureAwait(false);
                context.Progress.Warning(ex.What());
                if (volume.Type != RemoteVolumeType.Files || EmptyVersions.HasEntries(context.Database, volume.Name))
                    damaged.Add((volume, $"{ex.Problem} {ex.Remedy}", false));
            }
            catch (RemoteFileUnreadableException ex)
            {
                context.Progress.Warning(ex.Message);
                damaged.Add((volume, ex.Message, false));
            }
            catch (Exception ex)
                when (ex is VolumeException and not (MissingPassphraseException or UnsupportedVolumeException) or RemoteFileException)
            {
                if (ex is VolumeException)
                    await context.ProveSettingsAsync([], token).ConfigureAwait(false);
                context.Progress.Warning($"{volume.Name} is not as it was uploaded: {ex.What()}");
                var knowsMore =
                    isSound
                    && volume.Type == RemoteVolumeType.Files
                    && await KnowsMoreAsync(context, volume.Name, token).ConfigureAwait(false);
                damaged.Add(
                    knowsMore
                        ? (volume, $"It is whole, and names more than the database knows. {VolumeAdvice.Recreate(context.Database)}", false)
                        : (volume, ex.What(), ex is VolumeException)
                );
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
    private static async Task CompareAsync(RepairContext context, RemoteVolumeEntry volume, string hash, CancellationToken token)
    {
        var differences = await DifferencesAsync(context, volume.Name, token, hash, onlyUsable: false).ConfigureAwait(false);
        if (volume.Type != RemoteVolumeType.Files)
            differences.RemoveAll(x => x.Status == TestEntryStatus.Extra);
        if (differences.Count > 0 && (volume.Type != RemoteVolumeType.Files || EmptyVersions.HasEntries(context.Database, volume.Name)))
            throw Other(volume, differences);
    }

    // What a volume as it was uploaded says otherwise than the database is wrong in one of them. A third knows which: the index volume of a
    // block volume, and the block volumes that an index volume describes. Null if they say the same.
    private static async Task<string?> ContradictionAsync(RepairContext context, RemoteVolumeEntry volume, CancellationToken token)
    {
        var differences = await DifferencesAsync(context, volume.Name, token).ConfigureAwait(false);
        var isNone =
            volume.Type == RemoteVolumeType.Files
                ? differences.Count == 0 || !EmptyVersions.HasEntries(context.Database, volume.Name)
                : differences.TrueForAll(x => x.Status == TestEntryStatus.Extra);
        if (isNone)
            return null;
        var database = context.Database;
        var isVolume = volume.Type switch
        {
            RemoteVolumeType.Index => await AgreesAsync(
                    await database
                        .GetBlockVolumesFromIndexNameAsync(volume.Name, token)
                        .Select(x => x.Name)
                        .ToListAsync(token)
                        .ConfigureAwait(false)
                )
                .ConfigureAwait(false),
            // What it holds and nobody knows is what the database has under another hash.
            RemoteVolumeType.Blocks => !differences.Exists(x => x.Status == TestEntryStatus.Extra)
                && await AgreesAsync(
                        await database.GetIndexFilesReferencingBlockFileAsync(volume.ID, token).ToListAsync(token).ConfigureAwait(false)
                    )
                    .ConfigureAwait(false),
            _ => false,
        };
        return isVolume
            ? throw Other(volume, differences)
            : $"The database knows something else of it: {SizeText.Count(differences.Count, "difference")}, first {differences[0].Key}. {VolumeAdvice.Recreate(database)}";

        // One that cannot be read says nothing. Lists of blocks that an index volume lacks do not count against what it says of volumes.
        async Task<bool> AgreesAsync(List<string> thirds)
        {
            try
            {
                foreach (var name in thirds)
                {
                    if ((await DifferencesAsync(context, name, token, exceptBlocklists: true).ConfigureAwait(false)).Count > 0)
                        return false;
                }

                return thirds.Count > 0;
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileException)
            {
                return false;
            }
        }
    }

    // A list that was put back, where a recreate could read only a part of what was in its place.
    private static async Task<bool> KnowsMoreAsync(RepairContext context, string list, CancellationToken token)
    {
        try
        {
            var differences = await DifferencesAsync(context, list, token, onlyUsable: false).ConfigureAwait(false);
            return differences.Count > 0 && differences.TrueForAll(x => x.Status == TestEntryStatus.Extra);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            return false;
        }
    }

    private static CorruptVolumeException Other(RemoteVolumeEntry volume, List<VolumeDifference> differences) =>
        new(
            volume.Name,
            $"It does not hold what the database knows of it: {SizeText.Count(differences.Count, "difference")}, first {differences[0].Key}."
        );

    private static async Task<List<VolumeDifference>> DifferencesAsync(
        RepairContext context,
        string volume,
        CancellationToken token,
        string? hash = null,
        bool onlyUsable = true,
        bool exceptBlocklists = false
    )
    {
        var test = await LocalTestDatabase.CreateAsync(context.Database, null, token).ConfigureAwait(false);
        await using var testScope = test.ConfigureAwait(false);
        return await new VolumeComparer(test, context.Downloader, context.Settings)
        {
            OnlyUsable = onlyUsable,
            ExceptBlocklists = exceptBlocklists,
        }
            .CompareAsync(new RemoteVolume(volume, hash!, -1), token)
            .ConfigureAwait(false);
    }
}
