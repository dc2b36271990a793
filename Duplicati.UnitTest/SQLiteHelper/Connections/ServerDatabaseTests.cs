// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
[Contract("A 3.2 OpenDatabaseAsync")]
public class ServerDatabaseTests
{
    private const string LogId = "SQLiteRC4Decrypter";
    private TempFolder m_folder = null!;
    private LogCapture m_log = null!;

    private string FilePath => Path.Combine(m_folder, "server.sqlite");

    [SetUp]
    public void SetUp()
    {
        m_folder = new TempFolder();
        m_log = new LogCapture();
    }

    [TearDown]
    public void TearDown()
    {
        m_log.Dispose();
        m_folder.Dispose();
    }

    [Test]
    public async Task A_new_database_is_opened_without_the_pragma_list()
    {
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, null);

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
        Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("delete"));
        Assert.That(m_log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task A_plain_database_needs_no_password_and_ignores_one()
    {
        MakePlain();
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "secret");

        Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("7"));
        Assert.That(m_log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task An_encrypted_database_is_decrypted_in_place_with_a_warning()
    {
        MakePlain();
        Encrypt("secret");
        using var connection = SQLiteLoader.LoadConnection();
        await SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "secret");

        Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("7"));
        Assert.That(m_log.WarningsAndErrors.Single().Level, Is.EqualTo(LogMessageType.Warning));
        Assert.That(m_log.Of(LogMessageType.Warning, LogId), Has.Count.EqualTo(1));
        Assert.That(m_log.Of(LogMessageType.Information, LogId), Has.Count.EqualTo(1));
    }

    [Test]
    public void A_wrong_password_is_told_to_the_user_and_leaves_the_file()
    {
        MakePlain();
        Encrypt("secret");
        var before = File.ReadAllBytes(FilePath);
        using var connection = SQLiteLoader.LoadConnection();

        var error = Assert.ThrowsAsync<UserInformationException>(() => SQLiteLoader.OpenDatabaseAsync(connection, FilePath, "wrong"));

        Assert.That(error.HelpID, Is.EqualTo("RC4DecryptionFailed"));
        Assert.That(error.InnerException, Is.Not.Null);
        Assert.That(m_log.Of(LogMessageType.Error, LogId), Has.Count.EqualTo(1));
        Assert.That(File.ReadAllBytes(FilePath), Is.EqualTo(before));
    }

    [TestCase(null)]
    [TestCase(" ")]
    public void An_encrypted_database_without_a_password_is_no_database(string? password)
    {
        MakePlain();
        Encrypt("secret");
        var connection = SQLiteLoader.LoadConnection();

        var error = Assert.ThrowsAsync<SqliteException>(() => SQLiteLoader.OpenDatabaseAsync(connection, FilePath, password));

        Assert.That(error.SqliteErrorCode, Is.EqualTo(26));
        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }

    [Test]
    public void A_missing_folder_is_an_error()
    {
        using var connection = SQLiteLoader.LoadConnection();
        var error = Assert.ThrowsAsync<SqliteException>(() =>
            SQLiteLoader.OpenDatabaseAsync(connection, Path.Combine(m_folder, "missing", "x.sqlite"), null)
        );
        Assert.That(error.SqliteErrorCode, Is.EqualTo(14));
    }

    private void MakePlain()
    {
        using var connection = new SqliteConnection($"Data Source={FilePath};Pooling=false");
        connection.Open();
        connection.Execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)");
    }

    // Each page on its own, as the old codec did.
    private void Encrypt(string password)
    {
        const int pageBytes = 4096;
#pragma warning disable CA5350 // the format is what it is
        var key = SHA1.HashData(Encoding.UTF8.GetBytes(password))[..16];
#pragma warning restore CA5350
        var content = File.ReadAllBytes(FilePath);
        for (var start = 0; start < content.Length; start += pageBytes)
            ApplyRc4(key, content.AsSpan(start, pageBytes));
        File.WriteAllBytes(FilePath, content);
    }

    private static void ApplyRc4(byte[] key, Span<byte> data)
    {
        var state = Enumerable.Range(0, 256).Select(value => (byte)value).ToArray();
        for (int i = 0, j = 0; i < 256; i++)
        {
            j = (j + state[i] + key[i % key.Length]) & 255;
            (state[i], state[j]) = (state[j], state[i]);
        }

        for (int n = 0, i = 0, j = 0; n < data.Length; n++)
        {
            i = (i + 1) & 255;
            j = (j + state[i]) & 255;
            (state[i], state[j]) = (state[j], state[i]);
            data[n] ^= state[(state[i] + state[j]) & 255];
        }
    }
}
