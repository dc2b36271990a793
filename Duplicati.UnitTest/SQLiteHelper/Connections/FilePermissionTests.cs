// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
[Platform("Unix")]
[UnsupportedOSPlatform("windows")]
public class FilePermissionTests : FolderTestBase
{
    private const UnixFileMode OnlyUser = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode AllRead = OnlyUser | UnixFileMode.GroupRead | UnixFileMode.OtherRead;
    private const string Allow = "DUPLICATI__ALLOW_INSECURE_DATAFOLDER";

    private string FilePath => Folder.File("local.sqlite");

    [Test]
    [Contract("A 3.2 opening a file")]
    public void A_new_database_its_log_and_the_index_of_the_log_are_for_the_current_user_only()
    {
        using var connection = SQLiteLoader.LoadConnection(FilePath);
        connection.Execute("CREATE TABLE t (x)");

        foreach (var file in new[] { FilePath, FilePath + "-wal", FilePath + "-shm" })
            Assert.That(File.GetUnixFileMode(file), Is.EqualTo(OnlyUser), file);
    }

    [TestCase(null, OnlyUser)]
    [TestCase("1", AllRead)]
    [Contract("A 1.9 allow-insecure-datafolder")]
    [Contract("A 3.2 opening a file")]
    public void An_existing_database_is_restricted_unless_the_user_allows_others(string? allow, UnixFileMode expected)
    {
        using var variable = new EnvironmentVariable(Allow, allow);
        File.WriteAllBytes(FilePath, []);
        File.SetUnixFileMode(FilePath, AllRead);

        using (SQLiteLoader.LoadConnection(FilePath))
            Assert.That(File.GetUnixFileMode(FilePath), Is.EqualTo(expected));
    }

    [Test]
    public void A_new_database_is_restricted_even_if_the_user_allows_others()
    {
        using var variable = new EnvironmentVariable(Allow, "1");
        using (SQLiteLoader.LoadConnection(FilePath))
            Assert.That(File.GetUnixFileMode(FilePath), Is.EqualTo(OnlyUser));
    }
}
