using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.History;

/// <summary>Makes the database of a long history, mostly entries.</summary>
internal static class HistoryDatabase
{
    /// <summary>Makes it at a path where nothing is, and leaves it closed without a log. The indexes of the entries are built last, since tens of millions of rows go in.</summary>
    public static void Make(string path, HistoryShape shape)
    {
        _ = BlockKeys.Get(shape.Backup.Live + shape.Backup.Deleted + shape.Backup.Changed);
        using var connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        using var statements = new StatementCache(connection);
        var plain = new PlainStatements(connection);
        statements.Execute(BlockTableSql.LeaveNoLog);
        plain.Execute(HistorySql.MakeFast);
        var indexes = new List<string>();
        plain.Read(HistorySql.EntryIndexes, row => indexes.Add(row.GetString(0)));
        plain.Execute(HistorySql.DropEntryIndexes);
        statements.Execute(BlockTableSql.Begin);
        VersionedBackup.Fill(statements, shape.Backup);
        statements.Execute(HistorySql.EmptyIndexVolume);
        statements.Execute(BlockTableSql.Commit);
        foreach (var index in indexes)
            plain.Execute(index);
        statements.Execute(VersionedBackupSql.Analyze);
    }
}
