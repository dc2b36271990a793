// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Diagnostics.Metrics;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.UnitTest.Support;

/// <summary>Listens to the meter and the activities of the data layer until it is disposed.</summary>
internal sealed class FigureCapture : IDisposable
{
    private readonly Lock m_lock = new();
    private readonly List<(Instrument Instrument, double Value, string Attributes)> m_figures = [];
    private readonly List<Activity> m_activities = [];
    private readonly MeterListener m_meters = new();
    private readonly ActivityListener m_listener;

    /// <summary>Begins to listen; <paramref name="onStart"/> is called for each activity, on the thread that begins it.</summary>
    internal FigureCapture(Action<Activity>? onStart = null)
    {
        m_meters.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == DatabaseInstruments.SourceName)
                listener.EnableMeasurementEvents(instrument);
        };
        m_meters.SetMeasurementEventCallback<long>((instrument, value, attributes, _) => Keep(instrument, value, attributes));
        m_meters.SetMeasurementEventCallback<double>((instrument, value, attributes, _) => Keep(instrument, value, attributes));
        m_meters.Start();
        m_listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == DatabaseInstruments.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStarted = onStart,
            ActivityStopped = activity =>
            {
                lock (m_lock)
                    m_activities.Add(activity);
            },
        };
        ActivitySource.AddActivityListener(m_listener);
    }

    /// <summary>The activities that have ended.</summary>
    internal IReadOnlyList<Activity> Activities
    {
        get
        {
            lock (m_lock)
                return [.. m_activities];
        }
    }

    /// <summary>The units of the instruments that measured something, by their names.</summary>
    internal IReadOnlyDictionary<string, string?> Units
    {
        get
        {
            lock (m_lock)
                return m_figures.Select(x => x.Instrument).Distinct().ToDictionary(x => x.Name, x => x.Unit, StringComparer.Ordinal);
        }
    }

    /// <summary>The measurements of an instrument whose attributes hold all of these, written as name=value.</summary>
    internal IReadOnlyList<double> Of(string name, params string[] attributes)
    {
        lock (m_lock)
            return
            [
                .. m_figures
                    .Where(x => x.Instrument.Name == name && attributes.All(a => x.Attributes.Contains($" {a} ", StringComparison.Ordinal)))
                    .Select(x => x.Value),
            ];
    }

    /// <summary>The sum of <see cref="Of"/>.</summary>
    internal double Sum(string name, params string[] attributes) => Of(name, attributes).Sum();

    /// <summary>What a gauge says now of these attributes, written as name=value.</summary>
    internal double Ask(string name, params string[] attributes)
    {
        m_meters.RecordObservableInstruments();
        return Of(name, attributes)[^1];
    }

    public void Dispose()
    {
        m_meters.Dispose();
        m_listener.Dispose();
    }

    private void Keep(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        var text = $" {string.Join(' ', attributes.ToArray().Select(x => $"{x.Key}={x.Value}"))} ";
        lock (m_lock)
            m_figures.Add((instrument, value, text));
    }
}
