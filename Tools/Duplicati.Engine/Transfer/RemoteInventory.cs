// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Compares the remote folder with the volumes the database knows, and settles what an earlier, interrupted operation left:
/// volumes never uploaded are forgotten, half-uploaded and doomed ones deleted, complete ones accepted. What an interrupted backup
/// has recorded stays, so that a later one can make a version of it; what is not the newest version was no backup. What complete versions
/// need is never settled, whatever its row says.
/// </summary>
internal sealed partial class RemoteInventory(LocalDatabase database, IRemoteFolder folder, string prefix, IEngineProgress progress)
{
    // Fileset in full; Operation by row id. The operation of the volume is the last one that has changed its state.
    private const string OPERATION =
        """SELECT "Description" FROM "Operation" WHERE "ID" IN (SELECT "OperationID" FROM "Fileset" WHERE "VolumeID" = $list)""";

    // A file that reappears within this time, as some remote stores do, is known to be deleted (upstream's value).
    private static readonly TimeSpan s_grace = TimeSpan.FromHours(2);

    private const string Again = "Listing remote folder once more";
    private readonly List<string> m_forget = [];
    private readonly List<string> m_delete = [];
    private readonly List<(RemoteVolumeEntry Volume, RemoteFile File)> m_unbegun = [];
    private string? m_incomplete;
    private bool m_incompleteIsHalfThere;
    private bool m_givesUpVersion;

    /// <summary>
    /// Keeps the fileset of an interrupted backup, which is newer than every complete one, the newest one if there are several, although
    /// its list was never uploaded.
    /// </summary>
    internal bool KeepsIncomplete { get; init; } = true;

    /// <summary>
    /// Books nothing at all; what it would have accepted is in <see cref="Accepted"/>. For an operation that only reads, and beside which
    /// others may change things: see <see cref="LookAsync"/>.
    /// </summary>
    internal bool OnlyReads { get; init; }

    /// <summary>Leaves what is in <see cref="Returned"/> although no block volume is missing: one may turn out to be damaged.</summary>
    internal bool KeepsReturned { get; init; }

    /// <summary>Names of volumes that were being uploaded, and have arrived whole.</summary>
    internal HashSet<string> Accepted { get; } = new(StringComparer.Ordinal);

    /// <summary>Volumes the database needs that are not there, or have another size than recorded.</summary>
    internal List<RemoteVolumeEntry> Missing { get; } = [];

    /// <summary>Those of <see cref="Missing"/> that are there, with another size.</summary>
    internal List<RemoteVolumeEntry> Resized { get; } = [];

    /// <summary>Those of <see cref="Missing"/> that are not there at all.</summary>
    internal IEnumerable<RemoteVolumeEntry> Absent => Missing.Except(Resized);

    /// <summary>
    /// Volumes that complete versions need, though their rows say that they go, are gone, or never came. Nothing is done to them, see
    /// <see cref="ReinstateAsync"/>.
    /// </summary>
    internal List<RemoteVolumeEntry> GivenUp { get; } = [];

    /// <summary>
    /// Index volumes that are not there and given up, without another one in their place. Nothing needs them for now; a repair makes
    /// others.
    /// </summary>
    internal List<RemoteVolumeEntry> LostIndexes { get; } = [];

    /// <summary>Whether settling drops a block volume, so that versions may lose entries.</summary>
    internal bool DropsBlocks { get; private set; }

    /// <summary>Whether an interrupted operation has left anything to settle.</summary>
    internal bool IsUnsettled =>
        m_delete.Count + m_forget.Count + Accepted.Count > 0 || (m_incomplete is not null && UnbegunLists.Count == 0);

    /// <summary>Volumes of this backup in the folder that the database knows nothing of.</summary>
    internal List<RemoteFile> Extra { get; } = [];

    /// <summary>
    /// Volumes that were deleted and are there again, and block volumes that are to be deleted, while others that hold blocks are missing:
    /// in a folder that was set back to before a compact they hold the only copy. Nothing is done to them.
    /// </summary>
    internal List<RemoteFile> Returned { get; } = [];

    /// <summary>
    /// Lists in the folder whose upload has not begun for the database: a backup records that first, so this is a copy of the database from
    /// before the end of that backup. They and all other volumes in such a state are in <see cref="Extra"/>. See
    /// <see cref="GiveUpUnbegun"/>.
    /// </summary>
    internal List<RemoteFile> UnbegunLists { get; } = [];

    /// <summary>Volumes of this backup in the folder that may hold what the database does not look for there.</summary>
    internal IReadOnlyList<RemoteFile> Unknown => [.. Extra, .. Returned];

