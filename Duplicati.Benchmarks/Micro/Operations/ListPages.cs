using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>Ten pages of a hundred entries of all folders together, of one version.</summary>
public class ListPages : OperationBenchmark
{
    private const int Pages = 10;
    private const int PageSize = 100;

    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalListDatabase.CreateAsync(path, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var prefixes = Enumerable.Range(1, VersionedBackup.Folders).Select(x => (long)x).ToArray();
        var entries = 0L;
        for (var page = 0; page < Pages; page++)
        {
            var result = await ((LocalListDatabase)opened).ListFolderAsync(prefixes, Versions / 2, page * PageSize, PageSize, default).ConfigureAwait(false);
            entries += result.Items.Count() + result.TotalCount;
        }

        return entries;
    }

    internal override long RunPlain(PlainStatements plain)
    {
        var entries = 0L;
        for (var page = 0; page < Pages; page++)
        {
            entries += plain.Scalar(PlainOperationSql.CountEntries, Versions / 2);
            entries += plain.Read(PlainOperationSql.EntriesPage, ReadEntry, Versions / 2, PageSize, page * PageSize);
        }

        return entries;
    }

    private static void ReadEntry(SqliteDataReader row) =>
        _ = new LocalListDatabase.FolderEntry(row.GetInt64(0), row.GetString(1), row.GetInt64(3), row.GetInt64(2) == -100, row.GetInt64(2) == -200, new DateTime(row.GetInt64(4), DateTimeKind.Utc), null);
}
