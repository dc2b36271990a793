// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// What a program that knows nothing of indexes that are left out makes of a database: it takes versions up to 19, and needs the tables and
/// indexes of that.
/// </summary>
internal static class ReleaseBefore
{
    private const string List = """SELECT "type" || ' ' || "name" FROM "sqlite_master" WHERE "name" NOT GLOB 'sqlite_*' ORDER BY 1""";
    private const int Newest = 19;

    /// <summary>The tables, indexes and views of version 19.</summary>
    internal static IReadOnlyList<string> Schema { get; } = Fresh();

    /// <summary>True if it opens the file; false if it refuses it as newer.</summary>
    internal static bool Opens(string path)
    {
        using var connection = Databases.Open(path);
        return Version(connection) <= Newest;
    }

    /// <summary>True if nothing was ever written to the file: it makes its tables.</summary>
    internal static bool IsEmpty(string path)
    {
        using var connection = Databases.Open(path);
        return Objects(connection).Count == 0;
    }

    internal static long Version(SqliteConnection connection) =>
        long.Parse(connection.Scalar("""SELECT MAX("Version") FROM "Version" """)!);

    /// <summary>Tables, indexes and views, sorted.</summary>
    internal static List<string> Objects(SqliteConnection connection)
    {
        var names = connection.Lines(List).ToList();
        // What an unfinished recreate goes on from, which nobody else looks at.
        names.RemoveAll(x => x.StartsWith("table Recreate", StringComparison.Ordinal));
        return names;
    }

    /// <summary>The file is new and empty, or refused by it, or all it needs is there.</summary>
    /// <returns>True if it is refused.</returns>
    internal static bool AssertRefusesOrFindsAll(SqliteConnection connection)
    {
        var objects = Objects(connection);
        if (objects.Count == 0)
            return false;

        if (Version(connection) <= Newest)
        {
            Assert.That(objects, Is.EqualTo(Schema));
            return false;
        }

        Assert.That(Version(connection), Is.EqualTo(1000 + Newest));
        Assert.That(objects, Does.Contain("table DeferredIndex"));
        Assert.That(objects.Except(Schema), Is.EqualTo(new[] { "table DeferredIndex" }));
        return true;
    }

    /// <summary>As above, of a file.</summary>
    internal static bool AssertRefusesOrFindsAll(string path)
    {
        using var connection = Databases.Open(path);
        return AssertRefusesOrFindsAll(connection);
    }

    private static List<string> Fresh()
    {
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        DatabaseUpgrader.UpgradeDatabase(connection, "", typeof(DatabaseSchemaMarker));
        return Objects(connection);
    }
}
