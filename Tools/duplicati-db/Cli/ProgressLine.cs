// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>How far one phase of an operation is, as one line: units done of all, percent, rate, time left, and the file at hand.</summary>
/// <remarks>Not thread-safe. Times come from the given source, so that tests need not wait.</remarks>
internal sealed class ProgressLine(TimeProvider time)
{
    // A rate of the first moments says nothing.
    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(2);

    private string m_phase = "";
    private long m_started;
    private long m_first;
    private long m_done;
    private long m_total;

    /// <summary>The file at hand; empty if none was named.</summary>
    internal string Item { get; set; } = "";

    /// <summary>Takes over where the operation is.</summary>
    internal void Advance(string phase, long done, long total)
    {
        if (phase != m_phase)
        {
            (m_phase, m_started, m_first) = (phase, time.GetTimestamp(), done);
        }

        (m_done, m_total) = (done, total);
    }

    /// <summary>The line, cut to a number of characters; the file at hand goes first when there is too little room.</summary>
    internal string Text(int width)
    {
        var text = $"{m_phase}: {Amount(m_done)}";
        if (m_total > 0)
            text += $" of {Amount(m_total)} ({m_done * 100 / m_total} %)";
        var elapsed = time.GetElapsedTime(m_started);
        if (elapsed >= s_shortest && m_done > m_first)
        {
            var rate = (m_done - m_first) / elapsed.TotalSeconds;
            text += IsBytes ? $", {SizeText.Of((long)rate)}/s" : string.Create(CultureInfo.InvariantCulture, $", {rate:0.#}/s");
            if (m_total > m_done)
                text += $", {Duration(TimeSpan.FromSeconds((m_total - m_done) / rate))} left";
        }

        if (Item.Length > 0 && text.Length + 2 < width)
            text += $"  {Item}";
        return text.Length > width ? text[..width] : text;
    }

    private bool IsBytes => m_phase == "bytes";

    private string Amount(long number) => IsBytes ? SizeText.Of(number) : number.ToString(CultureInfo.InvariantCulture);

    private static string Duration(TimeSpan span) =>
        span.TotalHours >= 1
            ? string.Create(CultureInfo.InvariantCulture, $"{(long)span.TotalHours}:{span.Minutes:00}:{span.Seconds:00}")
            : string.Create(CultureInfo.InvariantCulture, $"{span.Minutes}:{span.Seconds:00}");
}
