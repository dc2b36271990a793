// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// The steps of a repair with a database, in upstream's order (contract B, section 6). Block volumes of which nothing is left fail it at
/// the end only.
/// </summary>
internal sealed class RepairSteps(RepairContext context, IRemoteFolder folder, RepairChoices choices)
{
    // Larger ones hold something, whatever the database says.
    private const long LargestEmptyIndex = 2048;

    private readonly LocalRepairDatabase m_database = context.Database;
    private readonly FilelistRebuilder m_filelists = new(context);
    private readonly RowSteps m_rows = new(context, folder, choices);
    private readonly IndexRebuilder m_indexes = new(context);
    private readonly UnknownVolumes m_unknown = new(context, choices);
    private readonly MisplacedVolumes m_misplaced = new(context, folder);
    private readonly List<string> m_problems = [];
    private readonly List<RemoteVolumeEntry> m_missing = [];
    private readonly HashSet<string> m_untouchable = new(StringComparer.Ordinal);
    private readonly HashSet<long> m_unknownVersions = [];
    private UserInformationException? m_failure;

    // Else what seems unused may not be, and what is there is better than what would be made of the rows: only what is absent is made anew,
    // before a recreate forgets what only this database knows.
    private bool m_isSound;

    // Volumes of which not all blocks were found anywhere.
    private IReadOnlyCollection<string> m_searched = [];
    private IReadOnlyCollection<string> m_absent = [];

    internal IReadOnlyList<string> Adopted => [.. m_rows.Reinstated, .. m_unknown.Adopted];

    internal IReadOnlyList<string> Unknown => m_unknown.Kept;

    internal IReadOnlyList<DiscardedVolume> Discarded => [.. m_unknown.Discarded, .. context.Damaged.Deleted];

    internal IReadOnlyList<string> Problems => m_problems;

    /// <summary>What could not be mended in the database alone; null if nothing.</summary>
    internal string? Unfixed { get; init; }

    /// <summary>Whether nothing changes in the folder.</summary>
    internal bool IsDryRun { get; init; }

    internal long RecoveredBlocks { get; private set; }

    internal long LostBlocks { get; private set; }

