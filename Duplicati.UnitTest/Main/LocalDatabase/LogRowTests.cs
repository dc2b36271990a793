// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class LogRowTests : LocalDatabaseTestBase
{
    [Test]
    [Contract("A 1.5 row 5")]
    [Contract("A 6.11 LogMessageAsync")]
    [Contract("A 12 row 16")]
    public async Task A_message_is_stored_with_operation_second_and_the_text_of_its_exception()
    {
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        await Db.LogMessageAsync("Warning", "it's \"odd\" %", new InvalidOperationException("why"), default);

        Assert.That(Scalar("SELECT Type || Message FROM LogData"), Is.EqualTo("Warningit's \"odd\" %"));
        Assert.That(Scalar("SELECT Exception FROM LogData"), Does.Contain("InvalidOperationException").And.Contain("why"));
        Assert.That(
            Scalar($"SELECT Timestamp - {now} BETWEEN 0 AND 300 AND OperationID = (SELECT MAX(ID) FROM Operation) FROM LogData"),
            Is.EqualTo("1")
        );
    }

    [Test]
    [Contract("A 1.7 RemoteOperation.Data")]
    [Contract("A 6.11 LogRemoteOperationAsync")]
    public async Task A_remote_operation_keeps_its_data_as_text()
    {
        await Db.LogRemoteOperationAsync("put", "name", "{}", default);
        await Db.LogRemoteOperationAsync("get", "name", null, default);

        Assert.That(
            Scalar("SELECT group_concat(Operation || Path || typeof(Data)) FROM RemoteOperation"),
            Is.EqualTo("putnametext,getnamenull")
        );
    }

    [Test]
    [Contract("A 6.11 WriteResultsAndCommitAsync")]
    public async Task A_result_is_stored_as_json_with_an_end_time_and_committed()
    {
        var result = new BackupResults();

        await Db.WriteResultsAndCommitAsync(result, default);

        Assert.That(result.EndTime.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(result.EndTime, Is.EqualTo(DateTime.UtcNow).Within(TimeSpan.FromMinutes(5)));
        Assert.That(Committed("SELECT Type FROM LogData WHERE Message LIKE '%AddedFiles%'"), Is.EqualTo("Result"));
    }

    [Test]
    public async Task An_end_time_that_is_set_stays()
    {
        var end = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);
        var result = new BackupResults { EndTime = end };

        await Db.WriteResultsAndCommitAsync(result, default);

        Assert.That(result.EndTime, Is.EqualTo(end));
    }

    [Test]
    [Contract("A 6.11 WriteResultsAndCommitAsync")]
    public async Task Writing_a_result_after_disposal_does_nothing()
    {
        Db.Dispose();

        await Db.WriteResultsAndCommitAsync(new BackupResults(), default);

        Assert.That(Committed("SELECT COUNT(*) FROM LogData"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.11 PurgeLogDataAsync")]
    public async Task Old_messages_and_remote_operations_are_purged_and_operations_kept()
    {
        await Db.LogMessageAsync("Information", "new", null, default);
        await Db.LogRemoteOperationAsync("put", "new", null, default);
        Execute(
            "INSERT INTO LogData (OperationID, Timestamp, Type, Message) VALUES (1, 5, 'x', 'old'); INSERT INTO RemoteOperation (OperationID, Timestamp, Operation, Path) VALUES (1, 5, 'x', 'old')"
        );

        await Db.PurgeLogDataAsync(DateTime.UtcNow.AddDays(-1), default);

        Assert.That(
            Committed(
                "SELECT (SELECT group_concat(Message) FROM LogData) || (SELECT group_concat(Path) FROM RemoteOperation) || (SELECT COUNT(*) FROM Operation)"
            ),
            Is.EqualTo("newnew1")
        );
    }

    [Test]
    [Contract("A 6.11 VacuumAsync")]
    public async Task A_vacuum_shrinks_the_file_and_empties_the_log_file()
    {
        for (var i = 0; i < 200; i++)
            await Db.LogMessageAsync("x", new string('x', 4000), null, default);
        await Db.Transaction.CommitAsync(default);
        await Db.Session.ShortAsync(session => session.Execute("DELETE FROM LogData"), default);
        await Db.Transaction.CommitAsync(null, false, default);

        await Db.VacuumAsync(default);

        Assert.That(new FileInfo(DatabasePath).Length, Is.LessThan(500_000));
        Assert.That(new FileInfo(DatabasePath + "-wal") is { Exists: true, Length: > 0 }, Is.False);
        Db.Dispose();
        Assert.That(File.Exists(DatabasePath + "-wal"), Is.False);
    }

    [Test]
    [Contract("A 1.2 vacuum")]
    public void A_vacuum_inside_a_transaction_fails() =>
        Assert.That(() => Db.VacuumAsync(default), Throws.TypeOf<Microsoft.Data.Sqlite.SqliteException>());
}
