using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.History;

/// <summary>The rows of one more version: each file is looked for in the newest version and goes into the new one, with new content if it has changed.</summary>
internal static class HistoryBackup
{
    public const string ListName = "duplicati-new.dlist.zip";
    public const string BlocksName = "duplicati-bnew.dblock.zip";
    public const long FolderBlockset = -100;
    public const long MetadataOfNew = 1;

    /// <summary>Nothing has changed.</summary>
    public static HistoryOperation Unchanged => Operation("backup, nothing changed", _ => 0);

    /// <summary>As many files have changed as from any version to the next.</summary>
    public static HistoryOperation Changed => Operation("backup, some files changed", shape => shape.Backup.Changed);

    /// <summary>Name of a folder in the folder of all folders.</summary>
    public static string FolderName(int folder) => $"folder {folder}/";

    /// <summary>The metadata that the generator gives a folder.</summary>
    public static long MetadataOfFolder(int folder) => 1 + (folder % VersionedBackupShape.Metadata);

    /// <summary>The hash of a new file.</summary>
    public static string NewContent(int number) => $"new file {number}";

    private static HistoryOperation Operation(string name, Func<HistoryShape, int> changed) => new()
    {
        Name = name,
        Row = "entry of the new version",
        Rows = shape => shape.EntriesPerVersion,
        Changes = true,
        Open = async path => await LocalBackupDatabase.CreateAsync(path, new Options([]), default).ConfigureAwait(false),
        Door = (database, shape) => DoorAsync((LocalBackupDatabase)database, shape, changed(shape)),
        Plain = (plain, shape) =>
        {
            using var backup = new PlainBackup(plain, shape);
            return backup.Run(changed(shape));
        },
    };

    private static async Task<long> DoorAsync(LocalBackupDatabase database, HistoryShape shape, int changed)
    {
        var list = await database.RegisterRemoteVolumeAsync(ListName, RemoteVolumeType.Files, RemoteVolumeState.Temporary, default).ConfigureAwait(false);
        var blocks = await database.RegisterRemoteVolumeAsync(BlocksName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default).ConfigureAwait(false);
        var fileset = await database.CreateFilesetAsync(list, VersionedBackup.UtcTime(shape.Versions), default).ConfigureAwait(false);
        var bytes = 0L;
        foreach (var file in shape.Source)
        {
            var (id, modified, length, _, _) = await database.GetFileEntryAsync(file.PrefixId, file.Name, shape.Versions, default).ConfigureAwait(false);
            bytes += length;
            if (file.Turn < changed)
                await database.AddFileAsync(file.PrefixId, file.Name, modified, await AddContentAsync(database, shape, file.Turn, blocks).ConfigureAwait(false), MetadataOfNew, default).ConfigureAwait(false);
            else
                await database.AddKnownFileAsync(id, modified, default).ConfigureAwait(false);
        }

        var noTime = new DateTime(0, DateTimeKind.Utc);
        for (var folder = 1; folder <= shape.Folders; folder++)
            await database.AddFileAsync(shape.Folders + 1, FolderName(folder), noTime, FolderBlockset, MetadataOfFolder(folder), default).ConfigureAwait(false);
        await database.UpdateFullBackupStateInFilesetAsync(fileset, true, default).ConfigureAwait(false);
        await database.CommitAsync(default).ConfigureAwait(false);
        return bytes;
    }

    private static async Task<long> AddContentAsync(LocalBackupDatabase database, HistoryShape shape, int number, long volume)
    {
        var hash = shape.NewHash(number);
        await database.AddBlockAsync(hash, VersionedBackup.BlockBytes, volume, default).ConfigureAwait(false);
        var (_, blockset) = await database.AddBlocksetAsync(NewContent(number), VersionedBackup.BlockBytes, VersionedBackup.BlockBytes, [hash], [], default).ConfigureAwait(false);
        return blockset;
    }
}
