// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics.Metrics;
using System.Text.Json;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// <c>--metrics FILE</c>: adds up what the data layer measures, and writes it as JSON when the command has ended, however it has.
/// </summary>
/// <remarks>Gauges are asked for each second, so that the largest value is about right. Thread-safe.</remarks>
internal sealed class MetricsFile : IDisposable
{
    /// <summary>The first bytes of each such file.</summary>
    internal const string Beginning = "{\n  \"duplicati-db\": \"metrics\"";

    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);

    private readonly Lock m_lock = new();
    private readonly Dictionary<Instrument, MetricSeries> m_series = [];
    private readonly DateTime m_start = DateTime.UtcNow;
    private readonly FileStream m_file;
    private readonly string m_command;
    private readonly MeterListener m_listener;
    private readonly Timer m_timer;

    /// <summary>Begins to listen.</summary>
    /// <param name="file">Where to write; belongs to this object.</param>
    /// <param name="command">The name of the command.</param>
    internal MetricsFile(FileStream file, string command)
    {
        m_file = file;
        m_command = command;
        m_listener = new MeterListener { InstrumentPublished = Publish };
        m_listener.SetMeasurementEventCallback<long>((instrument, value, attributes, _) => Add(instrument, value, attributes));
        m_listener.SetMeasurementEventCallback<double>((instrument, value, attributes, _) => Add(instrument, value, attributes));
        m_listener.Start();
        m_timer = new Timer(_ => m_listener.RecordObservableInstruments(), null, s_period, s_period);
    }

    /// <summary>Stops listening and writes the file.</summary>
    /// <exception cref="IOException">There is no space left, or the file cannot be written any more.</exception>
    internal void Finish(int exitCode)
    {
        m_listener.RecordObservableInstruments();
        m_listener.Dispose();
        using var json = new Utf8JsonWriter(m_file, new JsonWriterOptions { Indented = true, NewLine = "\n" });
        json.WriteStartObject();
        json.WriteString("duplicati-db", "metrics");
        json.WriteString("command", m_command);
        json.WriteNumber("exitCode", exitCode);
        json.WriteString("start", m_start);
        json.WriteNumber("seconds", (DateTime.UtcNow - m_start).TotalSeconds);
        json.WriteStartArray("instruments");
        lock (m_lock)
        {
            foreach (var series in m_series.Values.OrderBy(x => x.Name, StringComparer.Ordinal))
                series.Write(json);
        }

        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        m_file.Flush();
    }

    public void Dispose()
    {
        m_timer.Dispose();
        m_listener.Dispose();
        m_file.Dispose();
    }

    private void Publish(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name != DatabaseInstruments.SourceName)
            return;

        lock (m_lock)
            m_series.TryAdd(instrument, new MetricSeries(instrument));
        listener.EnableMeasurementEvents(instrument);
    }

    private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        lock (m_lock)
            m_series[instrument].Add(value, attributes);
    }
}