    /// <summary>What the folder is listed for, as it is told.</summary>
    internal string Purpose { get; init; } = "Listing remote folder";

    /// <summary>Compares; changes nothing remotely. Call <see cref="SettleAsync(CancellationToken)"/> for that.</summary>
    /// <exception cref="UserInformationException">Help id <c>RemoteFolderEmptyWithPrefix</c>: it is another folder.</exception>
    internal async Task AnalyseAsync(CancellationToken token)
    {
        var (volumes, listed) = await ListAsync(Purpose, token).ConfigureAwait(false);
        var needed = new NeededVolumes(database, await database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false));
        // Before anything is accepted: a list that has arrived makes no complete version of one that was on its way.
        var incomplete = volumes.FindAll(x => x.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified));
        GivenUp.AddRange(incomplete.Where(x => needed.Contains(x, listed.ContainsKey(x.Name))));
        LostIndexes.AddRange(incomplete.Where(x => !listed.ContainsKey(x.Name) && needed.IsOnlyIndex(x)));
        UnbegunLists.AddRange(
            incomplete
                .Where(x => x is { State: RemoteVolumeState.Temporary, Type: RemoteVolumeType.Files } && !GivenUp.Exists(y => y.ID == x.ID))
                .Where(x => listed.ContainsKey(x.Name) && IsOfBackup(x))
                .Select(x => listed[x.Name])
        );
        if (KeepsIncomplete)
            m_incomplete = await InterruptedBackupAsync(token).ConfigureAwait(false);
        foreach (var volume in volumes)
        {
            var isThere = listed.Remove(volume.Name, out var file);
            await JudgeAsync(volume, isThere ? file : null, needed, token).ConfigureAwait(false);
        }

        // A purge that was interrupted knows nothing any more of what the volumes held that it took for lost.
        var knowsLess = KeepsReturned || LostBlocksMark.IsSet(database.Connection);
        if (knowsLess || Missing.Exists(x => x.Type == RemoteVolumeType.Blocks && needed.HoldsBlocks(x)))
            m_delete.RemoveAll(x => Returned.Exists(y => y.Name == x));
        else
            Returned.Clear();
        Extra.AddRange(listed.Values.Concat(m_unbegun.Select(x => x.File)).OrderBy(x => x.Name, StringComparer.Ordinal));
    }

    /// <summary>
    /// What is in <see cref="UnbegunLists"/> is damaged: it counts as left by an interrupted backup, and so does what is with it.
    /// </summary>
    internal void GiveUpUnbegun()
    {
        foreach (var (volume, file) in m_unbegun)
            GiveUpUnlessIncomplete(volume, file);
        Extra.RemoveAll(x => m_unbegun.Exists(y => y.File == x));
        m_unbegun.Clear();
        UnbegunLists.Clear();
    }

    private async Task<(List<RemoteVolumeEntry> Known, Dictionary<string, RemoteFile> Listed)> ListAsync(
        string purpose,
        CancellationToken token
    )
    {
        await OperationBegin.LetOthersInAsync(database, token).ConfigureAwait(false);
        progress.Message(purpose);
        var files = await folder.ListAsync(token).ConfigureAwait(false);
        var known = await database.GetRemoteVolumesAsync(token).ToListAsync(token).ConfigureAwait(false);
        OtherFolder.Refuse(known, files, folder.Address);
        var listed = files.Where(x => VolumeName.OfBackup(x.Name, prefix) is not null);
        return (known, listed.ToDictionary(x => x.Name, StringComparer.Ordinal));
    }

    /// <summary>
    /// Lists the folder anew, for nothing but volumes that the database knows nothing of, and fails if there are any: what another database
    /// has put there may need any volume. It fails as well if none is there that the database knows.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>ExtraRemoteFiles</c>, <c>RemoteFolderEmptyWithPrefix</c>.</exception>
    internal async Task RefuseExtraAsync(CancellationToken token)
    {
        var (known, listed) = await ListAsync(Again, token).ConfigureAwait(false);
        known.ForEach(x => listed.Remove(x.Name));
        Extra.AddRange(listed.Values.OrderBy(x => x.Name, StringComparer.Ordinal));
        ThrowIfExtra();
    }

    /// <summary>
    /// Compares beside others that may be uploading and deleting: folder and database cannot be read at the same moment, so what differs
    /// counts only if it does so twice. Ends the transaction.
    /// </summary>
    /// <returns>What is so, and was so at the first look.</returns>
    internal async Task<RemoteInventory> LookAsync(CancellationToken token)
    {
        await AnalyseAfreshAsync(token).ConfigureAwait(false);
        if (Missing.Count + Extra.Count + GivenUp.Count == 0)
            return this;

        var again = new RemoteInventory(database, folder, prefix, progress) { OnlyReads = OnlyReads, Purpose = Again };
        await again.AnalyseAfreshAsync(token).ConfigureAwait(false);
        var missing = Missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var extra = Unknown.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var givenUp = GivenUp.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        again.GivenUp.RemoveAll(x => !givenUp.Contains(x.Name));
        again.Missing.RemoveAll(x => !missing.Contains(x.Name));
        again.Resized.RemoveAll(x => !missing.Contains(x.Name));
        again.Extra.RemoveAll(x => !extra.Contains(x.Name));
        again.Returned.RemoveAll(x => again.Missing.Count == 0 || !extra.Contains(x.Name));
        return again;
    }

    /// <summary>
    /// Whether the database still holds a volume for complete or arrived, as it was: a difference in one that others have removed meanwhile
    /// is none. Ends the transaction.
    /// </summary>
    internal static async Task<bool> StillStandsAsync(LocalDatabase database, IRemoteVolume volume, CancellationToken token)
    {
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        var present = await database.GetRemoteVolumeAsync(volume.Name, token).ConfigureAwait(false);
        return present.State is RemoteVolumeState.Uploading or RemoteVolumeState.Uploaded or RemoteVolumeState.Verified
            && (present.Hash ?? "") == (volume.Hash ?? "");
    }

    // What is read after the listing is then no older than it.
    private async Task AnalyseAfreshAsync(CancellationToken token)
    {
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        await AnalyseAsync(token).ConfigureAwait(false);
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
    }

    /// <summary>Deletes and forgets what <see cref="AnalyseAsync"/> found to be left over, and commits.</summary>
    /// <exception cref="DatabaseInconsistencyException">Entries of versions have no file, so that nothing can be forgotten; nothing was
    /// done.</exception>
    internal Task SettleAsync(CancellationToken token) => SettleAsync(() => Task.CompletedTask, token);

    /// <summary>The same, with more in the transaction that it ends, which comes last.</summary>
    internal async Task SettleAsync(Func<Task> more, CancellationToken token)
    {
        if (m_delete.Count + m_forget.Count > 0)
            RowFaults.Refuse(database, RowFaults.EntriesWithoutFile);
        if (await folder.RemoveLeftoversAsync(token).ConfigureAwait(false) is > 0 and var leftovers)
            progress.Message($"Removed {SizeText.Count(leftovers, "unfinished file")}, left by an interrupted operation");
        // Marked first: a kill right after this must not leave the rows of the version with nobody to drop them.
        if (m_givesUpVersion)
            await database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        if (m_delete.Count > 0 || m_incompleteIsHalfThere)
            CommittedRows.Flush(database);
        var refused = new List<string>();
        foreach (var name in m_delete)
        {
            if (!await VolumeRemover.TryAsync(name, () => DeleteAsync(name, token), progress).ConfigureAwait(false))
                refused.Add(name);
            await database
                .UpdateRemoteVolumeAsync(name, RemoteVolumeState.Deleted, -1, null, true, s_grace, null, token)
                .ConfigureAwait(false);
        }

        if (m_delete.Count + m_forget.Count > 0)
        {
            await database.RemoveRemoteVolumesAsync([.. m_delete, .. m_forget], token).ConfigureAwait(false);
            CopiesInGoneVolumes.Forget(database);
        }

        // Nothing is in them any more for the database, but their names stay known for as long as they are there.
        foreach (var name in refused)
            await database
                .UpdateRemoteVolumeAsync(name, RemoteVolumeState.Deleting, -1, null, true, TimeSpan.Zero, null, token)
                .ConfigureAwait(false);
        if (m_incomplete is not null)
            await SettleIncompleteAsync(m_incomplete, token).ConfigureAwait(false);
        await more().ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitRemoteInventory", true, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Gives the volumes that complete versions need back the state of such ones, and commits. Whether they are there is for the next
    /// comparison to tell.
    /// </summary>
    internal async Task ReinstateAsync(CancellationToken token)
    {
        foreach (var volume in GivenUp.Concat(LostIndexes))
        {
            progress.Message($"{volume.Name} is recorded as {volume.State}, and complete versions need it; it counts again");
            await database
                .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Uploaded, volume.Size, volume.Hash, token)
                .ConfigureAwait(false);
        }

        await database.Transaction.CommitAsync("CommitNeededVolumes", true, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Fails when rows say of volumes that complete versions need that they go, are gone, or never came. One that has arrived is accepted.
    /// </summary>
    /// <exception cref="UserInformationException">Help id <c>NeededVolumesAreGivenUp</c>.</exception>
    internal void ThrowIfGivenUp()
    {
        var givenUp = GivenUp.FindAll(x => !Accepted.Contains(x.Name));
        foreach (var volume in givenUp)
            progress.Warning($"{volume.Name} is recorded as {volume.State}, and complete versions need it");
        if (givenUp.Count > 0)
            throw new UserInformationException(
                $"Complete versions need {SizeText.Count(givenUp.Count, "volume")} that the database marks as deleting, deleted or not uploaded, first {givenUp[0].Name}. {Advice.DifferentFolder()}",
                "NeededVolumesAreGivenUp"
            );
    }

    /// <summary>Fails when volumes are missing or unknown ones lie in the folder, and as <see cref="ThrowIfGivenUp"/>.</summary>
    /// <param name="allowResized">Whether volumes may be there with another size; they are named.</param>
    /// <exception cref="UserInformationException">Help ids <c>NeededVolumesAreGivenUp</c>, <c>MissingRemoteFiles</c>,
    /// <c>ExtraRemoteFiles</c>, <c>RemoteFolderEmptyWithPrefix</c>.</exception>
    internal void ThrowIfDifferent(bool allowResized = false)
    {
        ThrowIfGivenUp();
        foreach (var volume in Missing)
            progress.Warning(
                Resized.Contains(volume) ? $"Size of {volume.Name} differs from the recorded {volume.Size}" : $"Missing file: {volume.Name}"
            );
        foreach (var file in Unknown)
            progress.Warning($"Extra unknown file: {file.Name}");
        var missing = allowResized ? Missing.Except(Resized).ToList() : Missing;
        if (missing.Count > 0)
            throw new UserInformationException(
                $"Missing from the remote storage or not whole: {SizeText.Count(missing.Count, "file")}, first {missing[0].Name}. {string.Join(' ', VolumeAdvice.Of(database, missing, Resized, Unknown).Distinct())}",
                "MissingRemoteFiles"
            );
        ThrowIfExtra();
    }

    private void ThrowIfExtra()
    {
        if (Extra.Count > 0)
            throw new UserInformationException(
                $"Not recorded in the local storage: {SizeText.Count(Extra.Count, "remote file")}, first {Extra[0].Name}. {Advice.DifferentFolder()}",
                "ExtraRemoteFiles"
            );
    }

    // A version that is not complete and lies below one that is, or is of no backup, was left by whatever rewrites versions. What it
    // replaces is still there, or has been replaced since, and with the entries of another one beside its own it would be a state that the
    // sources never had.
    private async Task<string?> InterruptedBackupAsync(CancellationToken token)
    {
        var incomplete = await database.GetLastIncompleteFilesetVolumeAsync(token).ConfigureAwait(false);
        if (incomplete.Name is null || GivenUp.Exists(x => x.ID == incomplete.ID))
            return null;
        var recorded = await database.GetIncompleteFilesetsAsync(token).Select(x => x.Key).ToListAsync(token).ConfigureAwait(false);
        foreach (var (id, _) in await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            var list = await database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false);
            if (list.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
                return null;
            // One without entries may have been begun to take what an older one has recorded.
            if (recorded.Contains(id) && IsOfBackup(list))
                return list.Name;
        }

        return null;
    }

    // Others were to take the place of versions.
    private bool IsOfBackup(RemoteVolumeEntry list) =>
        DumpQuery.Rows(database.Connection, OPERATION, x => x.GetString(0), ("$list", list.ID)).FirstOrDefault() == "Backup";

    private async Task DeleteAsync(string name, CancellationToken token)
    {
        progress.Message($"Deleting {name}, left by an interrupted operation");
        await folder.DeleteAsync(name, token).ConfigureAwait(false);
        await database.LogRemoteOperationAsync("delete", name, null, token).ConfigureAwait(false);
    }

    // Its list counts as never uploaded, unless it is there whole. The half-uploaded volumes may have held all that it had recorded.
    private async Task SettleIncompleteAsync(string name, CancellationToken token)
    {
        if (m_incompleteIsHalfThere)
            await DeleteAsync(name, token).ConfigureAwait(false);
        var list = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
        if (list.State == RemoteVolumeState.Uploading)
            await database.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Temporary, -1, null, token).ConfigureAwait(false);
        var incomplete = await database.GetLastIncompleteFilesetVolumeAsync(token).ConfigureAwait(false);
        if (list.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified) && incomplete.Name != name)
            await database.RemoveRemoteVolumeAsync(name, token).ConfigureAwait(false);
    }
}