    internal async Task RunAsync(CancellationToken token)
    {
        context.Damaged.MayDelete = choices.MayDiscard;
        var inventory = await m_rows.RunAsync(m_filelists, token).ConfigureAwait(false);
        await FindMisplacedAsync(inventory, token).ConfigureAwait(false);
        m_missing.AddRange(inventory.Missing.Except(inventory.Resized));
        m_isSound = await IsSoundAsync(token).ConfigureAwait(false);
        var known = await m_database.GetRemoteVolumesAsync(token).ToListAsync(token).ConfigureAwait(false);
        await RefuseAsync(inventory, token).ConfigureAwait(false);
        await context.ProveSettingsAsync(inventory.Missing, token).ConfigureAwait(false);

        var shrunk = m_isSound ? await new PartialVersions(context).SettleAsync(inventory, token).ConfigureAwait(false) : [];
        var doubtful = inventory.Resized.Concat(
            known.Where(x => (IsUnverified(x) || m_rows.Reinstated.Contains(x.Name)) && !inventory.Missing.Exists(y => y.ID == x.ID))
        );
        var doubted = Doubted(known, inventory).ToHashSet();
        // What is wrong with those is known, and with entries that were dropped they would look whole.
        var unread = m_rows.UnreadLists.Select(x => x.ID).ToHashSet();
        var unsure = doubtful.Union(doubted).Where(x => !unread.Contains(x.ID));
        var damaged = await DoubtfulVolumes.CheckAsync(context, unsure, doubted.Contains, m_isSound, token).ConfigureAwait(false);
        var misplaced = damaged.FindAll(x => x.IsThere).ConvertAll(x => x.Volume);
        await m_misplaced.PutRightAsync(misplaced, token).ConfigureAwait(false);
        m_missing.AddRange(misplaced.Except(damaged.Select(x => x.Volume)));
        foreach (var (volume, problem, isThere) in damaged.Where(x => !x.IsThere || misplaced.Contains(x.Volume)))
            TakeDamaged(volume, problem, isThere);
        foreach (var list in m_rows.UnreadLists.Where(x => !m_missing.Exists(y => y.ID == x.ID)))
            TakeDamaged(list, "", isThere: true);
        m_problems.AddRange(m_rows.Problems);
        await FindEmptyAsync(token).ConfigureAwait(false);
        m_filelists.Taken.UnionWith(inventory.Unknown.Select(x => x.Name));
        m_unknown.IsIncomplete =
            !m_isSound
            || m_unknownVersions.Count + m_rows.Problems.Count > 0
            || RowFaults.BlocksWithoutVolume.Find(m_database.Connection) is not null;
        // What is to be made anew, or has lost its row, may be in them alone.
        var deletesUnknown = choices.DeleteUnknownFiles && MissingOf(RemoteVolumeType.Blocks).Count == 0;
        await m_unknown.SettleAsync(inventory.Extra, deletesUnknown, token).ConfigureAwait(false);
        await RelinkIndexesAsync(token).ConfigureAwait(false);
        await MatchFilesetsAsync(token).ConfigureAwait(false);

        if (m_missing.Count > 0)
            await m_database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        await RebuildBlockVolumesAsync(MissingOf(RemoteVolumeType.Blocks), inventory, token).ConfigureAwait(false);
        foreach (var name in MissingOf(RemoteVolumeType.Files).Select(x => x.Name).Union(shrunk).Except(m_untouchable))
            await m_filelists.ReplaceAsync(name, token).ConfigureAwait(false);
        if (m_isSound)
            await MendIndexesAsync(known, token).ConfigureAwait(false);
        await FinishAsync(token).ConfigureAwait(false);
        if (m_failure is not null)
            throw m_failure;
    }

    private static bool IsUnverified(RemoteVolumeEntry volume) =>
        volume.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified && (volume.Size < 0 || string.IsNullOrEmpty(volume.Hash));

    // After a dry run the folder still lacks what only this database knows.
    private string RemedyOfRows => IsDryRun && m_missing.Count > 0 ? Advice.InconsistentDatabase() : VolumeAdvice.Recreate(m_database);

    private List<RemoteVolumeEntry> MissingOf(RemoteVolumeType type) => m_missing.FindAll(x => x.Type == type);

    private EmptyVersions Empty() => new(m_database, context.Downloader, context.Settings.Format);

    private bool IsMissing(string name) => m_missing.Exists(x => x.Name == name);

    // What only this database knows is made anew before a recreate.
    private async Task<bool> IsSoundAsync(CancellationToken token)
    {
        try
        {
            await m_database
                .VerifyConsistencyForRepairAsync(context.Settings.BlockSize, context.Settings.DigestSize, true, token)
                .ConfigureAwait(false);
            return Unfixed is null && RowFaults.All.All(x => x.IsRepaired || x.Find(m_database.Connection) is null);
        }
        catch (DatabaseInconsistencyException)
        {
            return false;
        }
    }

    // What lies under another name is neither missing nor unknown.
    private async Task FindMisplacedAsync(RemoteInventory inventory, CancellationToken token)
    {
        var wrong = inventory.Missing.ToList();
        var renamed = await m_misplaced.PutRightAsync(wrong, token).ConfigureAwait(false);
        inventory.Missing.RemoveAll(x => !wrong.Contains(x));
        inventory.Resized.RemoveAll(x => !wrong.Contains(x) || renamed.Contains(x.Name));
        inventory.Missing.AddRange(wrong.Except(inventory.Missing));
        inventory.Extra.RemoveAll(x => renamed.Contains(x.Name));
        inventory.Returned.RemoveAll(x => renamed.Contains(x.Name));
    }

