using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>What the steps that make volumes anew share: the database, the settings, and ways to and from the remote folder.</summary>
internal sealed class RepairContext : IDisposable
{
    private readonly TemporaryFolder m_temporary = new();
    private readonly DatabaseGate<LocalDatabase> m_gate;
    private readonly VolumeUploader<LocalDatabase> m_uploader;

    internal RepairContext(LocalRepairDatabase database, BackupSettings settings, IndexPolicy policy, IRemoteFolder folder, IEngineProgress progress)
    {
        Database = database;
        Settings = settings;
        Policy = policy;
        Progress = progress;
        Downloader = new VolumeDownloader(folder, settings.Passphrase, m_temporary.Path);
        Remover = new VolumeRemover(database, folder, progress);
        m_gate = new DatabaseGate<LocalDatabase>(database);
        m_uploader = new VolumeUploader<LocalDatabase>(m_gate, folder, progress);
    }

    internal LocalRepairDatabase Database { get; }

    internal BackupSettings Settings { get; }

    internal IndexPolicy Policy { get; }

    internal IEngineProgress Progress { get; }

    internal VolumeDownloader Downloader { get; }

    internal VolumeRemover Remover { get; }

    /// <summary>A new file in the temporary folder.</summary>
    internal FileStream CreateFile(VolumeName name) => new(PathOf(name), FileMode.Create, FileAccess.ReadWrite);

    /// <summary>Seals the file of a registered volume and uploads it. The open transaction is committed before; the new state is not.</summary>
    internal async Task UploadAsync(VolumeName name, CancellationToken token)
    {
        var content = await VolumeSealer.SealAsync(PathOf(name), name, Settings.Format.FileHash, Settings.Passphrase, token).ConfigureAwait(false);
        await m_uploader.UploadAsync(content, token).ConfigureAwait(false);
    }

    public void Dispose()
    {
        m_gate.Dispose();
        m_temporary.Dispose();
    }

    private string PathOf(VolumeName name) => Path.Combine(m_temporary.Path, name.FileName);
}
