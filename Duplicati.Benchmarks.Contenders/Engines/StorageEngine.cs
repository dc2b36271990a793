// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Dapper;
using DuckDB.NET.Data;
using Duplicati.Library.SQLiteHelper;
using LiteDB;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>A store that one may keep rows in.</summary>
/// <param name="Name">Head of its column.</param>
/// <param name="IsSqlite">Whether SQLite keeps the data.</param>
/// <param name="Package">Version of the package.</param>
/// <param name="Open">Opens a file, which is made if it is missing.</param>
internal sealed record StorageEngine(string Name, bool IsSqlite, string Package, Func<string, IEngine> Open)
{
    /// <summary>SQLite by hand; the baseline.</summary>
    public const string ByHand = "SQLite by hand";

    /// <summary>SQLite through Dapper.</summary>
    public const string WithDapper = "SQLite, Dapper";

    /// <summary>SQLite through this repository's library.</summary>
    public const string Concurrent = nameof(ConcurrentDatabase);

    /// <summary>All of them.</summary>
    public static IReadOnlyList<StorageEngine> All { get; } =
    [
        new(ByHand, true, PackageVersion.Of(typeof(SqliteConnection)), path => new ByHandEngine(path)),
        new(WithDapper, true, PackageVersion.Of(typeof(SqlMapper)), path => new DapperEngine(path)),
        new(Concurrent, true, PackageVersion.Of(typeof(ConcurrentDatabase)), path => new ConcurrentEngine(path)),
        new("LiteDB", false, PackageVersion.Of(typeof(LiteDatabase)), path => new LiteEngine(path)),
        new("DuckDB", false, PackageVersion.Of(typeof(DuckDBConnection)), path => new DuckEngine(path)),
    ];
}
