// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Making database objects in the three ways, and disposing them.</summary>
public sealed class LifetimeTests : LocalDatabaseTestBase
{
    private sealed class Derived : LocalDatabase
    {
        internal SqliteConnection ProtectedConnection => m_connection;

        internal Library.Main.Database.ReusableTransaction ProtectedTransaction => m_rtr;
    }

    [Test]
    [Contract("A 6.2 path form")]
    public async Task A_missing_folder_and_file_or_an_empty_one_become_a_full_database(
        [Values("a/b/new.sqlite", "empty.sqlite")] string name
    )
    {
        var path = OtherFile(name);
        if (!name.Contains('/', StringComparison.Ordinal))
            await File.WriteAllBytesAsync(path, []);
        using (await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default)) { }

        Assert.That(new FileInfo(path).Length, Is.Positive);
        using var connection = Databases.Open(path);
        Assert.That(connection.Scalar("SELECT (SELECT Version FROM Version) || (SELECT COUNT(*) FROM Fileset)"), Is.EqualTo("190"));
    }

    [Test]
    [Contract("A 6.2 path form")]
    public async Task A_file_that_cannot_be_read_is_a_format_error([Values("foreign", "damaged", "locked", "no number")] string kind)
    {
        using var busyTimeout = TestOptions.Waiting(-1, 50).Use();
        var path = OtherFile("unreadable.sqlite");
        using (await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default)) { }

        using var other = Databases.Open(path);
        var cause = Unreadable(kind, path, other);

        var error = Assert.ThrowsAsync<UserInformationException>(() =>
            LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default)
        )!;
        Assert.That((error.HelpID, (error.InnerException as SqliteException)?.SqliteErrorCode), Is.EqualTo(("DatabaseFormatError", cause)));
    }

    private static int? Unreadable(string kind, string path, SqliteConnection other)
    {
        switch (kind)
        {
            case "foreign":
                other.Close();
                File.WriteAllText(path, new string('x', 5000));
                return raw.SQLITE_NOTADB;
            case "damaged":
                other.Execute("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE nothing' WHERE name = 'Block'");
                return raw.SQLITE_CORRUPT;
            case "locked":
                other.Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE Version SET Version = Version");
                return raw.SQLITE_BUSY;
            default:
                other.Execute("CREATE TABLE DeferredIndex (Name, \"Table\", Sql); UPDATE Version SET Version = 'text'");
                return null;
        }
    }

    [Test]
    [Contract("A 6.2 root path")]
    public void The_root_of_a_file_system_is_no_database() =>
        Assert.That(
            () => LocalDatabase.CreateLocalDatabaseAsync(Path.GetPathRoot(Path.GetTempPath())!, "Test", true, null, default),
            Throws.TypeOf<DirectoryNotFoundException>()
        );

    [Test]
    [Contract("A 1.5 row 1")]
    [Contract("A 1.5 row 2")]
    [Contract("A 6.2 connection form")]
    public async Task A_new_operation_begins_now_and_is_recorded_with_the_first_commit()
    {
        Assert.That(Db.OperationTimestamp, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));
        Assert.That(Db.OperationTimestamp.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(Committed("SELECT COUNT(*) FROM Operation"), Is.EqualTo("0"));

        await Db.Transaction.CommitAsync(default);

        var seconds = new DateTimeOffset(Db.OperationTimestamp).ToUnixTimeSeconds();
        Assert.That(Committed("SELECT Description || Timestamp FROM Operation"), Is.EqualTo($"List{seconds}"));
    }

    [Test]
    [Contract("A 6.2 connection form")]
    public async Task Without_an_operation_the_latest_one_is_attached_to()
    {
        Execute("INSERT INTO Operation (ID, Description, Timestamp) VALUES (70, 'Late', 99999999999), (80, 'Early', 1000)");
        await Db.Transaction.CommitAsync(default);
        Db.Dispose();

        using var attached = await OpenAsync(null);
        await attached.LogMessageAsync("x", "y", null, default);

        Assert.That(attached.Connection.Scalar("SELECT OperationID FROM LogData"), Is.EqualTo("70"));
        Assert.That(attached.OperationTimestamp, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(99999999999)));
        Assert.That(attached.OperationTimestamp.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(attached.Connection.Scalar("SELECT COUNT(*) FROM Operation"), Is.EqualTo("3"));
    }

    [Test]
    [Contract("A 6.2 no operation")]
    public void Without_any_operation_there_is_nothing_to_attach_to() => Assert.That(() => OpenAsync(null), Throws.TypeOf<Exception>());

    [Test]
    [Contract("A 1.1 child")]
    [Contract("A 6.2 parent form")]
    public async Task A_child_shares_connection_transaction_and_operation_and_closes_nothing()
    {
        using (var child = (Derived)await LocalDatabase.CreateLocalDatabaseAsync(Db, new Derived(), default))
        {
            Assert.That(child.ProtectedConnection, Is.SameAs(Db.Connection));
            Assert.That(child.ProtectedTransaction, Is.SameAs(Db.Transaction));
            Assert.That(child.OperationTimestamp, Is.EqualTo(Db.OperationTimestamp));
            Assert.That(child.ShouldCloseConnection, Is.False);
            await child.SetDbOptionsAsync(new Dictionary<string, string> { ["a"] = "b" }, default);
        }

        Assert.That(await Db.GetDbOptionsAsync(default), Has.Count.EqualTo(1));
        await Db.Transaction.CommitAsync(default);
        Assert.That(Committed("SELECT (SELECT COUNT(*) FROM Operation) || (SELECT COUNT(*) FROM Configuration)"), Is.EqualTo("11"));
    }

    [Test]
    [Contract("A 6.2 no operation")]
    public async Task An_object_that_attaches_records_no_operation_of_one_before_it_on_the_connection()
    {
        await Db.CommitAsync(default);
        using var connection = new SqliteConnection($"Data Source={DatabasePath};Pooling=false");
        await using (var first = await LocalDatabase.CreateLocalDatabaseAsync(connection, "Backup", null, default))
            await first.Transaction.DisposeAsync();

        await using var second = await LocalDatabase.CreateLocalDatabaseAsync(connection, null, null, default);
        await second.CommitAsync(default);
        await second.Transaction.DisposeAsync();

        Assert.That(Committed("SELECT group_concat(Description) FROM Operation"), Is.EqualTo("List"));
    }

    [Test]
    [Contract("A 1.2 disposal")]
    [Contract("A 6.3 second call")]
    [Contract("A 6.3 file is free")]
    public async Task Disposal_rolls_back_frees_the_file_and_may_be_repeated()
    {
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["a"] = "b" }, default);

        Db.Dispose();
        await Db.DisposeAsync();

        Assert.That(Db.IsDisposed, Is.True);
        Assert.That(File.Exists(DatabasePath + "-wal"), Is.False);
        File.Move(DatabasePath, OtherFile("moved.sqlite"));
        File.Move(OtherFile("moved.sqlite"), DatabasePath);
        Assert.That(Committed("SELECT COUNT(*) FROM Configuration"), Is.EqualTo("0"));
    }

    [Test]
    public async Task Disposal_while_a_snapshot_is_half_read_is_no_error()
    {
        await Db.RegisterRemoteVolumeAsync("a", Library.Main.RemoteVolumeType.Blocks, Library.Main.RemoteVolumeState.Verified, default);
        var rows = Db.GetRemoteVolumesAsync(default).GetAsyncEnumerator(default);
        await rows.MoveNextAsync();

        Db.Dispose();

        Assert.That(rows.Current.Name, Is.EqualTo("a"));
        await rows.DisposeAsync();
    }

    [Test]
    [Contract("A 6.2 obsolete constructor")]
    public void The_old_constructor_throws()
    {
#pragma warning disable CS0618 // what is tested
        Assert.That(() => new LocalDatabase(_ignore1: null), Throws.TypeOf<NotImplementedException>());
#pragma warning restore CS0618
    }

    [TestCase(true)]
    [TestCase(false)]
    [Contract("A 6.3 DisposeAllFields")]
    public void All_fields_of_a_type_are_disposed_also_those_of_base_types(bool throwing)
    {
        var holder = new Holder();

        Assert.That(() => LocalDatabase.DisposeAllFields<MemoryStream>(holder, throwing), Throws.Nothing);

        Assert.That(holder.Disposed, Is.EqualTo((true, true)));
        Assert.That(
            () => LocalDatabase.DisposeAllFields<Throwing>(holder, throwing),
            throwing ? Throws.TypeOf<InvalidOperationException>() : Throws.Nothing
        );
    }

    [Test]
    [Contract("A 1.5 conversions")]
    [Contract("A 6.4 ParseFromEpochSeconds")]
    public void Seconds_are_read_as_utc_and_absurd_ones_refused()
    {
        Assert.That(LocalDatabase.ParseFromEpochSeconds(86400), Is.EqualTo(new DateTime(1970, 1, 2, 0, 0, 0, DateTimeKind.Utc)));
        Assert.That(LocalDatabase.ParseFromEpochSeconds(0).Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(() => LocalDatabase.ParseFromEpochSeconds(DateTime.UtcNow.Ticks), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    private class HolderBase
    {
        private readonly MemoryStream m_base = new();

        internal bool BaseDisposed => !m_base.CanRead;
    }

    private sealed class Holder : HolderBase
    {
        private readonly MemoryStream m_own = new();
        private readonly MemoryStream? m_missing = null;
        private readonly Throwing m_throwing = new();

        internal (bool Own, bool Base) Disposed => (!m_own.CanRead && m_missing is null && m_throwing is not null, BaseDisposed);
    }

    private sealed class Throwing : IDisposable
    {
        public void Dispose() => throw new InvalidOperationException("always");
    }
}