    // A list is made anew from the entries of its version; where there are none, what is left of the list may be all there is.
    private void TakeDamaged(RemoteVolumeEntry volume, string problem, bool isThere)
    {
        if (!isThere)
        {
            m_problems.Add($"{volume.Name}: {problem}");
        }
        else if (volume.Type == RemoteVolumeType.Files && !EmptyVersions.HasEntries(m_database, volume.Name))
        {
            m_untouchable.Add(volume.Name);
            m_problems.Add(
                $"{volume.Name} is damaged, and the database does not know what it held. {Advice.EmptyVersion(volume.Name, VolumeName.Parse(volume.Name)!.Time)}"
            );
        }
        else
        {
            context.Damaged.Add(volume);
            m_missing.Add(volume);
        }
    }

    private IEnumerable<RemoteVolumeEntry> Doubted(List<RemoteVolumeEntry> known, RemoteInventory inventory)
    {
        foreach (var name in choices.CheckVolumes.Where(x => x != RepairChoices.ALL && !known.Exists(y => y.Name == x)))
            context.Progress.Warning($"{name} is no volume that the database knows");
        return known
            .Except(inventory.Missing)
            .Where(x =>
                x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified
                && (choices.CheckVolumes.Contains(RepairChoices.ALL) || choices.CheckVolumes.Contains(x.Name))
            );
    }

    // No list is made of a version of which nothing is known: it would look like one that never had entries.
    private async Task FindEmptyAsync(CancellationToken token)
    {
        foreach (var finding in await Empty().FindAsync(token).ConfigureAwait(false))
        {
            if (finding.FilesetId == 0)
                continue;
            m_unknownVersions.Add(finding.FilesetId);
            if (m_untouchable.Add(finding.Volume))
                m_problems.Add(finding.Problem);
        }
    }

    private async Task RefuseAsync(RemoteInventory inventory, CancellationToken token)
    {
        var times = await m_database
            .FilesetTimesAsync(token)
            .Select(x => x.Value.ToUniversalTime())
            .ToListAsync(token)
            .ConfigureAwait(false);
        var newest = VolumeAdvice.NewestUnknown(inventory.Extra);
        var recreate = VolumeAdvice.Recreate(VolumeAdvice.Lost(m_database, m_missing));
        if (newest is not null && times.Count == 0)
            throw new UserInformationException(
                $"The database knows no version, but the remote folder holds some. {recreate}",
                "LocalDatabaseHasNoFilesetTimes"
            );
        if (newest > times.FirstOrDefault())
            Outdated(newest.Value, times[0], recreate);
        foreach (var list in inventory.UnbegunLists)
        {
            if (await IsWholeAsync(list, token).ConfigureAwait(false))
                throw new UserInformationException(
                    $"The remote folder has the version of {VolumeName.Parse(list.Name)!.Time:u}, whose upload has not begun for the database; the database is outdated. {recreate}",
                    "RemoteFilesNewerThanLocalDatabase"
                );
        }

        inventory.GiveUpUnbegun();

        // Of one that holds nothing, or nothing that a version needs, nothing has to be made.
        var missing = MissingOf(RemoteVolumeType.Blocks);
        if (m_isSound)
            missing = await Empty().NeededAsync(missing, token).ConfigureAwait(false);
        var unknown = VolumeAdvice.Unknown(missing, inventory.Unknown);
        var isThere =
            unknown is not null
            && choices.RebuildMissingBlockVolumes
            && await AreThereAsync(missing, inventory, token).ConfigureAwait(false);
        if (missing.Count > 0 && (isThere || !choices.RebuildMissingBlockVolumes))
        {
            var where = unknown is null ? "" : $" What they held may be in block volumes that the database does not know, first {unknown}.";
            var remedy = isThere ? recreate : VolumeAdvice.MissingBlocks(m_database, missing, unknown is not null);
            throw new UserInformationException(
                $"The remote folder lacks {SizeText.Count(missing.Count, "block volume")}: {string.Join(", ", missing.Select(x => x.Name))}.{where} {remedy}",
                "MissingDblockFiles"
            );
        }
    }

