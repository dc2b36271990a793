using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Large;

/// <summary>Backs up one version at the door as a backup does, but for the volumes: blocks, blocksets, metadata, files; a commit after each full volume.</summary>
/// <param name="backup">What is backed up.</param>
/// <param name="database">Opened for a backup.</param>
/// <param name="clock">Told what the layer takes.</param>
internal sealed class LargeDoor(LargeBackup backup, LocalBackupDatabase database, LayerClock clock)
{
    /// <summary>Time of the first version; the second is a day later.</summary>
    internal static readonly DateTime FirstTime = new(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    private int m_version;
    private long m_fileset;
    private long m_previous;
    private long m_prefix;
    private long m_volume;
    private int m_volumes;
    private int m_inVolume;

    /// <summary>Backs up a version.</summary>
    /// <param name="version">0 for the first, 1 for the second.</param>
    /// <param name="token">Stops it; nothing of it counts then.</param>
    internal async Task RunAsync(int version, CancellationToken token)
    {
        m_version = version;
        await clock.TimeAsync(() => BeginAsync(token)).ConfigureAwait(false);
        for (var number = 0L; number < backup.Files; number++)
        {
            await RunAsync(number, token).ConfigureAwait(false);
        }

        await clock.TimeAsync(() => EndAsync(token)).ConfigureAwait(false);
    }

    // Making the file is not timed.
    private async Task RunAsync(long number, CancellationToken token)
    {
        var isChanged = m_version > 0 && backup.IsChanged(number);
        if (m_version > 0 && !isChanged)
        {
            await clock.TimeAsync(() => AddKnownAsync(LargeBackup.Name(number), token)).ConfigureAwait(false);
            return;
        }

        var file = backup.File(number, isChanged);
        await clock.TimeAsync(() => AddAsync(file, token)).ConfigureAwait(false);
    }

    private async Task BeginAsync(CancellationToken token)
    {
        m_previous = await database.FilesetTimesAsync(token).Select(x => x.Key).FirstOrDefaultAsync(token).ConfigureAwait(false);
        var list = await database.RegisterRemoteVolumeAsync(FormattableString.Invariant($"large-{m_version}.dlist.zip"), RemoteVolumeType.Files, 1 << 20, RemoteVolumeState.Verified, token).ConfigureAwait(false);
        m_fileset = await database.CreateFilesetAsync(list, FirstTime.AddDays(m_version), token).ConfigureAwait(false);
        m_prefix = await database.GetOrCreatePathPrefixAsync("/data/", token).ConfigureAwait(false);
        await OpenVolumeAsync(token).ConfigureAwait(false);
    }

    private async Task OpenVolumeAsync(CancellationToken token)
    {
        var name = FormattableString.Invariant($"large-{m_version}-{++m_volumes}.dblock.zip");
        m_volume = await database.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, 1 << 20, RemoteVolumeState.Verified, token).ConfigureAwait(false);
        m_inVolume = 0;
        await database.CommitAsync(token).ConfigureAwait(false);
    }

    private async Task AddKnownAsync(string name, CancellationToken token)
    {
        var (id, modified, _, _, _) = await database.GetFileEntryAsync(m_prefix, name, m_previous, token).ConfigureAwait(false);
        await database.AddKnownFileAsync(id, modified, token).ConfigureAwait(false);
    }

    private async Task AddAsync(LargeFile file, CancellationToken token)
    {
        foreach (var hash in file.Blocks)
            await AddBlockAsync(hash, SyntheticBackup.BlockBytes, token).ConfigureAwait(false);
        foreach (var (hash, size) in file.Lists)
            await AddBlockAsync(hash, size, token).ConfigureAwait(false);
        var lists = file.Lists.Length > 0 ? file.Lists.Select(x => x.Hash) : null;
        var (_, blockset) = await database.AddBlocksetAsync(file.Hash, (long)file.Blocks.Length * SyntheticBackup.BlockBytes, SyntheticBackup.BlockBytes, file.Blocks, lists!, token).ConfigureAwait(false);
        var metadata = await AddMetadataAsync(file.MetadataHash, token).ConfigureAwait(false);
        await database.AddFileAsync(m_prefix, file.Name, FirstTime.AddDays(m_version), blockset, metadata, token).ConfigureAwait(false);
    }

    private async Task<long> AddMetadataAsync(string hash, CancellationToken token)
    {
        var (isKnown, id) = await database.GetMetadatasetIDAsync(hash, SyntheticBackup.MetadataBytes, token).ConfigureAwait(false);
        if (isKnown)
            return id;

        await AddBlockAsync(hash, SyntheticBackup.MetadataBytes, token).ConfigureAwait(false);
        var (_, blockset) = await database.AddBlocksetAsync(hash, SyntheticBackup.MetadataBytes, SyntheticBackup.BlockBytes, [hash], null!, token).ConfigureAwait(false);
        // The content is not asked for unless it is to be stored in the database.
        (_, id) = await database.AddMetadatasetAsync(hash, SyntheticBackup.MetadataBytes, blockset, null!, token).ConfigureAwait(false);
        return id;
    }

    private async Task AddBlockAsync(string hash, long size, CancellationToken token)
    {
        if (await database.AddBlockAsync(hash, size, m_volume, token).ConfigureAwait(false) && ++m_inVolume == SyntheticBackup.BlocksPerVolume)
            await OpenVolumeAsync(token).ConfigureAwait(false);
    }

    // As the end of a backup does.
    private async Task EndAsync(CancellationToken token)
    {
        // With the last volume.
        await database.CommitAsync(token).ConfigureAwait(false);
        await database.BuildLeftOutIndexesAsync(token).ConfigureAwait(false);
        await database.UpdateFullBackupStateInFilesetAsync(m_fileset, true, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitFinalBackup", true, token).ConfigureAwait(false);
    }
}
