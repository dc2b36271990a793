using System.Globalization;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The id of a file's folder, asked for each file in the order of a backup, twenty files a folder.</summary>
internal sealed class PathPrefixes : Technique
{
    private const int FilesPerFolder = 20;

    public override string Name => "cache of path prefixes";

    public override string Without => "a prepared statement a file";

    public override string IsOff => "forgotten at 16,384 prefixes, after a rollback, when the connection is handed out";

    public override string Entry => "file";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var folders = Enumerable.Range(0, (setup.Blocks / FilesPerFolder) + 1).Select(x => string.Create(CultureInfo.InvariantCulture, $"/home/somebody/documents/folder {x}/")).ToArray();
        var database = BackupTrials.Open(setup, 0);
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var file = 0; file < setup.Blocks; file++)
                    sum += (file + 1) * Find(database, folders[file / FilesPerFolder], with || file % FilesPerFolder == 0);
            },
            () => sum,
            database);
    }

    // The first file of a folder makes it, with or without the cache.
    private static long Find(LocalDatabase database, string folder, bool atTheDoor)
    {
        if (atTheDoor)
            return database.GetOrCreatePathPrefixAsync(folder, default).Await();

        lock (database.Session.Gate)
        {
            using var find = database.Session.TakeDirect(PathSql.Prefix);
            return find.Bind(1, folder).ExecuteInt64();
        }
    }
}
