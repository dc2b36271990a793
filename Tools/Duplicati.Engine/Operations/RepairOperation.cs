// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Repair;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Brings the local database and the remote folder together again: makes the database anew if there is none, settles what an interrupted
/// operation
/// left, and makes missing volumes anew from what is known.
/// </summary>
/// <param name="options">What the operation works on.</param>
/// <param name="choices">What it may do beyond the harmless.</param>
/// <param name="progress">Told what happens.</param>
public sealed class RepairOperation(EngineOptions options, RepairChoices choices, IEngineProgress progress)
{
    /// <summary>Runs the repair. A dry run works on a copy of the database and changes nothing.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsPartiallyRecreated</c>, <c>DatabaseIsInRepairState</c>,
    /// <c>LocalDatabaseHasNoFilesetTimes</c>,
    /// <c>RemoteFilesNewerThanLocalDatabase</c>, <c>RemoteFolderEmptyWithPrefix</c>, <c>MissingDblockFiles</c>, <c>RepairIsNotPossible</c>,
    /// those of the settings, of an
    /// inconsistent database and of <see cref="RecreateOperation"/>.</exception>
    public async Task<RepairReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        DatabaseGuard.Require(options);
        using var space = new WorkSpace(options, progress);
        var path = space.DatabasePath;
        if (!File.Exists(path))
            return await RecreateAsync(path, token).ConfigureAwait(false);
        return await RepairDatabaseFile.IsUsableAsync(path, token).ConfigureAwait(false)
            ? await RepairAsync(path, space.Folder, token).ConfigureAwait(false)
            : await ReplaceAsync(path, token).ConfigureAwait(false);
    }

    private async Task<RepairReport> ReplaceAsync(string path, CancellationToken token)
    {
        var aside = RepairDatabaseFile.PutAside(path);
        progress.Warning(
            $"The database holds nothing that can be repaired; it is kept as {Path.GetFileName(aside)}, and a new one is made"
        );
        try
        {
            return await RecreateAsync(path, token).ConfigureAwait(false);
        }
        catch
        {
            RepairDatabaseFile.PutBack(aside, path);
            throw;
        }
    }

    private async Task<RepairReport> RecreateAsync(string path, CancellationToken token)
    {
        progress.Message("Rebuilding the database from the remote folder");
        var recreated = await new RecreateOperation(options with { DatabasePath = path }, progress)
            .RunInTurnAsync(token)
            .ConfigureAwait(false);
        var database = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        await DatabaseFixes.RunAsync(database, settings, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitRepairTransaction", true, token).ConfigureAwait(false);
        List<string> problems = recreated.Problems == 0 ? [] : [$"{SizeText.Count(recreated.Problems, "volume")} could not be read."];
        if (recreated.RefusedEntries > 0)
            problems.Add($"Left out of file lists, because it cannot be so: {SizeText.Count(recreated.RefusedEntries, "entry")}.");
        return new RepairReport
        {
            DryRun = options.DryRun,
            Recreated = recreated,
            Problems = problems,
        };
    }

    private async Task<RepairReport> RepairAsync(string path, RecordingFolder folder, CancellationToken token)
    {
        var database = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The database was recreated for some versions only and cannot be repaired. {Advice.RecreateDatabase()}",
                "DatabaseIsPartiallyRecreated"
            );
        if (await database.RepairInProgressAsync(token).ConfigureAwait(false))
            throw new UserInformationException(LostBlocksMark.ProblemOfRecreate(database), "DatabaseIsInRepairState");

        await OtherFolder.RefuseAsync(database, folder, token).ConfigureAwait(false);
        await DatabaseFixes.RunAsync(database, settings, token).ConfigureAwait(false);
        using var context = new RepairContext(database, settings, options, folder, progress, choices.DeleteDamaged);
        var steps = new RepairSteps(context, folder, choices);
        await steps.RunAsync(token).ConfigureAwait(false);
        foreach (var problem in steps.Problems)
            progress.Warning(problem);
        return new RepairReport
        {
            DryRun = options.DryRun,
            Uploaded = [.. folder.Put],
            Deleted = [.. folder.Deleted],
            Adopted = steps.Adopted,
            UnknownFiles = steps.Unknown,
            RecoveredBlocks = steps.RecoveredBlocks,
            LostBlocks = steps.LostBlocks,
            Problems = steps.Problems,
            Discarded = steps.Discarded,
            KeptDamaged = [.. DamagedVolumes.KeptOf(folder.Moved)],
        };
    }
}
