// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Makes the local database anew from the remote volumes: file lists, then index volumes, then block volumes where something is missing.
/// Interrupted in whatever way, it goes on where it was when it is run again.
/// </summary>
/// <param name="options">What the operation works on; the database must not exist, or be one that a recreate was interrupted in.</param>
/// <param name="progress">Told what happens.</param>
public sealed class RecreateOperation(EngineOptions options, IEngineProgress progress)
{
    // Of the volumes to read.
    private string m_prefix = "";

    /// <summary>Begin anew, also where a database is; that one is there until the new one is complete.</summary>
    public bool Overwrite { get; init; }

    /// <summary>The database that was there is known to be damaged, and is kept.</summary>
    internal bool KeepsOld { get; init; }

    /// <summary>Where the database that is replaced was put aside; null if it is at its place.</summary>
    internal string? Aside { get; init; }

    /// <summary>
    /// What the user calls the database, where it is a temporary one that nobody can go on with; null where it is the user's own.
    /// </summary>
    internal string? StandsFor { get; init; }

    /// <summary>Stands between this operation and the remote folder; for tests.</summary>
    internal Func<IRemoteFolder, IRemoteFolder> Through { get; init; } = static folder => folder;

    /// <summary>
    /// The paths of the entries to take over, where the database is for these alone; null for all. Of the index volumes, only as many are
    /// read as these need.
    /// </summary>
    internal Func<string, bool>? IsWanted { get; init; }

