// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>What the steps that make volumes anew share: the database, the settings, and ways to and from the remote folder.</summary>
internal sealed class RepairContext : IDisposable
{
    private readonly TemporaryFolder m_temporary = new();
    private readonly SharedDatabase<LocalDatabase> m_shared;
    private readonly VolumeUploader<LocalDatabase> m_uploader;
    private readonly SettingsProof m_proof;

    internal RepairContext(
        LocalRepairDatabase database,
        BackupSettings settings,
        EngineOptions options,
        IRemoteFolder folder,
        IEngineProgress progress,
        bool deleteDamaged = false
    )
    {
        Database = database;
        Settings = settings;
        Policy = options.IndexPolicy;
        Progress = progress;
        Downloader = new VolumeDownloader(folder, settings, m_temporary.Path);
        Damaged = new DamagedVolumes(folder, deleteDamaged);
        Remover = new VolumeRemover(database, folder, progress) { Retire = RetireAsync };
        m_proof = new SettingsProof(database, options.DatabasePath, settings, folder, progress);
        m_shared = new SharedDatabase<LocalDatabase>(database);
        m_uploader = new VolumeUploader<LocalDatabase>(m_shared, folder, progress);
    }

    internal LocalRepairDatabase Database { get; }

    internal BackupSettings Settings { get; }

    internal IndexPolicy Policy { get; }

    internal IEngineProgress Progress { get; }

    internal VolumeDownloader Downloader { get; }

    internal VolumeRemover Remover { get; }

    internal DamagedVolumes Damaged { get; }

    /// <summary>A new file in the temporary folder.</summary>
    internal FileStream CreateFile(VolumeName name) => new(PathOf(name), FileMode.Create, FileAccess.ReadWrite);

    /// <summary>
    /// Seals the file of a registered volume and uploads it, after it has marked that something is on its way. The open transaction is
    /// committed before; the new state is not.
    /// </summary>
    internal async Task UploadAsync(VolumeName name, CancellationToken token)
    {
        var volume = await SealAsync(name, token).ConfigureAwait(false);
        if (!await Database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false))
            await Database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        await m_uploader.UploadAsync(volume, token).ConfigureAwait(false);
    }

    /// <summary>The same under the name of a volume that is known already, and stays so until then. Commits nothing.</summary>
    internal async Task UploadAgainAsync(VolumeName name, CancellationToken token)
    {
        var volume = await SealAsync(name, token).ConfigureAwait(false);
        // It may take the place of one that is there.
        CommittedRows.Flush(Database);
        await m_uploader.PutAsync(volume, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Proves passphrase and format by a volume, once, unless none tells anything: a volume of others would be of no use, and one that does
    /// not open need not be damaged.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>WrongPassphrase</c>, <c>DatabaseIsDamaged</c>.</exception>
    internal Task ProveSettingsAsync(IEnumerable<RemoteVolumeEntry> missing, CancellationToken token) => m_proof.TryAsync(missing, token);

    /// <summary>Takes a damaged volume out of the way, if it is one.</summary>
    internal async Task<bool> RetireAsync(string name, CancellationToken token)
    {
        if (!Damaged.Contains(name))
            return false;
        CommittedRows.Flush(Database);
        await Damaged.RetireAsync(name, token).ConfigureAwait(false);
        Progress.Message($"Took the damaged {name} out of the way");
        return true;
    }

    public void Dispose()
    {
        m_shared.Dispose();
        m_temporary.Dispose();
    }

    private async Task<SealedVolume> SealAsync(VolumeName name, CancellationToken token)
    {
        await ProveSettingsAsync([], token).ConfigureAwait(false);
        return await VolumeSealer.SealAsync(PathOf(name), name, Settings.Format, Settings.Passphrase, token).ConfigureAwait(false);
    }

    private string PathOf(VolumeName name) => Path.Combine(m_temporary.Path, name.FileName);
}

/// <summary>
/// The volumes that a repair found damaged. What is left of them has been taken elsewhere when they are retired: they stay in the folder
/// under a name that is no volume's, unless their deletion was asked for.
/// </summary>
/// <param name="folder">The remote folder.</param>
/// <param name="delete">Whether they are deleted instead.</param>
internal sealed class DamagedVolumes(IRemoteFolder folder, bool delete)
{
    // Not behind the name: Duplicati would take that for the name of an unknown volume, and its repair would delete it.
    private const string PREFIX = "damaged-";

    private readonly Dictionary<string, RemoteVolumeEntry> m_volumes = new(StringComparer.Ordinal);
    private readonly List<DiscardedVolume> m_deleted = [];

    /// <summary>Whether one may be deleted, if that was asked for.</summary>
    internal Func<DiscardedVolume, bool> MayDelete { get; set; } = _ => true;

    /// <summary>Those that were deleted.</summary>
    internal IReadOnlyList<DiscardedVolume> Deleted => m_deleted;

    /// <summary>Notes a volume that is there, but not whole.</summary>
    internal void Add(RemoteVolumeEntry volume) => m_volumes[volume.Name] = volume;

    /// <summary>Whether a volume is one of them.</summary>
    internal bool Contains(string name) => m_volumes.ContainsKey(name);

    /// <summary>Takes one out of the way.</summary>
    /// <exception cref="RemoteFileMissingException">It is gone already.</exception>
    internal async Task RetireAsync(string name, CancellationToken token)
    {
        var volume = new DiscardedVolume(name, m_volumes[name].Size);
        if (delete && MayDelete(volume))
        {
            await folder.DeleteAsync(name, token).ConfigureAwait(false);
            m_deleted.Add(volume);
            return;
        }

        var taken = (await folder.ListAsync(token).ConfigureAwait(false)).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        await folder.MoveAsync(name, FreeName(name, taken), token).ConfigureAwait(false);
    }

    /// <summary>The name under which a volume is kept out of the way.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="taken">The names in the folder.</param>
    internal static string FreeName(string name, HashSet<string> taken)
    {
        var target = PREFIX + name;
        for (var i = 2; taken.Contains(target); i++)
            target = $"{PREFIX}{i}-{name}";
        return target;
    }

    /// <summary>Those of the new names of files that were renamed under which damaged volumes are kept in the end.</summary>
    internal static IEnumerable<string> KeptOf(IReadOnlyList<(string From, string To)> moved) =>
        moved.Select(x => x.To).Where(x => x.StartsWith(PREFIX, StringComparison.Ordinal)).Except(moved.Select(x => x.From));
}
