// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;

namespace Duplicati.Tool.Diagnostics;

/// <summary>What one instrument measured with one set of attributes.</summary>
/// <param name="attributes">Sorted by name.</param>
/// <param name="bounds">Upper bounds of the buckets of a histogram, each one included; null for what is no histogram.</param>
internal sealed class MetricPoint(IReadOnlyList<KeyValuePair<string, object?>> attributes, IReadOnlyList<double>? bounds)
{
    private readonly long[] m_buckets = bounds is null ? [] : new long[bounds.Count + 1];
    private long m_count;
    private double m_sum;
    private double m_last;
    private double m_least = double.PositiveInfinity;
    private double m_most = double.NegativeInfinity;

    /// <summary>Adds a measurement.</summary>
    internal void Add(double value)
    {
        m_count++;
        m_sum += value;
        m_last = value;
        m_least = Math.Min(m_least, value);
        m_most = Math.Max(m_most, value);
        if (bounds is null)
            return;

        var bucket = 0;
        while (bucket < bounds.Count && value > bounds[bucket])
            bucket++;
        m_buckets[bucket]++;
    }

    /// <summary>
    /// Writes the point as an object: of a counter its sum, of a gauge the last value and the largest, of a histogram everything.
    /// </summary>
    internal void Write(Utf8JsonWriter json, bool isGauge)
    {
        json.WriteStartObject();
        json.WriteStartObject("attributes");
        foreach (var (name, value) in attributes)
            json.WriteString(name, Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture));
        json.WriteEndObject();
        if (bounds is not null)
        {
            WriteHistogram(json);
        }
        else
        {
            json.WriteNumber("value", isGauge ? m_last : m_sum);
            if (isGauge)
                json.WriteNumber("max", m_most);
        }

        json.WriteEndObject();
    }

    private void WriteHistogram(Utf8JsonWriter json)
    {
        json.WriteNumber("count", m_count);
        json.WriteNumber("sum", m_sum);
        json.WriteNumber("min", m_least);
        json.WriteNumber("max", m_most);
        json.WriteStartArray("bounds");
        foreach (var bound in bounds!)
            json.WriteNumberValue(bound);
        json.WriteEndArray();
        json.WriteStartArray("buckets");
        foreach (var count in m_buckets)
            json.WriteNumberValue(count);
        json.WriteEndArray();
    }
}