    /// <summary>
    /// Runs the recreate. A database that turned out broken is kept, as upstream does, for purging; one from an empty folder is removed.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>RecreateTargetDatabaseExists</c>, <c>EmptyRemoteLocation</c>,
    /// <c>EmptyRemoteLocationWithPrefix</c>,
    /// <c>MissingPassphrase</c>, <c>PrefixChangeUnsupported</c>, <c>DatabaseIsBusy</c>, <c>RemoteFolderEmptyWithPrefix</c>,
    /// <c>DatabaseIsBrokenConsiderPurge</c>, <c>DatabaseInconsistency</c>.</exception>
    public async Task<RecreateReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireFile(options.DatabasePath);
        // Before the turn, so that a second recreate of one file is refused instead of waiting for the first.
        using var target = RecreateTarget.Claim(options, Overwrite);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        return await RunOnAsync(target, token).ConfigureAwait(false);
    }

    /// <summary>The same within an operation that has the turn.</summary>
    internal async Task<RecreateReport> RunInTurnAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        using var target = RecreateTarget.Claim(options, Overwrite);
        return await RunOnAsync(target, token).ConfigureAwait(false);
    }

    private async Task<RecreateReport> RunOnAsync(RecreateTarget target, CancellationToken token)
    {
        target.Choose();
        try
        {
            return await RunAsync(target, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex)
            when (target.IsNew && IsOfNoUse(ex) && UnfinishedRecreate.Read(target.Path) is not { HasFormat: true })
        {
            target.Remove();
            throw;
        }
        catch (Exception ex)
        {
            // The same once more would be refused once more.
            var isRefused = ex is UserInformationException { HelpID: OtherFolder.HELP_ID or "PrefixChangeUnsupported" };
            if (StandsFor is null && UnfinishedRecreate.Is(target.Path))
                progress.Reached(new StepReached("What was read is kept.", isRefused ? "" : Advice.ContinueRecreate()));
            throw;
        }
    }

    // Where nothing was read before it.
    private static bool IsOfNoUse(UserInformationException failure) =>
        failure.HelpID is "EmptyRemoteLocation" or "EmptyRemoteLocationWithPrefix" or "MissingPassphrase" or "WrongPassphrase"
        || failure is RemoteFolderMissingException;

    private async Task<RecreateReport> RunAsync(RecreateTarget target, CancellationToken token)
    {
        using var opened = RemoteFolder.Open(options, progress);
        using var folder = Through(opened);
        if (target.Replaces && File.Exists(options.DatabasePath))
            await OtherFolder.RefuseReplacementAsync(options, folder, token).ConfigureAwait(false);
        m_prefix = await PrefixAsync(target, folder, token).ConfigureAwait(false) ?? options.PrefixOrDefault;
        RecreateReport report;
        try
        {
            report = await RebuildAsync(target, folder, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseIsBrokenConsiderPurge")
        {
            Finish(target, isBroken: true);
            throw;
        }
        catch (DatabaseInconsistencyException)
        {
            // To go on from it would lead here again.
            if (target.Replaces)
                target.Remove();
            else
                UnfinishedRecreate.End(target.Path, isBroken: false);
            throw;
        }

        report = Finish(target, isBroken: false).ApplyTo(report);
        // Where some are damaged, more may be of those that were not read.
        var damaged = report.Problems - report.Others;
        if (damaged > Math.Max(1, report.UnreadLists))
            progress.Warning($"{SizeText.Count(damaged, "volume")} could not be read. {Advice.DamagedVolume(RepairChoices.ALL)}");
        return report;
    }

    // That of the recreate that was begun, or of the database that was there. Whoever begins anew may choose another than the former.
    private async Task<string?> PrefixAsync(RecreateTarget target, IRemoteFolder folder, CancellationToken token)
    {
        var replaced = Aside ?? options.DatabasePath;
        return UnfinishedRecreate.Read(target.IsNew ? replaced : target.Path) is { Prefix.Length: > 0 } begun
                ? options.Prefix ?? begun.Prefix
            : (target.Replaces || Aside is not null) && File.Exists(replaced)
                ? await OtherFolder.PrefixAsync(options, replaced, folder, token).ConfigureAwait(false)
            : options.Prefix;
    }

    private ReplacedDatabase Finish(RecreateTarget target, bool isBroken)
    {
        var replaced = target.Finish(isBroken, KeepsOld, progress);
        if (replaced.Kept is { } kept)
            progress.Warning(
                $"The database that was there {(StandsFor is null ? "is" : "would be")} kept as {kept.Replace(options.DatabasePath, StandsFor ?? options.DatabasePath, StringComparison.Ordinal)}, because it is damaged, or knows versions or blocks that are in no volume"
            );
        return replaced;
    }

    private async Task<RecreateReport> RebuildAsync(RecreateTarget target, IRemoteFolder folder, CancellationToken token)
    {
        // Where none can be made, there is to be no database either.
        using var temporary = new TemporaryFolder();
        if (!target.IsNew)
        {
            try
            {
                return await ContinueAsync(target, folder, temporary.Path, token).ConfigureAwait(false);
            }
            catch (CannotContinueException ex)
            {
                progress.Warning($"The recreate begins again from the start instead of going on where it was interrupted: {ex.Message}");
            }
        }

        var mark = new RecreateMark { Prefix = m_prefix };
        await target.CreateAsync(mark, token).ConfigureAwait(false);
        return await RebuildAsync(target, mark, folder, temporary.Path, token).ConfigureAwait(false);
    }

    private async Task<RecreateReport> ContinueAsync(RecreateTarget target, IRemoteFolder folder, string temporary, CancellationToken token)
    {
        if (UnfinishedRecreate.Read(target.Path) is not { Prefix.Length: > 0 } mark)
            throw new CannotContinueException("another release has begun it");
        if (mark.Prefix != m_prefix)
            throw new UserInformationException(
                $"The recreate of {target.Path} was begun for volumes of the prefix {mark.Prefix}, {m_prefix} was given. Give the same prefix to go on, or --overwrite to begin anew.",
                "PrefixChangeUnsupported"
            );
        if (mark.HasFormat && options.BlockSize is { } given && given != mark.Blocksize)
            throw new UserInformationException(
                $"The backup was made with a block size of {mark.Blocksize} bytes, {given} was given; leave it out.",
                "InvalidManifest"
            );
        // A crash of the system may have left anything, where nothing was flushed.
        if (await Task.Run(() => DatabaseIntegrity.IsDamaged(target.Path), token).ConfigureAwait(false))
            throw new CannotContinueException($"the file {target.Path} is damaged");
        return await RebuildAsync(target, mark, folder, temporary, token).ConfigureAwait(false);
    }

    private async Task<RecreateReport> RebuildAsync(
        RecreateTarget target,
        RecreateMark mark,
        IRemoteFolder folder,
        string temporary,
        CancellationToken token
    )
    {
        var database = await ResumableRebuild.OpenAsync(target.Path, token).ConfigureAwait(false);
        await using (database.ConfigureAwait(false))
        {
            var rebuild = new DatabaseRebuild(options with { Prefix = m_prefix }, progress, database, folder, temporary, mark, IsWanted)
            {
                WithoutLists = IsWanted is not null || target.Replaces ? RemedyWithoutListsAsync : null,
            };
            var report = await rebuild.RunAsync(token).ConfigureAwait(false);
            return report with { UnreadLists = rebuild.UnreadLists, Others = rebuild.Others };
        }
    }

    // A repair makes them anew of a database that it can use.
    private async Task<string> RemedyWithoutListsAsync(CancellationToken token)
    {
        if (!File.Exists(options.DatabasePath))
            return "";
        var database = new DatabaseFindings(options.DatabasePath, new CommandWords(options, []));
        try
        {
            var findings = await DatabaseReading
                .RunAsync(
                    options.DatabasePath,
                    options.Preset,
                    file => DatabaseCheck.RunAsync(file, options.DatabasePath, database, quick: true, token),
                    token,
                    ReadingMode.AsItIs
                )
                .ConfigureAwait(false);
            if (findings.Find(x => x.Kind == DatabaseFindings.LostBlocks) is { } lost)
                return " " + lost.Mend;
            var isOfUse = findings.TrueForAll(x =>
                x.Kind is not ("DamagedDatabase" or "NewerSchema" or "UnfinishedRecreate")
                && !x.Mend.Contains(Advice.RecreateDatabase(), StringComparison.Ordinal)
            );
            return " " + (isOfUse ? Advice.MissingVolume() : Advice.NoLists());
        }
        catch (UserInformationException)
        {
            return " " + Advice.NoLists();
        }
        catch (SqliteException ex)
        {
            // Where it cannot be read only now, the repair says that.
            return " " + (DatabaseIntegrity.IsDamage(ex) ? Advice.NoLists() : Advice.MissingVolume());
        }
    }
}
