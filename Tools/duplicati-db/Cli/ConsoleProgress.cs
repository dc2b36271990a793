// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Tool.Diagnostics;

namespace Duplicati.Tool.Cli;

/// <summary>How much is told on the error stream, and where else.</summary>
/// <param name="Quiet">Warnings and errors only.</param>
/// <param name="Verbose">A line for each file, too.</param>
/// <param name="LogFile">Takes everything, with times in UTC; null for none.</param>
/// <param name="Width">Columns of the terminal; 0 if the stream is none.</param>
internal sealed record ProgressOutput(bool Quiet, bool Verbose, TextWriter? LogFile, Func<int> Width);

/// <summary>
/// Progress on the error stream: on a terminal one line that is rewritten and goes away before other text, elsewhere a plain line every
/// ten seconds. Thread-safe. No colours are used. Closes the log file.
/// </summary>
internal sealed class ConsoleProgress(TextWriter error, ProgressOutput options, TimeProvider time) : IEngineProgress, IDisposable
{
    // What is advised comes to one command in the end.
    private const int MostAdvice = 1000;

    private static readonly TimeSpan s_rewritten = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_repeated = TimeSpan.FromSeconds(10);

    private readonly Lock m_lock = new();
    private readonly ProgressLine m_line = new(time);
    private readonly List<string> m_advice = [];
    private StepReached? m_step;
    private long m_lastShown = time.GetTimestamp();
    private int m_shownLength;
    private bool m_isLogBroken;

    public void Message(string text) => Write(text, !options.Quiet);

    public void Working(string text)
    {
        lock (m_lock)
            m_line.Item = SafeText.Line(text);
        Write(text, options.Verbose && !options.Quiet);
    }

    public void Warning(string text)
    {
        lock (m_lock)
        {
            if (m_advice.Count < MostAdvice && text.Contains('`', StringComparison.Ordinal))
                m_advice.Add(text);
        }

        Write($"Warning: {text}", isShown: true);
    }

    public void Reached(StepReached step) => Volatile.Write(ref m_step, step);

    /// <summary>How far the operation has come; null if it has told nothing.</summary>
    internal StepReached? Step => Volatile.Read(ref m_step);

    /// <summary>Warnings that name a command.</summary>
    internal IReadOnlyList<string> Advice
    {
        get
        {
            lock (m_lock)
                return [.. m_advice];
        }
    }

    public void Advance(string phase, long done, long total)
    {
        lock (m_lock)
        {
            m_line.Advance(phase, done, total);
            var width = options.Width();
            if (options.Quiet || time.GetElapsedTime(m_lastShown) < (width > 0 ? s_rewritten : s_repeated))
                return;

            m_lastShown = time.GetTimestamp();
            if (width > 0)
                Rewrite(m_line.Text(width - 1));
            else
                error.WriteLine(m_line.Text(int.MaxValue));
        }
    }

    /// <summary>Removes the progress line, so that other text can follow.</summary>
    internal void Clear()
    {
        lock (m_lock)
        {
            if (m_shownLength == 0)
                return;

            error.Write('\r' + new string(' ', m_shownLength) + '\r');
            m_shownLength = 0;
        }
    }

    public void Dispose()
    {
        lock (m_lock)
            Log(static file => file.Dispose());
        Clear();
    }

    // Told once, and no reason to end what is told of.
    private void Log(Action<TextWriter> write)
    {
        if (options.LogFile is not { } file || MessageWriter.Try(() => write(file)) is not { } failure || m_isLogBroken)
            return;

        m_isLogBroken = true;
        Warning($"The log file is not complete: {failure.Message}");
    }

    private void Rewrite(string text)
    {
        error.Write('\r' + text.PadRight(m_shownLength));
        m_shownLength = text.Length;
    }

    private void Write(string text, bool isShown)
    {
        text = SafeText.Line(text);
        lock (m_lock)
        {
            Log(file => file.WriteLine(time.GetUtcNow().ToString(RecordingFile.LogTime, CultureInfo.InvariantCulture) + text));
            if (!isShown)
                return;

            Clear();
            error.WriteLine(text);
        }
    }
}
