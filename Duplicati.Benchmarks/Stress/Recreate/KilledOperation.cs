// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What one operation of a history does, so that it can be done in this process or another.</summary>
/// <param name="Name">backup, delete, compact, purge or recreate.</param>
/// <param name="Texts">The source of a backup, the pattern of a purge.</param>
/// <param name="Versions">Versions of a deletion or a purge, 0 = newest.</param>
internal sealed record StressWork(string Name, IReadOnlyList<string> Texts, IReadOnlyList<long> Versions)
{
    public const string Backup = "backup";
    public const string Delete = "delete";
    public const string Compact = "compact";
    public const string Purge = "purge";
    public const string Recreate = "recreate";

    /// <summary>Does it.</summary>
    public Task RunAsync(EngineOptions options, IEngineProgress progress, CancellationToken token) =>
        Name switch
        {
            Backup => new BackupOperation(options, progress).RunAsync(Texts, token),
            Delete => new DeleteOperation(options, progress).RunAsync([.. Versions], false, token),
            Compact => new CompactOperation(options with { CompactThreshold = 1, SmallFileMaxCount = 1 }, progress).RunAsync(token),
            Purge => new PurgeOperation(options, progress).RunAsync([.. Texts], [.. Versions], token),
            Recreate => new RecreateOperation(options, progress).RunAsync(token),
            _ => throw new ArgumentException($"There is no operation {Name}.", nameof(token)),
        };
}

/// <summary>An operation in a process of its own.</summary>
/// <param name="Work">What it does.</param>
/// <param name="Options">What it works on.</param>
/// <param name="KillAfter">After how many events it kills itself.</param>
/// <param name="DelayMilliseconds">How much later than the event.</param>
internal sealed record KillRequest(StressWork Work, EngineOptions Options, int KillAfter, int DelayMilliseconds);

/// <summary>How it ended.</summary>
/// <param name="WasKilled">False if it went to its end before.</param>
/// <param name="Failure">What it failed with.</param>
internal sealed record KillEnd(bool WasKilled, string? Failure);

/// <summary>
/// Runs an operation that kills itself, as <c>kill -9</c> does. Events are what the data layer measures and what the operation tells: the
/// same number is about the same moment when a cycle is repeated, which a time is not.
/// </summary>
internal sealed class KilledOperation : IEngineProgress
{
    /// <summary>The first word of its command line; the second is the file with the request.</summary>
    public const string Command = "stress-operation";

    private const int Failed = 3;
    private const int Done = 0;

    private readonly KillRequest m_request;
    private int m_events;

    private KilledOperation(KillRequest request) => m_request = request;

    /// <summary>Runs it as a process, and waits for its end.</summary>
    /// <param name="request">What to do.</param>
    /// <param name="folder">Takes the request and what the process leaves among the temporary files.</param>
    /// <param name="token">Kills it as well.</param>
    public static async Task<KillEnd> StartAsync(KillRequest request, string folder, CancellationToken token)
    {
        var file = Path.Combine(folder, "request.json");
        await File.WriteAllTextAsync(file, JsonSerializer.Serialize(request), token);
        var start = ThisProgram.Start(Command, file);
        foreach (var variable in (string[])["TMPDIR", "TMP", "TEMP"])
            start.Environment[variable] = Directory.CreateDirectory(Path.Combine(folder, "temporary")).FullName;
        var end = await RunProgram.ToEndAsync(start, "", null, token);
        var text = string.Join(' ', end.Lines);
        return end.Result?.ExitCode switch
        {
            Done => new KillEnd(false, null),
            Failed => new KillEnd(false, text),
            _ when text.Length > 0 => new KillEnd(false, $"{end.Text}: {text}"),
            _ => new KillEnd(true, null),
        };
    }

    /// <summary>Is the process.</summary>
    public static async Task<int> RunAsync(string file)
    {
        var request = JsonSerializer.Deserialize<KillRequest>(await File.ReadAllTextAsync(file))!;
        var operation = new KilledOperation(request);
        using var listener = operation.Listen();
        try
        {
            await request.Work.RunAsync(request.Options, operation, default);
            return Done;
        }
        catch (UserInformationException ex)
        {
            await Console.Error.WriteLineAsync($"{ex.HelpID}: {ex.Message}");
            return Failed;
        }
    }

    /// <inheritdoc/>
    public void Message(string text) => Count();

    /// <inheritdoc/>
    public void Warning(string text) => Count();

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total) => Count();

    private MeterListener Listen()
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == DatabaseInstruments.SourceName)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, _, _) => Count());
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => Count());
        listener.Start();
        return listener;
    }

    private void Count()
    {
        if (Interlocked.Increment(ref m_events) != m_request.KillAfter)
            return;
        var killing = new Thread(() =>
        {
            var clock = Stopwatch.StartNew();
            SpinWait.SpinUntil(() => clock.ElapsedMilliseconds >= m_request.DelayMilliseconds);
            Process.GetCurrentProcess().Kill();
        });
        killing.Start();
        if (m_request.DelayMilliseconds == 0)
            killing.Join();
    }
}
