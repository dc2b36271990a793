// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics.Metrics;
using System.Text.Json;

namespace Duplicati.Tool.Diagnostics;

/// <summary>One instrument and all that it measured. Not thread-safe.</summary>
internal sealed class MetricSeries(Instrument instrument)
{
    private static readonly double[] s_bounds = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000];

    private readonly Dictionary<string, MetricPoint> m_points = new(StringComparer.Ordinal);
    private readonly IReadOnlyList<double>? m_bounds = BoundsOf(instrument);

    /// <summary>The instrument's name.</summary>
    internal string Name => instrument.Name;

    /// <summary>Adds a measurement.</summary>
    internal void Add(double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes)
    {
        var sorted = attributes.ToArray();
        Array.Sort(sorted, static (x, y) => string.CompareOrdinal(x.Key, y.Key));
        var key = string.Join('\n', sorted.Select(x => $"{x.Key}={x.Value}"));
        if (!m_points.TryGetValue(key, out var point))
            m_points.Add(key, point = new MetricPoint(sorted, m_bounds));
        point.Add(value);
    }

    /// <summary>Writes the instrument and its points as an object.</summary>
    internal void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("name", instrument.Name);
        json.WriteString(
            "kind",
            m_bounds is not null ? "histogram"
                : instrument.IsObservable ? "gauge"
                : "counter"
        );
        json.WriteString("unit", instrument.Unit);
        json.WriteString("description", instrument.Description);
        json.WriteStartArray("points");
        foreach (var (_, point) in m_points.OrderBy(x => x.Key, StringComparer.Ordinal))
            point.Write(json, instrument.IsObservable);
        json.WriteEndArray();
        json.WriteEndObject();
    }

    // Those that the instrument advises, or OpenTelemetry's usual ones.
    private static IReadOnlyList<double>? BoundsOf(Instrument instrument) =>
        instrument switch
        {
            Histogram<double> histogram => histogram.Advice?.HistogramBucketBoundaries ?? s_bounds,
            Histogram<long> histogram => histogram.Advice?.HistogramBucketBoundaries?.Select(x => (double)x).ToArray() ?? s_bounds,
            _ => null,
        };
}
