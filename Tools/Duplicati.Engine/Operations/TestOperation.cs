// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Repair;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Fetches a sample of the volumes, the least tested first, compares their content with the database, and counts the tests. Faulty index
/// volumes can be made anew. A dry run neither counts nor makes anything.
/// </summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class TestOperation(EngineOptions options, IEngineProgress progress)
{
    // Volumes of other backups.
    private readonly HashSet<string> m_others = new(StringComparer.Ordinal);

    private LocalTestDatabase m_database = null!;
    private VolumeComparer m_comparer = null!;
    private SettingsProof m_proof = null!;

    // Volumes that could not be fetched.
    private readonly HashSet<string> m_unread = new(StringComparer.Ordinal);

    /// <summary>Runs the test.</summary>
    /// <param name="samples">Number of volumes of each kind; <see cref="long.MaxValue"/> for all. A budget takes of those.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The volumes and every difference; a volume that cannot be read counts as a difference.</returns>
    /// <exception cref="UserInformationException">Help ids <c>MissingRemoteFiles</c>, <c>ExtraRemoteFiles</c>, and those of an inconsistent
    /// database.</exception>
    public async Task<TestReport> RunAsync(long samples, CancellationToken token)
    {
        if (options.DryRun)
        {
            return await DatabaseReading
                .RunAsync(
                    options.DatabasePath,
                    options.Preset,
                    file =>
                    {
                        DatabaseGuard.RequireSettings(file, options.DatabasePath);
                        return RunAsync(file, samples, token);
                    },
                    token
                )
                .ConfigureAwait(false);
        }

        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        DatabaseGuard.RequireReadable(options, listsVolumes: true);
        return await RunAsync(options.DatabasePath, samples, token).ConfigureAwait(false);
    }

    private async Task<TestReport> RunAsync(string file, long samples, CancellationToken token)
    {
        var begin = options.TestBudget.Clock.GetTimestamp();
        var database = await LocalTestDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        m_database = database;
        await OperationBegin.LetOthersInAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);
        RowFaults.Refuse(database, RowFaults.BlocksWithoutVolume);
        using var folder = RemoteFolder.Open(options, progress);
        var inventory = await new RemoteInventory(database, folder, settings.Prefix, progress) { OnlyReads = true }
            .LookAsync(token)
            .ConfigureAwait(false);
        inventory.ThrowIfDifferent(allowResized: true);

        var plan = await TestPlan.MakeAsync(database, samples, options.TestBudget, token).ConfigureAwait(false);
        folder.Prefetch(plan.Chosen.Select(x => (x.Name, x.Size)));
        using var temporary = new TemporaryFolder();
        m_comparer = new VolumeComparer(database, new VolumeDownloader(folder, settings, temporary.Path), settings);
        m_proof = new SettingsProof(database, options.DatabasePath, settings, folder, progress) { Always = true };
        var (tested, differences) = await CompareAsync(plan.Chosen, begin, token).ConfigureAwait(false);
        // Unless the settings are wrong.
        if (m_others.Count > 0)
            await m_proof.TryAsync([], token).ConfigureAwait(false);
        var names = FaultyIndexes(differences);
        var faulty = tested.FindAll(x => names.Contains(x.Name));
        if (differences.Select(x => x.Volume).Distinct().Except(m_others).Except(m_unread).ToList() is { Count: > 0 } damaged)
            progress.Warning($"Volumes hold something else than the database says: {damaged.Count}. {VolumeAdvice.Damaged(damaged)}");
        if (!options.DryRun)
            await database.Transaction.CommitAsync("CommitTest", true, token).ConfigureAwait(false);
        if (options.ReplaceFaultyIndexVolumes && !options.DryRun)
            faulty = await ReplaceAsync(settings, folder, faulty, token).ConfigureAwait(false);
        return new TestReport(
            tested.ConvertAll(x => x.Name),
            differences,
            options.ReplaceFaultyIndexVolumes ? faulty.ConvertAll(x => x.Name) : [],
            plan.Left(tested.ConvertAll(x => x.Name))
        );
    }

    // One that holds more than the database knows does no harm.
    private HashSet<string> FaultyIndexes(List<VolumeDifference> differences) =>
        [
            .. differences
                .Where(x => x.Status != TestEntryStatus.Extra && VolumeName.Parse(x.Volume)!.Type == RemoteVolumeType.Index)
                .Select(x => x.Volume)
                .Except(m_others)
                .Except(m_unread),
        ];

    private async Task<List<IRemoteVolume>> ReplaceAsync(
        BackupSettings settings,
        IRemoteFolder folder,
        List<IRemoteVolume> found,
        CancellationToken token
    )
    {
        if (found.Count == 0)
            return found;

        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        await OperationBegin.BeginAsync(m_database, token).ConfigureAwait(false);
        // Whoever had the turn before may have removed some.
        var faulty = new List<IRemoteVolume>();
        foreach (var volume in found)
        {
            if (await RemoteInventory.StillStandsAsync(m_database, volume, token).ConfigureAwait(false))
                faulty.Add(volume);
        }

        progress.Warning($"Replacing {SizeText.Count(faulty.Count, "faulty index volume")}");
        var repair = await LocalRepairDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var repairScope = repair.ConfigureAwait(false);
        using var context = new RepairContext(repair, settings, options, folder, progress);
        var rebuilder = new IndexRebuilder(context);
        // An interrupted backup stays known: only the next backup, or a repair, deals with it.
        var wasInterrupted = await m_database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false);
        foreach (var volume in faulty)
            await rebuilder.ReplaceAsync(volume.Name, [], token).ConfigureAwait(false);
        await m_database.TerminatedWithActiveUploadsAsync(token, wasInterrupted).ConfigureAwait(false);
        return faulty;
    }

    // One at least, so that every run comes further.
    private bool IsTimeUp(long begin) =>
        options.TestBudget is { MaxDuration: { } most, Clock: { } clock } && clock.GetElapsedTime(begin) >= most;

    private async Task<(List<IRemoteVolume> Tested, List<VolumeDifference> Differences)> CompareAsync(
        IReadOnlyList<IRemoteVolume> volumes,
        long begin,
        CancellationToken token
    )
    {
        var (tested, differences) = (new List<IRemoteVolume>(), new List<VolumeDifference>());
        for (var i = 0; i < volumes.Count && (i == 0 || !IsTimeUp(begin)); i++)
        {
            tested.Add(volumes[i]);
            var found = await CompareAsync(volumes[i], token).ConfigureAwait(false);
            if (found.Count > 0 && !await RemoteInventory.StillStandsAsync(m_database, volumes[i], token).ConfigureAwait(false))
                continue;
            foreach (var difference in found)
                progress.Warning($"{difference.Volume}: {difference.Status} {difference.Key}");
            differences.AddRange(found);
            if (!options.DryRun && !m_unread.Contains(volumes[i].Name))
            {
                // The count rests on nothing that the comparison was told, and others may have committed meanwhile. A rollback would take
                // along what the layer has read for all volumes.
                await m_database.Transaction.CommitAsync("CommitTest", true, token).ConfigureAwait(false);
                await m_database.UpdateVerificationCountAsync(volumes[i].Name, token).ConfigureAwait(false);
                await m_database.LogRemoteOperationAsync("get", volumes[i].Name, null, token).ConfigureAwait(false);
                // Others may wait to write, and fetching the next may take long.
                await m_database.Transaction.CommitAsync("CommitTest", true, token).ConfigureAwait(false);
                progress.Reached(
                    new StepReached(
                        $"{i + 1} of {SizeText.Count(volumes.Count, "volume")} were tested, which is recorded: the next test begins with others."
                    )
                );
            }

            progress.Advance("volumes", i + 1, volumes.Count);
        }

        return (tested, differences);
    }

    private async Task<List<VolumeDifference>> CompareAsync(IRemoteVolume volume, CancellationToken token)
    {
        try
        {
            return await m_comparer.CompareAsync(volume, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            // One volume that the passphrase does not open, where it opens others, is damaged.
            if (
                ex is WrongPassphraseException or MissingPassphraseException
                && await m_proof.TryAsync([], token).ConfigureAwait(false) is not null
            )
                throw;
            if (ex is InvalidManifestException { IsOfOther: true })
                m_others.Add(volume.Name);
            if (ex is RemoteFileUnreadableException)
                m_unread.Add(volume.Name);
            return [new VolumeDifference(volume.Name, TestEntryStatus.Error, ex.Message)];
        }
    }
}
