// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>
/// Makes the index volumes of block volumes that have none, because an earlier backup was killed between the two uploads. To be
/// called when everything is recorded: what a blocklist holds is only known as long as a file that uses it is.
/// </summary>
internal sealed class MissingIndexes(
    BackupSettings settings,
    IndexPolicy policy,
    SharedDatabase<LocalBackupDatabase> shared,
    VolumeUploader<LocalBackupDatabase> uploader,
    string temporaryFolder
)
{
    private readonly IndexPublisher<LocalBackupDatabase> m_index = new(settings, shared, uploader, temporaryFolder);

    /// <summary>Makes them all.</summary>
    internal async Task PublishAsync(CancellationToken token)
    {
        if (policy == IndexPolicy.None)
            return;

        var database = shared.Database;
        foreach (var name in await database.GetMissingIndexFilesAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            var volume = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
            if (await RecordedVolume.IsOfAsync(database, volume.ID, token).ConfigureAwait(false))
                await m_index.MakeAsync(volume.ID, writer => DescribeAsync(writer, volume, token), token).ConfigureAwait(false);
        }
    }

    private Task DescribeAsync(IndexVolumeWriter writer, RemoteVolumeEntry volume, CancellationToken token)
    {
        var blocklists = policy == IndexPolicy.Full ? new HashSet<string>(StringComparer.Ordinal) : null;
        var recorded = new RecordedVolume(volume.ID, volume.Name, volume.Hash, volume.Size);
        return recorded.DescribeAsync(writer, shared.Database, settings.BlockSize, settings.DigestSize, blocklists, token);
    }
}
