using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>All index files of a backup from the remote folder into a new database: fetched, decrypted, unzipped, parsed, written.</summary>
internal abstract class IndexFileTechnique : Technique
{
    public override string Entry => "block";

    public override int Entries(int blocks) => Math.Min(blocks, EngineBackup.MostBlocks);

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var backup = EngineBackup.Get(setup.Blocks);
        var parent = LocalDatabase.CreateLocalDatabaseAsync(setup.DatabasePath, "Recreate", true, null, default).Await();
        var database = LocalRecreateDatabase.CreateAsync(parent, new Options([]), null, default).Await();
        var files = backup.Folder.ListAsync(default).Await().OrderBy(x => x.Name, StringComparer.Ordinal).ToList();
        foreach (var file in files)
            database.RegisterRemoteVolumeAsync(file.Name, VolumeName.Parse(file.Name)!.Type, file.Size, RemoteVolumeState.Uploaded, default).Await();
        var indexes = files.Where(x => VolumeName.Parse(x.Name)!.Type == RemoteVolumeType.Index).ToList();
        var loader = new IndexLoader(database, SilentProgress.Instance);
        var downloader = backup.Downloader(setup.Folder);
        return new Trial(() => LoadAsync(loader, downloader, indexes, with).Await(), () => BackupTrials.Read(parent, TechniquesSql.Blocks), database, parent);
    }

    /// <summary>Loads all files in their order.</summary>
    protected abstract Task LoadAsync(IndexLoader loader, VolumeDownloader downloader, List<RemoteFile> files, bool with);

    /// <summary>Reads so many files at a time, ahead of the one that is being written.</summary>
    protected static async Task FeedAsync(IndexLoader loader, VolumeDownloader downloader, List<RemoteFile> files, int parallelism)
    {
        await foreach (var item in new IndexFeed(downloader, EngineBackup.Format, parallelism).ReadAsync(files, default))
            await loader.LoadAsync(item.Index ?? throw new InvalidOperationException($"{item.File.Name} cannot be read.", item.Failure), default);
    }
}

/// <summary>The next file is read while one is written, against one after the other.</summary>
internal sealed class OverlappedParsing : IndexFileTechnique
{
    public override string Name => "writing overlaps parsing";

    public override string Without => "an index file is read when the one before is written";

    public override string IsOff => "never; for callers of the members it is theirs to do";

    protected override Task LoadAsync(IndexLoader loader, VolumeDownloader downloader, List<RemoteFile> files, bool with) =>
        with ? FeedAsync(loader, downloader, files, 1) : OneByOneAsync(loader, downloader, files);

    private static async Task OneByOneAsync(IndexLoader loader, VolumeDownloader downloader, List<RemoteFile> files)
    {
        foreach (var file in files)
        {
            using var download = await downloader.FetchAsync(file.Name, EngineBackup.Format.FileHash, null, -1, default);
            await loader.LoadAsync(ParsedIndex.Read(file.Name, download.Hash, download.Length, download.Content, EngineBackup.Format), default);
        }
    }
}

/// <summary>As many files read at a time as there are processors, against one.</summary>
internal sealed class ParallelParsing : IndexFileTechnique
{
    public override string Name => "parallel download and parsing";

    public override string Without => "one index file read at a time, ahead of the writer";

    public override string IsOff => "with one processor, or a parallelism of 1";

    protected override Task LoadAsync(IndexLoader loader, VolumeDownloader downloader, List<RemoteFile> files, bool with) =>
        FeedAsync(loader, downloader, files, with ? Math.Max(2, Environment.ProcessorCount) : 1);
}

/// <summary>A whole recreate whose file has no log at first, against one that has it from the first volume on.</summary>
internal sealed class LogLater : Technique
{
    public override string Name => "a recreate's log after some seconds";

    public override string Without => "a log from the first volume on";

    public override string IsOff => "where block volumes are read; after five seconds; with the preset stock";

    public override string Entry => "block";

    public override int Entries(int blocks) => Math.Min(blocks, EngineBackup.MostBlocks);

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var options = EngineBackup.Get(setup.Blocks).Options(setup.DatabasePath) with { RecreateLogAfter = with ? TimeSpan.FromHours(1) : TimeSpan.Zero };
        return new Trial(() => new RecreateOperation(options, SilentProgress.Instance).RunAsync(default).Await(), () => Answer(options.DatabasePath));
    }

    private static long Answer(string path)
    {
        using var database = LocalDatabase.CreateLocalDatabaseAsync(path, "Answer", true, null, default).Await();
        return BackupTrials.Read(database, TechniquesSql.Blocks);
    }
}
