// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>What tests do with database files, beside whatever else has them open.</summary>
internal static class Databases
{
    /// <summary>Opens a file without any pragma, so that opening changes nothing.</summary>
    public static SqliteConnection Open(string path) => PlainConnection.Open(path);

    /// <summary>Opens a file, creates or upgrades it and closes it.</summary>
    public static void Upgrade(string path) => Upgrade(path, typeof(DatabaseSchemaMarker));

    /// <summary>As above, with another schema.</summary>
    public static void Upgrade(string path, Type marker)
    {
        using var connection = Open(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, marker);
    }

    /// <summary>The version in the version table.</summary>
    public static int VersionOf(string path) => int.Parse(Query(path, """SELECT MAX("Version") FROM "Version" """)!);

    /// <summary>First value of a statement.</summary>
    public static string? Query(string path, string sql)
    {
        using var connection = Open(path);
        return connection.Scalar(sql);
    }

    /// <summary>Runs a statement.</summary>
    public static void Execute(string path, string sql)
    {
        using var connection = Open(path);
        connection.Execute(sql);
    }

    /// <summary>Makes one of version 18 of one of version 19.</summary>
    public static void Downgrade(string path) =>
        Execute(path, """ALTER TABLE "Metadataset" DROP COLUMN "Content"; UPDATE "Version" SET "Version" = 18""");

    /// <summary>Overwrites the first page of a table or an index with zeros.</summary>
    public static void ZeroPage(string path, string tree)
    {
        var root = long.Parse(Query(path, $"SELECT \"rootpage\" FROM \"sqlite_master\" WHERE \"name\" = '{tree}'")!, null);
        using var file = new FileStream(path, FileMode.Open);
        file.Position = (root - 1) * 4096;
        file.Write(new byte[4096]);
    }

    /// <summary>Every page and every index is as it has to be.</summary>
    public static void AssertSound(string path, string when = "") =>
        Assert.That(Query(path, "PRAGMA integrity_check"), Is.EqualTo("ok"), when);

    /// <summary>Both hold the same, but for what a recreate cannot know, unless options say otherwise.</summary>
    public static void AssertEqual(string one, string other, string when = "", DumpComparisonOptions? options = null) =>
        Assert.That(
            DatabaseComparison.CompareDatabases(one, other, options ?? DumpComparisonOptions.Logical).Select(x => x.ToString()),
            Is.Empty,
            when
        );

    /// <summary>Makes indexes that are left out look like those of a process that is gone.</summary>
    public static void ForgetOwner(string path)
    {
        using var connection = Open(path);
        Assert.That(connection.Execute("""UPDATE "DeferredIndex" SET "Sql" = '1 5' WHERE "Name" = ''"""), Is.EqualTo(1));
    }

    /// <summary>Copies a file that a killed process has left, with its log: whoever opens the file itself completes it.</summary>
    public static void CopyKilled(string from, string to)
    {
        foreach (var beside in new[] { "", "-wal", "-journal" }.Where(x => File.Exists(from + x)))
            File.Copy(from + beside, to + beside);
    }

    /// <summary>The bytes of a file that others may have open.</summary>
    public static byte[] Read(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        var content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }

    /// <summary>Unpacks a database at an old version.</summary>
    /// <param name="name">E.g. "handmade-v05".</param>
    /// <param name="folder">Where to, as <c>old.sqlite</c>.</param>
    public static string UnpackOld(string name, string folder) => GoldenData.Unpack("old-schema", name + ".sqlite", folder, "old.sqlite");

    /// <summary>The version in the name of a database at an old version.</summary>
    public static int VersionIn(string name) => int.Parse(name[^2..]);

    /// <summary>
    /// The differences between a file and what real Duplicati makes of a database at an old version; no row of history may be lost either.
    /// </summary>
    public static IReadOnlyList<DumpDifference> DifferencesFromExpected(string path, string name)
    {
        // The command that upgraded the expected database also wrote a line to the log, so history is compared with what was there before.
        var actual = DatabaseDump.Load(path);
        var lost = GoldenData
            .Dump("old-schema", name + ".before.dump.json")
            .RowCounts.Where(x => x.Key is "operation" or "remoteoperation" or "logdata")
            .Where(x => actual.RowCounts[x.Key] != x.Value)
            .Select(x => new DumpDifference(DumpNames.RowCounts, $"{x.Key}={x.Value}", null));
        return [.. DatabaseComparison.Compare(GoldenData.Dump("old-schema", name + ".after-upgrade.dump.json"), actual), .. lost];
    }

    /// <summary>The copies beside a database.</summary>
    public static string[] SafetyCopies(TestFolder folder) =>
        [
            .. folder
                .Files()
                .Where(x => x.StartsWith("backup ", StringComparison.Ordinal) && x.EndsWith(".sqlite", StringComparison.Ordinal)),
        ];
}
