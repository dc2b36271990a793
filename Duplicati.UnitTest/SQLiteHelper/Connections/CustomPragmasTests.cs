// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class CustomPragmasTests : ConnectionTestBase
{
    private const string LogId = "CustomSQLiteOption";

    [Test]
    [Contract("A 1.9 CUSTOMSQLITEOPTIONS_DUPLICATI")]
    public void The_environment_overrides_and_extends_the_preset()
    {
        using var connection = Open(" Cache_Size = -1000 ;; no equal sign; secure_delete=ON;temp_store='FILE'");

        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-1000"));
        Assert.That(connection.Pragma("temp_store"), Is.EqualTo("1"));
        Assert.That(connection.Pragma("secure_delete"), Is.EqualTo("1"));
        Assert.That(connection.Pragma("synchronous"), Is.EqualTo("1"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void The_environment_wins_over_a_preset_in_force()
    {
        using var scope = ConnectionPreset.Use("durable");
        using var connection = Open("synchronous=OFF");
        Assert.That(connection.Pragma("synchronous"), Is.EqualTo("0"));
    }

    [Test]
    public void The_page_size_takes_effect_although_the_journal_mode_comes_before_it()
    {
        using var connection = Open("page_size=16384");
        connection.Execute("CREATE TABLE t (x)");
        Assert.That(connection.Pragma("page_size"), Is.EqualTo("16384"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void The_last_of_two_values_for_a_name_counts()
    {
        using var connection = Open("cache_size=-1000;CACHE_SIZE=-2000");
        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-2000"));
    }

    [Test]
    [Contract("A 3.2 failing pragma")]
    public void What_does_not_take_is_one_warning_that_names_all_of_it_and_the_rest_goes_on()
    {
        using var connection = Open("shared_cache=true;synchronous=BANANA;threads=32;mmap_size=1;DROP TABLE x=1;cache_size=-1000");

        var warning = Logged.WarningsAndErrors.Single();
        Assert.That(warning.Level, Is.EqualTo(LogMessageType.Warning));
        Assert.That(warning.Id, Is.EqualTo(LogId));
        Assert.That(
            warning.FormattedMessage,
            Does.Contain("shared_cache=true")
                .And.Contain("synchronous=BANANA")
                .And.Contain("threads=32 (it is 8)")
                .And.Contain("drop table x=1")
        );
        Assert.That(warning.FormattedMessage, Does.Not.Contain("mmap_size").And.Not.Contain("cache_size"));
        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-1000"));
    }

    [TestCase("synchronous=\"FULL\"", "synchronous", "2")]
    [TestCase("synchronous='extra'", "synchronous", "3")]
    [TestCase("journal_mode=\"WAL\"", "journal_mode", "wal")]
    [TestCase("journal_mode=\"TRUNCATE\"", "journal_mode", "truncate")]
    [TestCase("mmap_size=0x1000000", "mmap_size", "16777216")]
    [TestCase("mmap_size=\"0X1000000\"", "mmap_size", "16777216")]
    [TestCase("mmap_size='4096'", "mmap_size", "4096")]
    [TestCase("cache_size=0x1f", "cache_size", "31")]
    [TestCase("cache_size=\"-1000\"", "cache_size", "-1000")]
    [TestCase("busy_timeout=0x64", "busy_timeout", "100")]
    [TestCase("wal_autocheckpoint=0x10", "wal_autocheckpoint", "16")]
    [TestCase("journal_size_limit=0x7fffffffffffffff", "journal_size_limit", "9223372036854775807")]
    [TestCase("threads=0x2", "threads", "2")]
    [TestCase("analysis_limit=0xff", "analysis_limit", "255")]
    [TestCase("secure_delete=\"ON\"", "secure_delete", "1")]
    public void A_value_may_be_in_quotes_of_either_kind_and_a_number_hexadecimal(string entry, string name, string value)
    {
        using var connection = Open(entry);
        Assert.That(connection.Pragma(name), Is.EqualTo(value));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [TestCase("synchronous=\"FU\"LL\"")]
    [TestCase("synchronous=\"FULL'")]
    [TestCase("synchronous=\"")]
    [TestCase("synchronous=\"\"")]
    [TestCase("mmap_size=-0x10")]
    [TestCase("mmap_size=0x")]
    [TestCase("mmap_size=0xg")]
    [TestCase("mmap_size=0x-1")]
    [TestCase("mmap_size=0x 1")]
    [TestCase("mmap_size=0xffffffffffffffff")]
    [TestCase("secure_delete=\"ON\" x\"")]
    [Contract("A 3.2 failing pragma")]
    public void What_is_neither_is_named_in_the_warning(string entry)
    {
        using var connection = Open(entry);
        Assert.That(Logged.WarningsAndErrors.Single().FormattedMessage, Does.Contain(entry));
    }

    [Test]
    public void A_word_that_SQLite_would_take_for_the_unsafe_one_is_not_let_through()
    {
        using var connection = Open("synchronous=BANANA");
        Assert.That(connection.Pragma("synchronous"), Is.EqualTo("2"), "SQLite's own value, FULL");
    }

    [Test]
    public void Every_pragma_is_logged_verbosely_with_its_reason()
    {
        using var connection = Open(null);
        var messages = Logged.Of(LogMessageType.Verbose, LogId).Select(entry => entry.FormattedMessage).ToArray();

        Assert.That(messages, Has.Length.EqualTo(ConnectionPreset.Default.Pragmas.Count));
        foreach (var pragma in ConnectionPreset.Default.Pragmas)
            Assert.That(messages, Has.One.Contains(pragma.ToString()).And.One.Contains(pragma.Reason));
    }

    [Test]
    [Contract("A 1.1 busy timeout")]
    [Contract("A 3.2 ApplyCustomPragmasAsync")]
    public async Task The_pragmas_can_be_applied_to_a_connection_opened_elsewhere()
    {
        await using var connection = Databases.Open(Folder.File("local.sqlite"));
        using var scope = ConnectionPreset.Use("small");

        Assert.That(await SQLiteLoader.ApplyCustomPragmasAsync(connection), Is.SameAs(connection));
        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-4096"));
        Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
    }

    [Test]
    public void Pragmas_need_an_open_connection()
    {
        using var connection = new SqliteConnection();
        Assert.ThrowsAsync<InvalidOperationException>(() => SQLiteLoader.ApplyCustomPragmasAsync(connection));
    }

    [Test]
    public async Task A_read_only_database_that_is_in_order_is_no_problem()
    {
        var path = Folder.File("local.sqlite");
        using (var writer = SQLiteLoader.LoadConnection(path))
            writer.Execute("CREATE TABLE t (x); CREATE INDEX i ON t (x); INSERT INTO t VALUES (1)");

        await using var reader = new SqliteConnection($"Data Source={path};Mode=ReadOnly;Pooling=false");
        reader.Open();
        await SQLiteLoader.ApplyCustomPragmasAsync(reader);

        Assert.That(reader.Scalar("SELECT x FROM t"), Is.EqualTo("1"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public async Task A_read_only_database_that_cannot_change_its_journal_is_one_warning()
    {
        var path = Folder.File("local.sqlite");
        using (var scope = ConnectionPreset.Use("stock"))
        using (var writer = SQLiteLoader.LoadConnection(path))
            writer.Execute("CREATE TABLE t (x)");

        await using var reader = new SqliteConnection($"Data Source={path};Mode=ReadOnly;Pooling=false");
        reader.Open();
        await SQLiteLoader.ApplyCustomPragmasAsync(reader);

        Assert.That(Logged.WarningsAndErrors.Single().FormattedMessage, Does.Contain("journal_mode=WAL"));
        Assert.That(reader.Pragma("cache_size"), Is.EqualTo("-65536"));
    }

    [TestCase("Data Source=:memory:")]
    [TestCase("Data Source=shared;Mode=Memory")]
    public async Task A_database_in_memory_has_no_use_for_a_journal_and_that_is_no_warning(string connectionString)
    {
        await using var connection = new SqliteConnection(connectionString);
        connection.Open();
        await SQLiteLoader.ApplyCustomPragmasAsync(connection);

        Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("memory"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    private SqliteConnection Open(string? custom)
    {
        using var variable = new EnvironmentVariable("CUSTOMSQLITEOPTIONS_DUPLICATI", custom);
        return SQLiteLoader.LoadConnection(Folder.File("local.sqlite"));
    }
}
