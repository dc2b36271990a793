using System.Globalization;
using System.Text;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>
/// A database of a backup with many versions. From each version to the next, a file in so many gets new content, until in the
/// last one nearly all files of the first have changed. A million blocks, or a hundred thousand where there are a thousand versions, of 1 KB, blocklists of 32 hashes, a dblock volume for every
/// thousand blocks, 50 folders, 20 different metadata, and one deleted block for every 20 live ones.
/// </summary>
internal static class VersionedBackup
{
    public const int BlockBytes = 1024;
    public const int HashBytes = 32;
    public const int Folders = 50;

    private const int ManyVersions = 1000;
    private const long FirstTime = 1_600_000_000;
    private const long Day = 86_400;

    /// <summary>Files of one version.</summary>
    public static int FilesPerVersion => BenchmarkScale.Of(1000, 100);

    /// <summary>Time of a version, oldest first, in seconds since 1970.</summary>
    public static long Time(int version) => FirstTime + (version * Day);

    /// <summary>The same as a time.</summary>
    public static DateTime UtcTime(int version) => DateTimeOffset.FromUnixTimeSeconds(Time(version)).UtcDateTime;

    /// <summary>Blocks with data of files.</summary>
    public static int Blocks(int versions) => Shape(versions).Blocks;

    /// <summary>A closed database with so many versions.</summary>
    public static string Template(int versions) => DatabaseTemplates.Get($"{versions} versions", path =>
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        using var statements = new StatementCache(connection);
        statements.Execute(BlockTableSql.Begin);
        Fill(statements, Shape(versions));
        statements.Execute(BlockTableSql.Commit);
        statements.Execute(VersionedBackupSql.Analyze);
        statements.Execute(BlockTableSql.LeaveNoLog);
    });

    // Some statements of the definitions go through each block of each version: with many versions there are fewer blocks.
    private static int BlocksPerFile(int versions) => versions >= ManyVersions ? 50 : BenchmarkScale.Of(500, 100);

    private static VersionedBackupShape Shape(int versions) =>
        new(versions, FilesPerVersion, FilesPerVersion, versions, BlocksPerFile(versions), (BlocksPerFile(versions) + HashBytes - 1) / HashBytes, Folders);

    /// <summary>Fills the tables of an empty database, within the transaction that is open.</summary>
    public static void Fill(StatementCache statements, VersionedBackupShape shape)
    {
        InsertBlocks(statements, shape.Live, shape.Deleted);
        foreach (var sql in VersionedBackupSql.Fill)
        {
            statements.Execute(Values(
                sql,
                ("files", shape.Files), ("blocks", shape.Blocks), ("lists", shape.Lists), ("live", shape.Live), ("deleted", shape.Deleted), ("perFile", shape.BlocksPerFile), ("listsPerFile", shape.ListsPerFile),
                ("versions", shape.Versions), ("filesPerVersion", shape.FilesPerVersion), ("changed", shape.Changed), ("changedOver", shape.ChangedOver), ("folders", shape.Folders), ("apart", shape.Apart),
                ("metadata", VersionedBackupShape.Metadata), ("blockBytes", BlockBytes), ("firstTime", FirstTime), ("day", Day)));
        }
    }

    // Ids and numbers are equal: data blocks first, then blocklists, then metadata.
    private static void InsertBlocks(StatementCache statements, int live, int deleted)
    {
        var keys = BlockKeys.Get(live + deleted);
        foreach (var (sql, first, count) in new[] { (VersionedBackupSql.InsertBlock, 0, live), (VersionedBackupSql.InsertDeletedBlock, live, deleted) })
        {
            using var insert = statements.Take(sql);
            for (var i = 0; i < count; i++)
                insert.BindUtf8(1, keys.Text(first + i)).Bind(2, (long)BlockBytes).Bind(3, 1 + (i * (live / (long)count) / 1000)).Execute();
        }
    }

    private static string Values(string sql, params ReadOnlySpan<(string Name, long Value)> values)
    {
        var text = new StringBuilder(sql);
        foreach (var (name, value) in values)
            text.Replace($"${name}$", value.ToString(CultureInfo.InvariantCulture));
        return text.ToString();
    }
}
