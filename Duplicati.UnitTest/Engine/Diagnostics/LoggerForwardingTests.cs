// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Diagnostics;
using Duplicati.Library.Logging;
using Microsoft.Extensions.Logging;

namespace Duplicati.UnitTest.Engine.Diagnostics;

/// <summary>A program that hosts the engine gets its messages through its own logging.</summary>
[TestFixture]
internal sealed class LoggerForwardingTests
{
    [Test]
    public void Each_message_reaches_the_logger_of_its_tag_with_level_id_arguments_and_cause()
    {
        using var factory = new Factory(LogLevel.Trace);
        var cause = new InvalidOperationException("why");
        using (LoggerForwarding.Start(factory))
            Log.WriteWarningMessage("Some.Tag", "SomeId", cause, "{0} of {1}", 3, "five");
        Log.WriteWarningMessage("Some.Tag", "Later", null, "not any more");

        var line = factory.Lines.Single();
        Assert.That(
            (line.Category, line.Level, line.Event.Name, line.Text, line.Error),
            Is.EqualTo(("Some.Tag", LogLevel.Warning, "SomeId", "3 of five", (Exception)cause))
        );
        Assert.That(
            line.State,
            Is.EqualTo(new KeyValuePair<string, object?>[] { new("0", 3), new("1", "five"), new("{OriginalFormat}", "{0} of {1}") })
        );
    }

    [Test]
    public void A_message_that_nobody_wants_is_not_put_together()
    {
        using var factory = new Factory(LogLevel.Information);
        using var scope = LoggerForwarding.Start(factory);
        Log.WriteVerboseMessage("Tag", "Id", "{0}", new Unprintable());
        Log.WriteInformationMessage("Tag", "Id", "told");

        Assert.That(factory.Lines.Select(x => (x.Category, x.Text)), Is.EqualTo(new[] { ("Tag", "told") }));
    }

    [TestCase(LogMessageType.ExplicitOnly, LogLevel.Trace)]
    [TestCase(LogMessageType.Profiling, LogLevel.Trace)]
    [TestCase(LogMessageType.Verbose, LogLevel.Debug)]
    [TestCase(LogMessageType.Retry, LogLevel.Information)]
    [TestCase(LogMessageType.Information, LogLevel.Information)]
    [TestCase(LogMessageType.DryRun, LogLevel.Information)]
    [TestCase(LogMessageType.Warning, LogLevel.Warning)]
    [TestCase(LogMessageType.Error, LogLevel.Error)]
    [TestCase(LogMessageType.Disabled, LogLevel.None)]
    public void A_level_becomes_the_one_of_the_same_meaning(LogMessageType type, LogLevel level) =>
        Assert.That(LoggerForwarding.LevelOf(type), Is.EqualTo(level));

    [Test]
    public void Progress_is_written_with_its_importance()
    {
        using var factory = new Factory(LogLevel.Trace);
        var progress = new LoggerProgress(factory.CreateLogger("backup"));
        progress.Message("message");
        progress.Working("file");
        progress.Warning("careful");
        progress.Advance("Reading", 1, 2);

        Assert.That(
            factory.Lines.Select(x => (x.Level, x.Text)),
            Is.EqualTo(
                new[]
                {
                    (LogLevel.Information, "message"),
                    (LogLevel.Debug, "file"),
                    (LogLevel.Warning, "careful"),
                    (LogLevel.Trace, "Reading: 1 of 2"),
                }
            )
        );
    }

    private sealed record Line(string Category, LogLevel Level, EventId Event, string Text, Exception? Error, object? State);

    private sealed class Factory(LogLevel least) : ILoggerFactory
    {
        internal List<Line> Lines { get; } = [];

        public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public void Dispose() { }

        internal bool Wants(LogLevel level) => level >= least;
    }

    private sealed class Logger(Factory factory, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => factory.Wants(logLevel);

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter
        )
        {
            if (IsEnabled(logLevel))
                factory.Lines.Add(new Line(category, logLevel, eventId, formatter(state, exception), exception, state));
        }
    }

    private sealed class Unprintable
    {
        public override string ToString() => throw new InvalidOperationException("nobody asked");
    }
}
