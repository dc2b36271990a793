// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.SQLite;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Micro;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>A provider with a database open.</summary>
/// <param name="Contender">Answers the questions.</param>
/// <param name="Engine">Version of SQLite.</param>
/// <param name="Settings">The pragmas, as read back.</param>
/// <param name="Connection">Closed after the contender.</param>
internal sealed record OpenProvider(BlockContender Contender, string Engine, string Settings, IDisposable Connection) : IDisposable
{
    public void Dispose()
    {
        Contender.Dispose();
        Connection.Dispose();
    }
}

/// <summary>A way to use a SQLite file from .NET.</summary>
/// <param name="Name">Head of its column.</param>
/// <param name="Package">The package and its version.</param>
/// <param name="Open">Opens a file for questions.</param>
internal sealed record Provider(string Name, string Package, Func<string, BlockQuestions, OpenProvider> Open)
{
    /// <summary>All of them; the C loop where there is a C compiler.</summary>
    public static IReadOnlyList<Provider> All { get; } =
    [
        On("Microsoft.Data.Sqlite", typeof(SqliteConnection), (questions, connection) => new ProviderContender(questions, connection)),
        On("the same, async", typeof(SqliteConnection), (questions, connection) => new AsyncContender(questions, connection)),
        new("System.Data.SQLite", PackageVersion.Of(typeof(SQLiteConnection)), OpenSystemData),
        new("sqlite-net", PackageVersion.Of(typeof(SQLite.SQLiteConnection)), OpenSqliteNet),
        On("Dapper", typeof(Dapper.SqlMapper), (questions, connection) => new DapperContender(questions, connection)),
        On("EF Core", typeof(DbContext), (questions, connection) => new EntityContender(questions, new BlockContext(connection))),
        On(
            "EF Core, bulk",
            typeof(DbContext),
            (questions, connection) => new BulkEntityContender(questions, new BulkBlockContext(connection))
        ),
        On("function pointers", typeof(SqliteConnection), (questions, connection) => new NativeContender(questions, connection)),
        .. CompiledLoop.IsAvailable
            ? [On("C loop", typeof(SqliteConnection), (questions, connection) => new CLoopContender(questions, connection))]
            : Array.Empty<Provider>(),
        On("this layer", typeof(SqliteConnection), (questions, connection) => new ApiContender(questions, OpenLayer(connection))),
    ];

    private static Provider On(string name, Type package, Func<BlockQuestions, SqliteConnection, BlockContender> make) =>
        new(
            name,
            PackageVersion.Of(package),
            (path, questions) =>
            {
                var (connection, settings) = SqliteFile.Open(path, SqliteSettings.Normal);
                return new OpenProvider(make(questions, connection), connection.Scalar(ContenderSql.Version)!, settings, connection);
            }
        );

    private static LocalBackupDatabase OpenLayer(SqliteConnection connection)
    {
        var parent = LocalDatabase.CreateLocalDatabaseAsync(connection, "Backup", null, default).Await();
        return LocalBackupDatabase.CreateAsync(parent, new Options([]), null, default).Await();
    }

    private static OpenProvider OpenSystemData(string path, BlockQuestions questions)
    {
        var connection = new SQLiteConnection(new SQLiteConnectionStringBuilder { DataSource = path, Pooling = false }.ConnectionString);
        connection.Open();
        var settings = SqliteSettings.Apply(SqliteSettings.Normal, Scalar);
        return new OpenProvider(new ProviderContender(questions, connection), Scalar(ContenderSql.Version)!, settings, connection);

        string? Scalar(string sql)
        {
            using var command = new SQLiteCommand(sql, connection);
            return command.ExecuteScalar() is { } value and not DBNull ? Convert.ToString(value) : null;
        }
    }

    private static OpenProvider OpenSqliteNet(string path, BlockQuestions questions)
    {
        var connection = new SQLite.SQLiteConnection(path, SQLite.SQLiteOpenFlags.ReadWrite);
        var settings = SqliteSettings.Apply(SqliteSettings.Normal, sql => connection.ExecuteScalar<string>(sql));
        var version = connection.ExecuteScalar<string>(ContenderSql.Version);
        return new OpenProvider(new SqliteNetContender(questions, connection), version, settings, connection);
    }
}