    // Before a recreate would forget what the sources have of them. Of versions without a list, which may have been deleted since, nothing
    // need be there.
    private async Task<bool> AreThereAsync(List<RemoteVolumeEntry> missing, RemoteInventory inventory, CancellationToken token)
    {
        var (found, all) = await new UnknownBlocks(context).LookAsync(missing, inventory.Unknown, token).ConfigureAwait(false);
        return found == all || (found > 0 && MissingOf(RemoteVolumeType.Files).Count > 0);
    }

    private async Task<bool> IsWholeAsync(RemoteFile list, CancellationToken token)
    {
        try
        {
            using var download = await context.Downloader.FetchAsync(list.Name, token).ConfigureAwait(false);
            using var filelist = FilelistReader.Open(download.Content, list.Name);
            foreach (var entry in filelist.ReadEntries())
            {
                foreach (var _ in entry.BlocklistHashes ?? [])
                    token.ThrowIfCancellationRequested();
            }

            return true;
        }
        catch (VolumeException ex) when (ex is not (MissingPassphraseException or UnsupportedVolumeException))
        {
            context.Progress.Warning(ex.Message);
            return false;
        }
    }

    private void Outdated(DateTime newest, DateTime known, string recreate)
    {
        var text =
            $"The remote folder has a version of {newest:u}, the newest in the database is of {known:u}; the database is outdated. {recreate}";
        if (!choices.IgnoreOutdatedDatabase)
            throw new UserInformationException(text, "RemoteFilesNewerThanLocalDatabase");
        context.Progress.Warning(text);
    }

    // Every version has its file list, and every file list its version.
    private async Task MatchFilesetsAsync(CancellationToken token)
    {
        foreach (var (id, time, isFull) in await m_database.MissingRemoteFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            if (!m_unknownVersions.Contains(id))
                await m_filelists.PublishAsync(id, time, isFull, token).ConfigureAwait(false);
        }

        foreach (var name in await m_database.MissingLocalFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            if (!IsMissing(name))
                await LoadFilelistAsync(name, token).ConfigureAwait(false);
        }
    }

    private async Task LoadFilelistAsync(string name, CancellationToken token)
    {
        try
        {
            if (!m_untouchable.Contains(name))
            {
                await m_filelists.LoadAsync(name, token).ConfigureAwait(false);
                return;
            }
        }
        catch (VolumeException ex) when (ex is not (WrongPassphraseException or MissingPassphraseException))
        {
            await m_database.Transaction.RollBackAsync("RollbackUnknownFilelist", true, token).ConfigureAwait(false);
            context.Progress.Warning(ex.What());
            m_untouchable.Add(name);
            m_problems.Add(
                $"{name} cannot be read, and the database does not know what it held. {Advice.EmptyVersion(name, VolumeName.Parse(name)!.Time)}"
            );
        }

        m_unknownVersions.Add(await m_filelists.AddUnreadAsync(name, token).ConfigureAwait(false));
    }

    private async Task RebuildBlockVolumesAsync(List<RemoteVolumeEntry> missing, RemoteInventory inventory, CancellationToken token)
    {
        // Before what nobody needs is looked for, not found, and said to be lost.
        if (missing.Count > 0 && m_isSound && await Empty().TryDropUnneededAsync(token).ConfigureAwait(false))
            await m_database.Transaction.CommitAsync("CommitRepairTransaction", true, token).ConfigureAwait(false);
        var rebuilder = new BlockVolumeRebuilder(context, m_isSound ? m_indexes : null, missing)
        {
            HasUnknown = VolumeAdvice.Unknown(missing, inventory.Unknown) is not null,
        };
        foreach (var volume in missing)
        {
            await RebuildAsync(rebuilder, volume, token).ConfigureAwait(false);
            (RecoveredBlocks, LostBlocks) = (rebuilder.Recovered, rebuilder.Lost);
            (m_searched, m_absent) = (rebuilder.InVain, rebuilder.Absent);
        }

        await rebuilder.FinishAsync(token).ConfigureAwait(false);

        // What helps else refuses rows that contradict each other.
        if (LostBlocks > 0)
            m_problems.Add($"Lost: {SizeText.Count(LostBlocks, "block")}.{(m_isSound ? " " + rebuilder.Remedy : "")}");
    }

