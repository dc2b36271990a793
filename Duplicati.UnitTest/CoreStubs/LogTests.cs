// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
[Contract("A 2 Logging")]
public class LogTests
{
    private const string TAG = "tag";

    [Test]
    public void Tag_of_a_type_is_its_namespace_and_name()
    {
        Assert.That(Log.LogTagFromType<LogTests>(), Is.EqualTo("Duplicati.UnitTest.CoreStubs.LogTests"));
        Assert.That(Log.LogTagFromType(typeof(Log)), Is.EqualTo("Duplicati.Library.Logging.Log"));
    }

    [Test]
    public void A_message_reaches_every_enclosing_scope()
    {
        using var outer = new LogCapture();
        using (var inner = new LogCapture())
        {
            Log.WriteInformationMessage(TAG, "one", "hello {0}", 1);
            Assert.That(inner.Entries.Select(x => x.FormattedMessage), Is.EqualTo(new[] { "hello 1" }));
        }
        Log.WriteInformationMessage(TAG, "two", "again");

        Assert.That(outer.Entries.Select(x => x.Id), Is.EqualTo(new[] { "one", "two" }));
    }

    [Test]
    public void An_entry_carries_level_tag_id_text_and_cause()
    {
        using var log = new LogCapture();
        var cause = new InvalidOperationException("why");
        Log.WriteErrorMessage(TAG, "id", cause, "text {0}", 2.5);

        var entry = log.Entries.Single();
        Assert.That(
            (entry.Level, entry.Tag, entry.Id, entry.Message, entry.FormattedMessage),
            Is.EqualTo((LogMessageType.Error, TAG, "id", "text {0}", "text 2.5"))
        );
        Assert.That(entry.Exception, Is.SameAs(cause));
    }

    [Test]
    public void Each_writer_has_its_level()
    {
        using var log = new LogCapture();
        Log.WriteExplicitMessage(TAG, "id", null, "m");
        Log.WriteProfilingMessage(TAG, "id", "m");
        Log.WriteVerboseMessage(TAG, "id", "m");
        Log.WriteVerboseMessage(TAG, "id", new InvalidOperationException(), "m");
        Log.WriteInformationMessage(TAG, "id", "m");
        Log.WriteWarningMessage(TAG, "id", null, "m");
        Log.WriteErrorMessage(TAG, "id", null, "m");

        Assert.That(
            log.Entries.Select(x => x.Level),
            Is.EqualTo(
                new[]
                {
                    LogMessageType.ExplicitOnly,
                    LogMessageType.Profiling,
                    LogMessageType.Verbose,
                    LogMessageType.Verbose,
                    LogMessageType.Information,
                    LogMessageType.Warning,
                    LogMessageType.Error,
                }
            )
        );
        Assert.That(log.Entries.Select(x => (int)x.Level), Is.Ordered, "levels rise with importance");
    }

    [Test]
    public void A_filter_keeps_messages_out_of_its_scope()
    {
        var kept = new List<string?>();
        using (Log.StartScope(x => kept.Add(x.Id), x => x.Level >= LogMessageType.Warning))
        {
            Log.WriteInformationMessage(TAG, "low", "m");
            Log.WriteWarningMessage(TAG, "high", null, "m");
        }
        Assert.That(kept, Is.EqualTo(new[] { "high" }));
    }

    [Test]
    public void A_message_that_is_not_read_is_not_formatted()
    {
        var counter = new FormatCounter();
        using (Log.StartScope(_ => { }))
            Log.WriteVerboseMessage(TAG, "id", "{0}", counter);
        Assert.That(counter.Count, Is.Zero);
    }

    [Test]
    public void Braces_in_a_text_do_not_fail_the_writer()
    {
        using var log = new LogCapture();
        Log.WriteWarningMessage(TAG, "id", null, "{not a hole} {0}", 7);
        Assert.That(log.Entries.Single().FormattedMessage, Does.Contain("7"));
    }

    [Test]
    public async Task A_scope_flows_into_tasks_and_ends_for_them_too()
    {
        var ended = new TaskCompletionSource();
        Task late;
        using var log = new LogCapture();
        using (var scope = new LogCapture())
        {
            await Task.Run(() => Log.WriteInformationMessage(TAG, "inside", "m"));
            late = Task.Run(async () =>
            {
                await ended.Task;
                Log.WriteInformationMessage(TAG, "after", "m");
            });
            Assert.That(scope.Entries.Select(x => x.Id), Is.EqualTo(new[] { "inside" }));
            scope.Dispose();
            ended.SetResult();
            await late;
            Assert.That(scope.Entries, Has.Count.EqualTo(1));
        }
        Assert.That(log.WithId("after"), Has.Count.EqualTo(1), "the outer scope is still there for the task");
    }

    [Test]
    public void A_timer_writes_two_profiling_messages_with_its_id()
    {
        using var log = new LogCapture();
        var timer = new Library.Logging.Timer(TAG, "id", "work");
        timer.Dispose();
        timer.Dispose();

        Assert.That(
            log.Entries.Select(x => (x.Level, x.Tag, x.Id)),
            Is.EqualTo(
                new[] { (LogMessageType.Profiling, "Timer.Begin-tag", "id"), (LogMessageType.Profiling, "Timer.Finished-tag", "id") }
            )
        );
        Assert.That(log.Entries.Select(x => x.FormattedMessage), Has.All.Contains("work"));
    }

    [Test]
    public void A_timer_may_have_no_id()
    {
        using var log = new LogCapture();
        using (new Library.Logging.Timer(TAG, null, "work"))
            Assert.That(log.Entries.Single().Id, Is.Null);
    }

    private sealed class FormatCounter
    {
        internal int Count { get; private set; }

        public override string ToString()
        {
            Count++;
            return "";
        }
    }
}
