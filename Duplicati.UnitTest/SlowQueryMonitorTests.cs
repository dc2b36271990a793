// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest;

[TestFixture]
public class SlowQueryMonitorTests
{
    private const string DETECTED = "SlowQueryDetected";
    private static readonly TimeSpan s_threshold = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Test]
    [Contract("A 5.8 threshold")]
    public void A_threshold_below_a_second_turns_monitoring_off()
    {
        using var log = new LogCapture();
        using var monitor = SlowQueryMonitor.StartMonitoring(TimeSpan.FromMilliseconds(999));
        using var command = new SqliteCommand("SELECT 1");

        Assert.That(monitor, Is.Null);
        Assert.That(SlowQueryMonitor.StartQuery(command, "x"), Is.Null);
        Assert.That(log.WithId("TooLowQueryThreshold").Single().Level, Is.EqualTo(LogMessageType.Information));
    }

    [Test]
    public void Without_a_monitor_nothing_is_registered()
    {
        using var command = new SqliteCommand("SELECT 1");
        Assert.That(SlowQueryMonitor.StartQuery(command, "x"), Is.Null);
    }

    [Test]
    [Contract("A 5.8 AsyncLocal")]
    public async Task Monitoring_flows_into_tasks_and_ends_with_its_disposal()
    {
        using var command = new SqliteCommand("SELECT 1");
        using (var monitor = SlowQueryMonitor.StartMonitoring(s_threshold))
        {
            Assert.That(monitor, Is.Not.Null);
            using var query = await Task.Run(() => SlowQueryMonitor.StartQuery(command, "x"));
            Assert.That(query, Is.Not.Null);
        }
        Assert.That(SlowQueryMonitor.StartQuery(command, "x"), Is.Null);
    }

    [Test]
    [Contract("A 5.8 SlowQueryDetected")]
    [Contract("A 12 row 3")]
    [Contract("A 1.9 long-database-query-threshold")]
    public async Task A_monitored_call_that_runs_too_long_is_reported_with_its_text_and_values()
    {
        using var reported = new ManualResetEventSlim();
        using var log = new LogCapture(x => SetOn(x, reported));
        using var db = new TestConnection();
        db.Connection.CreateFunction("wait_for_report", () => reported.Wait(s_patience));
        using var monitor = SlowQueryMonitor.StartMonitoring(s_threshold);
        using var command = db.Connection.CreateCommand("SELECT wait_for_report(), @Name AS \"slow one\"").SetParameterValue("@Name", "v");

        await using (var reader = await command.ExecuteReaderAsync(writeLog: false, CancellationToken.None))
            Assert.That(reader.Read(), Is.True);

        var warning = log.WithId(DETECTED)[0];
        Assert.That((warning.Level, warning.Tag), Is.EqualTo((LogMessageType.Warning, "Duplicati.Library.Main.Database.SlowQueryMonitor")));
        Assert.That(warning.FormattedMessage, Does.Contain("slow one").And.Contain("\"v\"").And.Contain("ExecuteReader"));
    }

    [Test]
    [Contract("A 5.8 again")]
    public void A_query_that_keeps_running_is_reported_again()
    {
        using var twice = new CountdownEvent(2);
        using var log = new LogCapture(x => Signal(x, twice));
        using var monitor = SlowQueryMonitor.StartMonitoring(s_threshold);
        using var command = new SqliteCommand("SELECT 'still running'");
        using (SlowQueryMonitor.StartQuery(command, "x"))
            Assert.That(twice.Wait(s_patience), Is.True);
    }

    [Test]
    [Contract("A 5.8 provider")]
    [Contract("A 5.11 performance sensitive")]
    [Contract("A 12 row 3")]
    public void The_providers_own_call_and_the_performance_sensitive_ones_are_not_reported()
    {
        using var reported = new ManualResetEventSlim();
        using var log = new LogCapture(x => SetOn(x, reported));
        using var db = new TestConnection();
        db.Connection.CreateFunction("wait_for_report", () => reported.Wait(s_patience));
        using var monitor = SlowQueryMonitor.StartMonitoring(s_threshold);
        using var marker = new SqliteCommand("SELECT 'marker'");
        using var bare = db.Connection.CreateCommand("SELECT 'bare', wait_for_report()");

        // The marker is what gets reported, while the other statement runs just as long beside it.
        using (SlowQueryMonitor.StartQuery(marker, "marker"))
            bare.ExecuteScalar();
        reported.Reset();
        using (SlowQueryMonitor.StartQuery(marker, "marker"))
            Assert.That(bare.ExecuteNonQueryPerformanceSensitiveAsync(false, CancellationToken.None).IsCompletedSuccessfully, Is.True);

        Assert.That(log.WithId(DETECTED), Is.Not.Empty);
        Assert.That(log.WithId(DETECTED).Select(x => x.FormattedMessage), Has.None.Contains("bare"));
    }

    [Test]
    [Contract("A 5.8 placeholder")]
    public void A_command_that_cannot_be_read_any_more_gets_a_placeholder()
    {
        using var reported = new ManualResetEventSlim();
        using var log = new LogCapture(x => SetOn(x, reported));
        using var monitor = SlowQueryMonitor.StartMonitoring(s_threshold);
        using var query = SlowQueryMonitor.StartQuery(new DisposedCommand(), "the call");

        Assert.That(reported.Wait(s_patience), Is.True);
        Assert.That(log.WithId(DETECTED)[0].FormattedMessage, Does.Contain("the call").And.Contain("ended"));
        Assert.That(log.WithId("SlowQueryMonitorError"), Is.Empty);
    }

    private static void SetOn(LogEntry entry, ManualResetEventSlim reported)
    {
        if (entry.Id == DETECTED)
            reported.Set();
    }

    private static void Signal(LogEntry entry, CountdownEvent reports)
    {
        if (entry.Id == DETECTED && !reports.IsSet)
            reports.Signal();
    }

    private sealed class DisposedCommand : SqliteCommand
    {
        [System.Diagnostics.CodeAnalysis.AllowNull]
        public override string CommandText
        {
            get => throw new ObjectDisposedException("command");
            set => throw new ObjectDisposedException("command");
        }
    }
}