    // What else can be made anew shall not be lost by what its message advises.
    private async Task RebuildAsync(BlockVolumeRebuilder rebuilder, RemoteVolumeEntry volume, CancellationToken token)
    {
        try
        {
            await rebuilder.RebuildAsync(volume, !choices.DisablePartialRecovery, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == BlockVolumeRebuilder.NOT_POSSIBLE)
        {
            context.Progress.Warning(ex.Message);
            m_failure ??= ex;
        }
    }

    private async Task MendIndexesAsync(List<RemoteVolumeEntry> known, CancellationToken token)
    {
        foreach (var index in MissingOf(RemoteVolumeType.Index))
            await m_indexes.ReplaceAsync(index.Name, [], token).ConfigureAwait(false);
        if (context.Policy != IndexPolicy.None && known.Exists(x => x.Type == RemoteVolumeType.Index))
            await IndexBlockVolumesAsync(token).ConfigureAwait(false);
        await DropEmptyIndexesAsync(token).ConfigureAwait(false);
    }

    private async Task RelinkIndexesAsync(CancellationToken token)
    {
        foreach (var index in await m_database.EmptyIndexFilesAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            if (!IsMissing(index.Name))
                await m_unknown.RelinkAsync(index, token).ConfigureAwait(false);
        }
    }

    // An upload that was interrupted between a block volume and its index leaves one without.
    private async Task IndexBlockVolumesAsync(CancellationToken token)
    {
        var finder = await LocalBackupDatabase
            .CreateAsync(m_database, new Options(new Dictionary<string, string?>()), null, token)
            .ConfigureAwait(false);
        await using var finderScope = finder.ConfigureAwait(false);
        foreach (var name in await finder.GetMissingIndexFilesAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            var volume = await m_database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
            if (!IsMissing(name) && await RecordedVolume.IsOfAsync(m_database, volume.ID, token).ConfigureAwait(false))
                await m_indexes.CreateAsync([volume], token).ConfigureAwait(false);
        }
    }

    private async Task DropEmptyIndexesAsync(CancellationToken token)
    {
        var empty = await m_database.EmptyIndexFilesAsync(token).ToListAsync(token).ConfigureAwait(false);
        empty.RemoveAll(x => x.Size > LargestEmptyIndex || IsMissing(x.Name) || m_unknown.MustStay(x.Name));
        if (empty.Count > 0)
            await context.Remover.RemoveAsync(empty, token).ConfigureAwait(false);
    }

    private async Task FinishAsync(CancellationToken token)
    {
        // Where the entries of a version are gone, what looks unused may be what it holds.
        m_problems.AddRange(m_filelists.Problems);
        if (m_unknownVersions.Count == 0 && m_isSound)
            await UnusedRows.DropFilesAsync(m_database, token).ConfigureAwait(false);
        LostBlocksMark.Set(m_database, m_searched, m_absent);
        var unmended = RowSteps.Unmended(m_database, RemedyOfRows);
        try
        {
            await RowFaults.VerifyAsync(m_database, context.Settings, true, token, RemedyOfRows).ConfigureAwait(false);
        }
        catch (DatabaseInconsistencyException ex)
        {
            unmended.Add(ex.Message);
        }

        if (unmended.Count == 0 && Unfixed is not null)
            unmended.Add($"{Unfixed} {RemedyOfRows}");
        m_problems.AddRange(unmended);
        // What a recreate takes in is not told one by one.
        if (unmended.Count == 0)
            m_unknown.Tell(VolumeAdvice.Lost(m_database, []));
        if (m_isSound)
            await m_database.TerminatedWithActiveUploadsAsync(token, false).ConfigureAwait(false);
        await m_database.Transaction.CommitAsync("CommitRepairTransaction", true, token).ConfigureAwait(false);
    }
}
