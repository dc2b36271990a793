using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Micro;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>An encrypted backup with real volumes: three versions, blocks of 1 KB, volumes of 1 MB; from one version to the next a tenth of the files changes in the middle.</summary>
internal sealed class EngineBackup
{
    /// <summary>More make the volumes themselves all there is to measure.</summary>
    public const int MostBlocks = 100_000;

    private const int BlockBytes = 1024;
    private const int Versions = 3;
    private const string Passphrase = "a passphrase";

    private readonly string m_folder;

    private EngineBackup(string folder) => m_folder = folder;

    /// <summary>The database of the backup.</summary>
    public string DatabasePath => Path.Combine(m_folder, "local.sqlite");

    /// <summary>What the volumes are made with.</summary>
    public static VolumeFormat Format { get; } = new() { Blocksize = BlockBytes, VolumeSize = 1 << 20 };

    /// <summary>Where the volumes are.</summary>
    public IRemoteFolder Folder => LocalFolder.Parse(Path.Combine(m_folder, "remote"));

    /// <summary>What an operation on these volumes has to know, with a database at another place.</summary>
    public EngineOptions Options(string databasePath) => new() { Remote = Path.Combine(m_folder, "remote"), DatabasePath = databasePath, Passphrase = Passphrase };

    /// <summary>A backup of so many blocks, at most <see cref="MostBlocks"/>; made once.</summary>
    public static EngineBackup Get(int blocks) => new(DatabaseTemplates.Get($"engine {blocks}", path => MakeAsync(path, Math.Min(blocks, MostBlocks)).Await()));

    /// <summary>Fetches volumes into a folder.</summary>
    public VolumeDownloader Downloader(string temporaryFolder) => new(Folder, Passphrase, temporaryFolder);

    private static async Task MakeAsync(string path, int blocks)
    {
        var source = Directory.CreateDirectory(Path.Combine(path, "source")).FullName;
        var total = (long)blocks * BlockBytes;
        await SourceGenerator.GenerateAsync(source, new SourceOptions { TotalBytes = total, Files = 300, MaxFileBytes = total / 20 }, default);
        var backup = new EngineBackup(path);
        var options = new EngineOptions
        {
            Remote = Path.Combine(path, "remote"), DatabasePath = backup.DatabasePath, Passphrase = Passphrase, BlockSize = BlockBytes, VolumeSize = Format.VolumeSize,
            CompressionLevel = System.IO.Compression.CompressionLevel.Fastest,
        };
        for (var version = 0; version < Versions; version++)
        {
            if (version > 0)
                ChangedTree.ChangeTenth(source, version);
            await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);
        }

        Directory.Delete(source, recursive: true);
    }
}
