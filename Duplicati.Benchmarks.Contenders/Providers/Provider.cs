// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Data.SQLite;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Micro;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>A provider with a database open.</summary>
/// <param name="Contender">Answers the questions.</param>
/// <param name="Engine">Version of SQLite.</param>
/// <param name="Settings">The pragmas, as read back.</param>
/// <param name="Rest">Closed after the contender, in this order.</param>
internal sealed record OpenProvider(BlockContender Contender, string Engine, string Settings, IReadOnlyList<IDisposable> Rest) : IDisposable
{
    public void Dispose()
    {
        Contender.Dispose();
        foreach (var part in Rest)
            part.Dispose();
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
        OfMicro("Microsoft.Data.Sqlite", BlockWays.Provider),
        OfMicro("the same, async", BlockWays.ProviderAsync),
        new("System.Data.SQLite", PackageVersion.Of(typeof(SQLiteConnection)), OpenSystemData),
        new("sqlite-net", PackageVersion.Of(typeof(SQLite.SQLiteConnection)), OpenSqliteNet),
        new(
            "Dapper",
            PackageVersion.Of(typeof(Dapper.SqlMapper)),
            On((questions, connection) => new DapperContender(questions, connection))
        ),
        new(
            "EF Core",
            PackageVersion.Of(typeof(DbContext)),
            On((questions, connection) => new EntityContender(questions, new BlockContext(connection)))
        ),
        new(
            "EF Core, bulk",
            PackageVersion.Of(typeof(DbContext)),
            On((questions, connection) => new BulkEntityContender(questions, new BulkBlockContext(connection)))
        ),
        OfMicro("function pointers", BlockWays.Native),
        .. BlockWays.All.Contains(BlockWays.CLoop) ? [OfMicro("C loop", BlockWays.CLoop)] : Array.Empty<Provider>(),
        OfMicro("this layer", BlockWays.Api),
    ];

    private static Provider OfMicro(string name, string way) =>
        new(
            name,
            PackageVersion.Of(typeof(SqliteConnection)),
            (path, questions) =>
            {
                var (connection, settings) = SqliteFile.Open(path, SqliteSettings.Normal);
                var statements = new StatementCache(connection);
                var contender = BlockWays.Open(way, questions, statements);
                return new OpenProvider(contender, connection.Scalar(ContenderSql.Version)!, settings, [statements, connection]);
            }
        );

    private static Func<string, BlockQuestions, OpenProvider> On(Func<BlockQuestions, SqliteConnection, BlockContender> make) =>
        (path, questions) =>
        {
            var (connection, settings) = SqliteFile.Open(path, SqliteSettings.Normal);
            return new OpenProvider(make(questions, connection), connection.Scalar(ContenderSql.Version)!, settings, [connection]);
        };

    private static OpenProvider OpenSystemData(string path, BlockQuestions questions)
    {
        var connection = new SQLiteConnection(new SQLiteConnectionStringBuilder { DataSource = path, Pooling = false }.ConnectionString);
        connection.Open();
        var settings = SqliteSettings.Apply(SqliteSettings.Normal, Scalar);
        return new OpenProvider(new ProviderContender(questions, connection), Scalar(ContenderSql.Version)!, settings, [connection]);

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
        return new OpenProvider(new SqliteNetContender(questions, connection), version, settings, [connection]);
    }
}
