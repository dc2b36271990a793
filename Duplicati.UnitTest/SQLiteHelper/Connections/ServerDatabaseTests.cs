// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.SQLiteHelper.Decryption;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
[Contract("A 3.2 OpenDatabaseAsync")]
public class ServerDatabaseTests : ConnectionTestBase
{
    private const string LogId = "SQLiteRC4Decrypter";

    private string FilePath => Folder.File("server.sqlite");

    [Test]
    public async Task A_new_database_is_opened_without_the_pragma_list()
    {
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, null);

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
        Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("delete"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task A_plain_database_needs_no_password_and_ignores_one()
    {
        MakePlain();
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "secret");

        Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("7"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task An_encrypted_database_is_decrypted_in_place_with_a_warning()
    {
        MakePlain();
        RC4DecrypterTests.Encrypt(FilePath, 4096, "secret");
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "secret");

        Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("7"));
        Assert.That(Logged.WarningsAndErrors.Single().Level, Is.EqualTo(LogMessageType.Warning));
        Assert.That(Logged.Of(LogMessageType.Warning, LogId), Has.Count.EqualTo(1));
        Assert.That(Logged.Of(LogMessageType.Information, LogId), Has.Count.EqualTo(1));
    }

    [Test]
    public void A_wrong_password_is_told_to_the_user_and_leaves_the_file()
    {
        MakePlain();
        RC4DecrypterTests.Encrypt(FilePath, 4096, "secret");
        var before = File.ReadAllBytes(FilePath);
        using var connection = SQLiteLoader.LoadConnection();

        var error = Assert.ThrowsAsync<UserInformationException>(() => SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "wrong"));

        Assert.That(error.HelpID, Is.EqualTo("RC4DecryptionFailed"));
        Assert.That(error.InnerException, Is.Not.Null);
        Assert.That(Logged.Of(LogMessageType.Error, LogId), Has.Count.EqualTo(1));
        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(before));
    }

    [Test]
    public void A_journal_of_the_encrypted_database_is_told_to_the_user()
    {
        MakePlain();
        RC4DecrypterTests.Encrypt(FilePath, 4096, "secret");
        File.WriteAllText(FilePath + "-journal", "pages");
        using var connection = SQLiteLoader.LoadConnection();

        var error = Assert.ThrowsAsync<UserInformationException>(() => SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "secret"));

        Assert.That(error.HelpID, Is.EqualTo("RC4DecryptionFailed"));
        Assert.That(error.Message, Does.Contain(FilePath + "-journal"));
    }

    [TestCase(null)]
    [TestCase(" ")]
    public void An_encrypted_database_without_a_password_is_no_database(string? password)
    {
        MakePlain();
        RC4DecrypterTests.Encrypt(FilePath, 4096, "secret");
        var connection = SQLiteLoader.LoadConnection();

        Assert.That(() => SQLiteLoader.OpenDatabaseAsync(connection, FilePath, password), Refused.Engine(26));
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }

    [Test]
    public void A_missing_folder_is_an_error()
    {
        using var connection = SQLiteLoader.LoadConnection();
        Assert.That(
            () => SQLiteLoader.OpenDatabaseAsync(connection, Path.Combine(Folder.Path, "missing", "x.sqlite"), null),
            Refused.Engine(14)
        );
    }

    private void MakePlain()
    {
        using var connection = Databases.Open(FilePath);
        connection.Execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)");
    }
}
