// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Contenders;

/// <summary>What every contender on a SQLite file is set to: the preset <c>default</c> or <c>durable</c> of the layer.</summary>
internal static class SqliteSettings
{
    /// <summary>A power loss may drop the last commits; they need no flush.</summary>
    public const string Normal = "1";

    /// <summary>Every commit is flushed before it returns.</summary>
    public const string Full = "2";

    // With the value that is read back.
    private static readonly (string Pragma, string Value)[] s_all =
    [
        ("journal_mode", "wal"),
        ("cache_size", "-65536"),
        ("mmap_size", "67108864"),
        ("temp_store", "2"),
        ("busy_timeout", "10000"),
    ];

    /// <summary>Sets the pragmas of a connection and reads them back.</summary>
    /// <param name="synchronous"><see cref="Normal"/> or <see cref="Full"/>.</param>
    /// <param name="scalar">Runs a statement and gives the first value of the first row as text, null if there is none.</param>
    /// <exception cref="InvalidOperationException">One did not take.</exception>
    public static string Apply(string synchronous, Func<string, string?> scalar)
    {
        foreach (var (pragma, value) in All(synchronous))
            scalar($"PRAGMA {pragma}={value}");
        return ReadBack(synchronous, scalar);
    }

    /// <summary>Reads the pragmas of a connection.</summary>
    /// <returns>All of them as text.</returns>
    /// <exception cref="InvalidOperationException">One is not as it should be.</exception>
    public static string ReadBack(string synchronous, Func<string, string?> scalar)
    {
        foreach (var (pragma, value) in All(synchronous))
        {
            if (scalar($"PRAGMA {pragma}") is var actual && actual != value)
                throw new InvalidOperationException($"{pragma} is {actual}; it should be {value}.");
        }

        return string.Join(", ", All(synchronous).Select(x => $"{x.Pragma} {x.Value}"));
    }

    private static IEnumerable<(string Pragma, string Value)> All(string synchronous) => [.. s_all, ("synchronous", synchronous)];
}

/// <summary>Statements of several contenders.</summary>
internal static class ContenderSql
{
    /// <summary>Of the library that is loaded.</summary>
    internal const string Version = "SELECT sqlite_version()";

    /// <summary>A table of one b-tree: what a store of keys and values is.</summary>
    internal const string Create = """
        CREATE TABLE IF NOT EXISTS "Item" ("Hash" TEXT PRIMARY KEY, "Size" INTEGER NOT NULL, "Volume" INTEGER NOT NULL) WITHOUT ROWID
        """;

    internal const string Begin = "BEGIN";

    internal const string BeginWriting = "BEGIN IMMEDIATE";

    internal const string Commit = "COMMIT";

    internal const string Insert = """INSERT INTO "Item" ("Hash", "Size", "Volume") VALUES (@Hash, @Size, @Volume)""";

    /// <summary>The primary key.</summary>
    internal const string Find = """SELECT "Size", "Volume" FROM "Item" WHERE "Hash" = @Hash""";

    /// <summary>All of the table.</summary>
    internal const string Sum = """
        SELECT "Volume", count(*) AS "Count", sum("Size") AS "Size" FROM "Item" GROUP BY "Volume" ORDER BY "Volume"
        """;

    /// <summary>The last ids that there are.</summary>
    internal const string LastBlock = """SELECT max("ID") FROM "Block" """;

    internal const string LastBlockset = """SELECT max("ID") FROM "Blockset" """;

    /// <summary>Entries of new blocksets, by the primary key.</summary>
    internal const string ReadEntries = """
        SELECT "BlocksetID", "Index", "BlockID" FROM "BlocksetEntry" WHERE "BlocksetID" > @Id ORDER BY "BlocksetID", "Index"
        """;
}
