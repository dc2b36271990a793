// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Decryption;

namespace Duplicati.UnitTest.SQLiteHelper.Decryption;

[TestFixture]
[NonParallelizable]
public sealed class RC4DecrypterTests : FolderTestBase
{
    private const string PASSWORD = "pässword";

    [TestCase("0102030405", "b2396305f03dc027ccc3524a0a1118a8")]
    [TestCase("0102030405060708090a0b0c0d0e0f10", "9ac7cc9a609d1ef7b2932899cde41b97")]
    public void Cipher_gives_the_key_stream_of_the_published_vectors(string key, string stream)
    {
        var data = new byte[16];
        new Rc4Cipher(Convert.FromHexString(key)).Apply(data);
        Assert.That(Convert.ToHexStringLower(data), Is.EqualTo(stream));
    }

    [TestCase(512)]
    [TestCase(4096)]
    [TestCase(65536)]
    [Contract("A 3.6 DecryptSQLiteFile")]
    [Contract("A 13 Q14")]
    public void Encrypted_database_is_decrypted_in_place_and_kept_beside(int pageSize)
    {
        var path = MakeDatabase(pageSize);
        var plain = File.ReadAllBytes(path);
        var encrypted = Encrypt(path, pageSize);

        Assert.That(SQLiteRC4Decrypter.IsDatabaseEncrypted(path), Is.True);
        SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD);

        Assert.That(SQLiteRC4Decrypter.IsDatabaseEncrypted(path), Is.False);
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(plain));
        var kept = Folder.Files().Single(x => x.EndsWith(".bak", StringComparison.Ordinal));
        Assert.That(kept, Does.Match(@"^server\d{8}-\d{6}\.bak$"));
        Assert.That(File.ReadAllBytes(Folder.File(kept)), Is.EqualTo(encrypted));
        Assert.That(Folder.Files(), Has.Length.EqualTo(2));
    }

    [Test]
    public void The_decrypted_file_is_flushed_before_it_has_the_name_and_the_name_afterwards()
    {
        var path = MakeDatabase(4096);
        Encrypt(path, 4096);
        using var steps = new FileSteps().OfAll();
        SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD);
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.File, FileSteps.Folder }));
    }

    [Test]
    public void The_name_of_the_database_is_never_without_a_file()
    {
        var path = MakeDatabase(4096);
        var encrypted = Encrypt(path, 4096);
        var isOver = false;
        var missed = 0;
        var watch = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
                missed += File.Exists(path) ? 0 : 1;
        });
        watch.Start();
        for (var i = 0; i < 100; i++)
        {
            File.WriteAllBytes(Folder.File("new"), encrypted);
            File.Move(Folder.File("new"), path, overwrite: true);
            SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD);
            File.Delete(Folder.File(Folder.Files().Single(x => x.EndsWith(".bak", StringComparison.Ordinal))));
        }

        Volatile.Write(ref isOver, true);
        Wait.ForEnd(watch, "the thread that looks for the file");
        Assert.That(missed, Is.Zero);
    }

    [Test]
    public void Wrong_password_leaves_the_file_as_it_was()
    {
        var path = MakeDatabase(4096);
        var encrypted = Encrypt(path, 4096);
        Assert.That(() => SQLiteRC4Decrypter.DecryptSQLiteFile(path, "wrong"), Throws.TypeOf<Exception>());
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(encrypted));
        Assert.That(Folder.Files(), Has.Length.EqualTo(1));
    }

    [Test]
    public void A_database_with_a_journal_is_left_as_it_was()
    {
        var path = MakeDatabase(4096);
        var encrypted = Encrypt(path, 4096);
        File.WriteAllText(path + "-journal", "pages");

        Assert.That(
            () => SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD),
            Throws.TypeOf<Exception>().With.Message.Contains(path + "-journal")
        );

        Assert.That(File.ReadAllBytes(path), Is.EqualTo(encrypted));
        Assert.That(Folder.Files(), Is.EquivalentTo(["server.sqlite", "server.sqlite-journal"]));
    }

    [Test]
    public void An_empty_journal_does_not_matter()
    {
        var path = MakeDatabase(4096);
        Encrypt(path, 4096);
        File.WriteAllText(path + "-journal", "");

        SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD);

        Assert.That(SQLiteRC4Decrypter.IsDatabaseEncrypted(path), Is.False);
    }

    [TestCase(0)]
    [TestCase(16)]
    [TestCase(31)]
    [Contract("A 3.6 IsDatabaseEncrypted")]
    [Contract("A 13 Q24")]
    public void Too_short_file_counts_as_encrypted_and_cannot_be_decrypted(int length)
    {
        var path = Folder.File("short");
        File.WriteAllBytes(path, new byte[length]);
        Assert.That(SQLiteRC4Decrypter.IsDatabaseEncrypted(path), Is.True);
        Assert.That(() => SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD), Throws.TypeOf<EndOfStreamException>());
    }

    [Test]
    public void Missing_file_is_not_encrypted() => Assert.That(SQLiteRC4Decrypter.IsDatabaseEncrypted(Folder.File("none")), Is.False);

    [Test]
    public void Plain_database_is_left_alone()
    {
        var path = MakeDatabase(4096);
        SQLiteRC4Decrypter.DecryptSQLiteFile(path, PASSWORD);
        Assert.That(Folder.Files(), Is.EqualTo(["server.sqlite"]));
    }

    [Test]
    [Contract("A 1.9 DUPLICATI_DB_KEY")]
    [Contract("A 3.6 GetEncryptionPassword")]
    public void Option_wins_over_environment_over_the_built_in_password()
    {
        Dictionary<string, string> none = [];
        Dictionary<string, string> option = new() { ["server-encryption-key"] = "from option" };
        using (new EnvironmentVariable("DUPLICATI_DB_KEY", null))
            Assert.That(SQLiteRC4Decrypter.GetEncryptionPassword(none), Is.EqualTo("Duplicati_Key_42"));
        using (new EnvironmentVariable("DUPLICATI_DB_KEY", "from environment"))
        {
            Assert.That(SQLiteRC4Decrypter.GetEncryptionPassword(none), Is.EqualTo("from environment"));
            Assert.That(SQLiteRC4Decrypter.GetEncryptionPassword(option), Is.EqualTo("from option"));
        }
    }

    private string MakeDatabase(int pageSize)
    {
        var path = Folder.File("server.sqlite");
        using var connection = Databases.Open(path);
        connection.Execute($"PRAGMA page_size = {pageSize}");
        connection.Execute("CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(100000));");
        return path;
    }

    /// <summary>Encrypts as the old codec did; the cipher is its own inverse.</summary>
    internal static byte[] Encrypt(string path, int pageSize, string password = PASSWORD)
    {
#pragma warning disable CA5350 // the old codec used SHA-1
        var key = SHA1.HashData(Encoding.UTF8.GetBytes(password))[..16];
#pragma warning restore CA5350
        var data = File.ReadAllBytes(path);
        for (var offset = 0; offset < data.Length; offset += pageSize)
            new Rc4Cipher(key).Apply(data.AsSpan(offset, pageSize));
        File.WriteAllBytes(path, data);
        return data;
    }
}
