// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class TemporaryFilesTests : FolderTestBase
{
    [Test]
    [Contract("A 1.9 TMPDIR")]
    [Contract("A 3.2 LoadConnectionAsync()")]
    public void The_environment_names_the_temp_folder()
    {
        using var own = new EnvironmentVariable("SQLITE_TMPDIR", " ");
        using var tmpdir = new EnvironmentVariable("TMPDIR", Environment.GetEnvironmentVariable("TMPDIR"));
        using var tmp = new EnvironmentVariable(
            "TMP",
            OperatingSystem.IsWindows() ? Environment.GetEnvironmentVariable("TMP") : "elsewhere"
        );
        using var temp = new EnvironmentVariable(
            "TEMP",
            OperatingSystem.IsWindows() ? Environment.GetEnvironmentVariable("TEMP") : "elsewhere"
        );
        var expected = TempFolder.SystemTempPath;

        SQLiteLoader.LoadConnection().Dispose();

        foreach (var name in new[] { "SQLITE_TMPDIR", "TMPDIR", "TMP", "TEMP" })
            Assert.That(Environment.GetEnvironmentVariable(name), Is.EqualTo(expected), name);
    }

    [Test]
    [Contract("A 1.9 SQLITE_TMPDIR")]
    public async Task A_folder_that_the_user_chose_for_SQLite_stays()
    {
        using var own = new EnvironmentVariable("SQLITE_TMPDIR", "/somewhere");
        using var tmp = new EnvironmentVariable("TMP", Environment.GetEnvironmentVariable("TMP"));
        using var temp = new EnvironmentVariable("TEMP", Environment.GetEnvironmentVariable("TEMP"));
        using var tmpdir = new EnvironmentVariable("TMPDIR", Environment.GetEnvironmentVariable("TMPDIR"));

        (await SQLiteLoader.LoadConnectionAsync()).Dispose();

        Assert.That(Environment.GetEnvironmentVariable("SQLITE_TMPDIR"), Is.EqualTo("/somewhere"));
    }

    [Test]
    [Platform("Linux")]
    public void The_engine_follows_when_the_folder_changes()
    {
        var chosen = Folder.File("chosen");
        Directory.CreateDirectory(chosen);
        try
        {
            using var own = new EnvironmentVariable("SQLITE_TMPDIR", chosen);
            using var connection = SQLiteLoader.LoadConnection(Folder.File("local.sqlite"));
            connection.Execute("PRAGMA temp_store=FILE; PRAGMA cache_size=10; CREATE TEMP TABLE big (data BLOB)");
            connection.Execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO big SELECT zeroblob(100000) FROM n"
            );

            var open = Directory.GetFiles("/proc/self/fd").Select(link => new FileInfo(link).LinkTarget).OfType<string>();
            Assert.That(open, Has.Some.StartsWith(Path.Combine(chosen, "etilqs_")));
        }
        finally
        {
            SQLiteLoader.LoadConnection().Dispose();
        }
    }
}
