// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics.CodeAnalysis;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Repair;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Brings the local database and the remote folder together again: makes the database anew if there is none, settles what an interrupted
/// operation left, and makes missing volumes anew from what is known.
/// </summary>
/// <param name="options">What the operation works on.</param>
/// <param name="choices">What it may do beyond the harmless.</param>
/// <param name="progress">Told what happens.</param>
public sealed class RepairOperation(EngineOptions options, RepairChoices choices, IEngineProgress progress)
{
    /// <summary>Scans Metadataset up to the first text.</summary>
    private const string HAS_TEXTS = """SELECT 1 FROM "Metadataset" WHERE "Content" <> '' LIMIT 1""";

    /// <summary>Runs the repair. A dry run works on a copy of the database and changes nothing.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsPartiallyRecreated</c>, <c>DatabaseIsInRepairState</c>,
    /// <c>DatabaseIsBusy</c>, <c>LocalDatabaseHasNoFilesetTimes</c>,
    /// <c>RemoteFilesNewerThanLocalDatabase</c>, <c>RemoteFolderEmptyWithPrefix</c>, <c>MissingDblockFiles</c>, <c>RepairIsNotPossible</c>,
    /// those of the settings, of an
    /// inconsistent database and of <see cref="RecreateOperation"/>.</exception>
    public async Task<RepairReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireFile(options.DatabasePath);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        UnfinishedRecreate.Refuse(options.DatabasePath);
        using var space = new WorkSpace(options, progress);
        try
        {
            return await RunAsync(space, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (options.DryRun && ex.Message.Contains(space.DatabasePath, StringComparison.Ordinal))
        {
            throw new UserInformationException(Named(ex.Message, space.DatabasePath), ex.HelpID, ex);
        }
    }

    private async Task<RepairReport> RunAsync(WorkSpace space, CancellationToken token)
    {
        var path = space.DatabasePath;
        var mended = await MendAsync(path, token).ConfigureAwait(false);
        if (mended is { NeedsRemote: true })
            return await RecreateAsync(path, token, replaces: true).ConfigureAwait(false);
        DatabaseGuard.Require(mended is null ? options : options with { DatabasePath = path }, acceptsEmpty: true);
        if (!File.Exists(path))
            return await RecreateAsync(path, token).ConfigureAwait(false);
        var report = await RepairDatabaseFile.IsUsableAsync(path, token).ConfigureAwait(false)
            ? await RepairAsync(path, space.Folder, token).ConfigureAwait(false)
            : await ReplaceAsync(path, token).ConfigureAwait(false);
        return mended is null
            ? report
            : report with
            {
                OldDatabase = Named(mended.Kept, path),
                Lost = mended.Lost,
                Problems = [.. Losses(mended.Lost), .. report.Problems],
            };
    }

    // Before anything reads the database: what is on damaged pages may look like an answer.
    private async Task<MendedDatabase?> MendAsync(string path, CancellationToken token)
    {
        if (!File.Exists(path))
            return null;
        progress.Message("Checking the pages of the database");
        List<PageDamage> damage;
        try
        {
            damage = await DatabaseIntegrity.CheckAsync(path, quick: !choices.CheckIndexes, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseIsDamaged")
        {
            progress.Warning(ex.InnerException!.Message);
            return new MendedDatabase(NeedsRemote: true, null, []);
        }
        catch (UserInformationException ex) when (ex.InnerException is SqliteException cause)
        {
            // A dry run has looked at a copy.
            throw DatabaseIntegrity.Error(options.DatabasePath, cause);
        }

        if (damage.Count == 0)
            return null;
        foreach (var found in damage)
            progress.Warning(Named(found.What, path));
        if (damage.Exists(x => x.Source == DamageSource.Remote))
            return new MendedDatabase(NeedsRemote: true, null, []);
        progress.Message("Making a new database from the rows of the damaged one");
        if (await Task.Run(() => DatabaseRewrite.Run(path, damage, token), token).ConfigureAwait(false) is not var (kept, lost))
            return new MendedDatabase(NeedsRemote: true, null, []);
        progress.Warning($"The damaged database {Is} kept as {Named(kept, path)}");
        return new MendedDatabase(NeedsRemote: false, kept, lost);
    }

    // A dry run works on a copy.
    [return: NotNullIfNotNull(nameof(text))]
    private string? Named(string? text, string path) => text?.Replace(path, options.DatabasePath, StringComparison.Ordinal);

    private string Is => options.DryRun ? "would be" : "is";

    private static IEnumerable<string> Losses(IEnumerable<OwnTableRows> tables) =>
        from table in tables
        where table.Unreadable > 0
        select $"Of what only the old database had, {OwnTables.WhatIsIn(table.Table)} (table {table.Table}), {SizeText.Count(table.Rows, "row")} could be read and {(table.Rows == 1 ? "is" : "are")} kept; {SizeText.Count(table.Unreadable, "page or row", "pages or rows")} could not be read.";

    private async Task<RepairReport> ReplaceAsync(string path, CancellationToken token)
    {
        // A first backup may have just begun.
        RepairDatabaseFile.EmptyLog(path);
        var aside = RepairDatabaseFile.PutAside(path);
        progress.Warning(
            $"The database holds nothing that can be repaired; it {Is} kept as {Path.GetFileName(Named(aside, path))}, and a new one {Is} made"
        );
        try
        {
            return await RecreateAsync(path, token, aside: aside).ConfigureAwait(false);
        }
        catch
        {
            RepairDatabaseFile.PutBack(aside, path);
            throw;
        }
    }

    private async Task<RepairReport> RecreateAsync(string path, CancellationToken token, bool replaces = false, string? aside = null)
    {
        progress.Message("Rebuilding the database from the remote folder");
        var given = options with
        {
            DatabasePath = path,
            StoreMetadataContent = options.StoreMetadataContent || (replaces && HasTexts(path)),
        };
        var recreated = await new RecreateOperation(given, progress)
        {
            Overwrite = replaces,
            KeepsOld = replaces,
            Aside = aside,
            StandsFor = options.DryRun ? options.DatabasePath : null,
        }
            .RunInTurnAsync(token)
            .ConfigureAwait(false);
        var database = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        var unfixed = await DatabaseFixes.RunAsync(database, settings, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitRepairTransaction", true, token).ConfigureAwait(false);
        List<string> problems = recreated.Problems == 0 ? [] : [$"{SizeText.Count(recreated.Problems, "volume")} could not be read."];
        problems.AddRange(Losses(recreated.CarriedOver));
        if (unfixed is not null)
            problems.Add(unfixed);
        problems.AddRange(
            recreated.LostVersions.Select(x =>
                $"The remote folder has no list of the version of {x:u}, and so nor has the new database. The one that was there knew it, and is kept"
            )
        );
        if (recreated.IsOldUnreadable)
            problems.Add("Which tables the old database had cannot be read, or in part only.");
        if (recreated.RefusedEntries > 0)
            problems.Add($"Invalid entries of file lists that were left out: {SizeText.Count(recreated.RefusedEntries, "entry")}.");
        return new RepairReport
        {
            DryRun = options.DryRun,
            Recreated = recreated with { OldDatabase = Named(recreated.OldDatabase, path) },
            Problems = problems,
        };
    }

    // They are in the volumes, too, and were read for whoever has them.
    private static bool HasTexts(string path) => PlainConnection.TryRead(path, x => DumpQuery.Rows(x, HAS_TEXTS, _ => 0).Any());

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
        var unfixed = await DatabaseFixes.RunAsync(database, settings, token).ConfigureAwait(false);
        using var context = new RepairContext(database, settings, options, folder, progress, choices.DeleteDamaged);
        var steps = new RepairSteps(context, folder, choices) { Unfixed = unfixed, IsDryRun = options.DryRun };
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

    /// <summary>What was done about damaged pages.</summary>
    /// <param name="NeedsRemote">Whether the remote folder is needed for it.</param>
    /// <param name="Kept">Else the name under which the damaged database is kept.</param>
    /// <param name="Lost">And what of it could not be read.</param>
    private sealed record MendedDatabase(bool NeedsRemote, string? Kept, IReadOnlyList<OwnTableRows> Lost);
}
