// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Purge;

/// <summary>
/// Finds the versions that are broken: those the database itself knows of, or else those that lose files because volumes are
/// missing from the remote folder. Nothing of that is committed.
/// </summary>
internal sealed class BrokenVersions(
    LocalListBrokenFilesDatabase database,
    IRemoteFolder folder,
    BackupSettings settings,
    IEngineProgress progress
)
{
    /// <summary>
    /// Lists of no version that were never uploaded to their end: a rewritten version was to change to them. One row a volume in
    /// Remotevolume and one a version in Fileset.
    /// </summary>
    private const string BEGUN_LISTS = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" = 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "Name"
        """;

    // Missing block volumes, and the files that have what was uploaded under their names.
    private readonly Dictionary<string, string> m_misplaced = new(StringComparer.Ordinal);
    private RemoteInventory? m_inventory;

    /// <summary>Ids of the volumes found to be missing, or to have another size; known when the folder was compared.</summary>
    internal IEnumerable<long> MissingVolumeIds => m_inventory?.Missing.Select(x => x.ID) ?? [];

    /// <summary>The volumes that were marked as going, and are not there.</summary>
    internal List<RemoteVolumeEntry> Forgotten { get; } = [];

    /// <summary>Names of the block volumes among them.</summary>
    internal IEnumerable<string> ForgottenBlockVolumes => Forgotten.Where(x => x.Type == RemoteVolumeType.Blocks).Select(x => x.Name);

    /// <summary>
    /// The index volumes that were marked as going because they describe no other volumes than those; some may not be there.
    /// </summary>
    internal List<IRemoteVolume> Orphaned { get; } = [];

    /// <summary>What to do about them.</summary>
    internal string Remedy =>
        m_misplaced.Count > 0 ? Advice.DifferentFolder()
        : MissesBlocks ? VolumeAdvice.MissingBlocks(database, m_inventory?.Missing ?? [], UnknownBlockVolumes.Count > 0)
        : LostBlocksMark.IsSet(database.Connection) ? LostBlocksMark.Remedy(database.Connection)
        : Advice.InconsistentDatabase();

    /// <summary>Volumes in the remote folder that the database knows nothing of; known when the folder was compared.</summary>
    internal IEnumerable<string> UnknownVolumes => m_inventory?.Unknown.Select(x => x.Name) ?? [];

    /// <summary>The block volumes among them.</summary>
    internal IReadOnlyList<string> UnknownBlockVolumes =>
        [.. UnknownVolumes.Where(x => VolumeName.Parse(x)?.Type == RemoteVolumeType.Blocks)];

    /// <summary>File lists of which the database knows no version. While there is one, no version can be dropped.</summary>
    internal IReadOnlyList<string> ListsWithoutVersion => [.. EmptyVersions.ListsWithoutVersion(database), .. BegunLists];

    /// <summary>Whether block volumes are among them.</summary>
    internal bool MissesBlocks { get; private set; }

    private IEnumerable<string> BegunLists => DumpQuery.Rows(database.Connection, BEGUN_LISTS, x => x.GetString(0));

    /// <summary>
    /// If volumes are being deleted already, or a list was to take the place of another, settles what the interrupted operation left, and
    /// commits that, before it finds them: beside a list of those no version could be dropped. What an interrupted backup left is for the
    /// next one.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>CannotListOnDatabaseInRepair</c>, <c>RemoteFolderEmptyWithPrefix</c>,
    /// <c>NeededVolumesAreGivenUp</c>, <c>MissingRemoteFiles</c>: block volumes that are missing lie there under other names.</exception>
    internal async Task<List<BrokenVersion>> SettleAndFindAsync(SettingsProof proof, CancellationToken token)
    {
        await ReadKnownAsync(token).ConfigureAwait(false);
        var inventory = await CompareAsync(token).ConfigureAwait(false);
        inventory.ThrowIfGivenUp();
        await proof.RequireAsync(inventory.Missing, token).ConfigureAwait(false);
        if (
            BegunLists.Any()
            || await database.GetRemoteVolumesAsync(token).AnyAsync(x => x.State == RemoteVolumeState.Deleting, token).ConfigureAwait(false)
        )
            await inventory.SettleAsync(token).ConfigureAwait(false);
        var broken = await FindAsync(token).ConfigureAwait(false);
        if (m_misplaced.Count == 0)
            return broken;
        var (volume, file) = m_misplaced.First();
        throw new UserInformationException(
            $"What is missing is not lost: {SizeText.Count(m_misplaced.Count, "block volume is", "block volumes are")} there under another name, first {volume} as {file}. {Advice.DifferentFolder()}",
            "MissingRemoteFiles"
        );
    }

    /// <summary>
    /// The broken versions, by fileset id. The volumes that are missing are marked as going, and their blocks forgotten, but for those that
    /// are in the folder under another name.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>CannotListOnDatabaseInRepair</c>,
    /// <c>RemoteFolderEmptyWithPrefix</c>.</exception>
    internal async Task<List<BrokenVersion>> FindAsync(CancellationToken token)
    {
        var broken = await ReadKnownAsync(token).ConfigureAwait(false);
        if (broken.Count > 0)
            return broken;

        await ForgetMissingVolumesAsync(token).ConfigureAwait(false);
        return m_inventory!.Missing.Count == m_inventory.Resized.Count ? [] : await ReadAsync(token).ConfigureAwait(false);
    }

    /// <summary>
    /// The same where nothing can be written, not even for a while; null if volumes are missing, so that it would have to be.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>CannotListOnDatabaseInRepair</c>,
    /// <c>RemoteFolderEmptyWithPrefix</c>.</exception>
    internal async Task<List<BrokenVersion>?> TryFindReadingAsync(CancellationToken token)
    {
        var broken = await ReadKnownAsync(token).ConfigureAwait(false);
        if (broken.Count > 0)
            return broken;

        var inventory = await new RemoteInventory(database, folder, settings.Prefix, progress) { OnlyReads = true }
            .LookAsync(token)
            .ConfigureAwait(false);
        return inventory.Missing.Count > 0 ? null : [];
    }

    /// <summary>
    /// Path and length (-1 for folders and links) of the broken entries of versions, and of those that have lost more than metadata, which
    /// can be replaced. Of a link metadata are everything.
    /// </summary>
    internal async Task<Dictionary<BrokenVersion, (List<Tuple<string, long>> All, HashSet<Tuple<string, long>> Lost)>> FilesAsync(
        List<BrokenVersion> versions,
        CancellationToken token
    )
    {
        // Each question reads all blocks once, for however many versions.
        var all = await ReadFilesAsync(false).ConfigureAwait(false);
        var lost = await ReadFilesAsync(true).ConfigureAwait(false);
        foreach (var version in versions)
        {
            var links = SymbolicLinks.Paths(database, version.FilesetId);
            lost[version].AddRange(all[version].Where(x => x.Item2 < 0 && links.Contains(x.Item1)));
        }

        return versions.ToDictionary(x => x, x => (all[x], lost[x].ToHashSet()));

        async Task<Dictionary<BrokenVersion, List<Tuple<string, long>>>> ReadFilesAsync(bool exceptReplaceable)
        {
            var files = new Dictionary<BrokenVersion, List<Tuple<string, long>>>();
            foreach (var version in versions)
                files[version] = await database
                    .GetBrokenFilenamesAsync(version.FilesetId, exceptReplaceable, token)
                    .ToListAsync(token)
                    .ConfigureAwait(false);
            return files;
        }
    }

    /// <summary>Whether something in one of the versions has lost its metadata only, and can have others.</summary>
    internal async Task<bool> HasReplaceableAsync(IEnumerable<BrokenVersion> versions, CancellationToken token)
    {
        var replaceable = await database.GetFilesetsWithReplaceableMetadataAsync(token).ConfigureAwait(false);
        var candidates = versions.Where(x => replaceable.Contains(x.FilesetId)).ToList();
        var files = await FilesAsync(candidates, token).ConfigureAwait(false);
        return files.Values.Any(x => x.All.Count > x.Lost.Count);
    }

    private async Task<List<BrokenVersion>> ReadKnownAsync(CancellationToken token)
    {
        var broken = await ReadAsync(token).ConfigureAwait(false);
        return broken.Count == 0 && await database.RepairInProgressAsync(token).ConfigureAwait(false)
            ? throw new UserInformationException(
                $"The database was not recreated to its end. {Advice.RecreateDatabase()}",
                "CannotListOnDatabaseInRepair"
            )
            : broken;
    }

    private async Task<List<BrokenVersion>> ReadAsync(CancellationToken token)
    {
        var times = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        var broken = new List<BrokenVersion>();
        await foreach (
            var (_, id, count) in database.GetBrokenFilesetsAsync(new DateTime(0, DateTimeKind.Utc), null, token).ConfigureAwait(false)
        )
        {
            var version = times.FindIndex(x => x.Key == id);
            broken.Add(new BrokenVersion(version, id, times[version].Value, count));
        }

        return broken;
    }

    private async Task<RemoteInventory> CompareAsync(CancellationToken token)
    {
        if (m_inventory is not null)
            return m_inventory;

        m_inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await m_inventory.AnalyseAsync(token).ConfigureAwait(false);
        return m_inventory;
    }

    private async Task ForgetMissingVolumesAsync(CancellationToken token)
    {
        var inventory = await CompareAsync(token).ConfigureAwait(false);
        // One of another size is there, however damaged; what can be read from it is not lost.
        foreach (var volume in inventory.Resized)
            progress.Warning($"{volume.Name} should have {volume.Size} bytes and has another size");
        await FindMisplacedAsync(inventory, token).ConfigureAwait(false);
        var missing = inventory.Absent.Where(x => !m_misplaced.ContainsKey(x.Name)).ToList();
        var ofNoVersion = EmptyVersions.ListsWithoutVersion(database).ToHashSet(StringComparer.Ordinal);
        foreach (var volume in missing)
        {
            MissesBlocks |= volume.Type == RemoteVolumeType.Blocks;
            if (volume.Type == RemoteVolumeType.Files)
                await ForgetListAsync(volume.Name, ofNoVersion.Contains(volume.Name), token).ConfigureAwait(false);
            else
                await ForgetAsync(volume, token).ConfigureAwait(false);
        }

        if (MissesBlocks)
            FurtherCopies.TakeOver(database, missing.Select(x => x.ID), inventory.Resized.Select(x => x.ID));
        // Of another backup in the folder, for all that is known.
        var unlinked = await database
            .GetOrphanedIndexFilesAsync(token)
            .Select(x => x.Name)
            .ToHashSetAsync(null, token)
            .ConfigureAwait(false);
        await database.RemoveMissingBlocksAsync(missing.Select(x => x.Name), token).ConfigureAwait(false);
        await foreach (var index in database.GetOrphanedIndexFilesAsync(token).ConfigureAwait(false))
        {
            if (unlinked.Contains(index.Name))
                continue;
            if (!Forgotten.Exists(x => x.Name == index.Name))
                Orphaned.Add(index);
            await database
                .UpdateRemoteVolumeAsync(index.Name, RemoteVolumeState.Deleting, index.Size, index.Hash, token)
                .ConfigureAwait(false);
        }
    }

    // Only what a repair finds, too, and gives its name back.
    private async Task FindMisplacedAsync(RemoteInventory inventory, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        // By the name of a volume it finds the file that has its content.
        var downloader = new VolumeDownloader(folder, settings, temporary.Path) { Searching = SilentProgress.Instance };
        var checker = new VolumeChecker(downloader, settings.Format);
        var suspects = inventory.Missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        foreach (var volume in inventory.Absent.Where(x => x.Type == RemoteVolumeType.Blocks))
        {
            if (volume.Size < 0 || string.IsNullOrEmpty(volume.Hash))
                continue;
            progress.Message($"Looking for {volume.Name} under other names");
            var file = await downloader
                .Misplaced.FindAsync(volume.Name, volume.Hash, volume.Size, suspects, progress, token)
                .ConfigureAwait(false);
            if (file is null)
                continue;
            // One that is another volume's, too, is where it belongs.
            var other = await database.GetRemoteVolumeAsync(file, token).ConfigureAwait(false);
            if (other.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified && other.Hash == volume.Hash)
                continue;
            if (!await IsWholeAsync(checker, volume, token).ConfigureAwait(false))
                continue;
            progress.Warning($"Missing file: {volume.Name}. It is not lost: {file} has its content. {Advice.DifferentFolder()}");
            m_misplaced.Add(volume.Name, file);
        }
    }

    // One that was damaged when it was uploaded is as it was, and a repair takes it out of the way once more.
    private static async Task<bool> IsWholeAsync(VolumeChecker checker, RemoteVolumeEntry volume, CancellationToken token)
    {
        try
        {
            await checker.CheckAsync(volume, token).ConfigureAwait(false);
            return true;
        }
        catch (VolumeException)
        {
            return false;
        }
    }

    private Task ForgetAsync(RemoteVolumeEntry volume, CancellationToken token)
    {
        progress.Warning($"Missing file: {volume.Name}");
        Forgotten.Add(volume);
        return database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Deleting, volume.Size, volume.Hash, token);
    }

    // The list of a version can be made anew; one that is being deleted would take its version with it.
    private async Task ForgetListAsync(string name, bool isOfNoVersion, CancellationToken token)
    {
        progress.Warning(isOfNoVersion ? $"Missing file: {name}" : $"Missing file: {name}. {Advice.MissingVolume()}");
        if (isOfNoVersion)
            await database.RemoveRemoteVolumeAsync(name, token).ConfigureAwait(false);
    }
}

/// <summary>A version with files whose data or metadata is lost.</summary>
/// <param name="Version">Position among the versions, 0 = newest.</param>
/// <param name="FilesetId">Row of the fileset.</param>
/// <param name="Time">Its time (local).</param>
/// <param name="BrokenFiles">Number of broken entries.</param>
internal sealed record BrokenVersion(int Version, long FilesetId, DateTime Time, long BrokenFiles);
