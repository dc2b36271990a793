// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Configuration;

/// <summary>How much a test may read: a share of all bytes, so many bytes, or one of several parts that are all volumes together.</summary>
public sealed record ReadData
{
    private ReadData() { }

    private double? Percent { get; init; }

    private long? Bytes { get; init; }

    private int Part { get; init; }

    private int Parts { get; init; }

    /// <summary>Reads <c>10%</c>, <c>5GB</c>, or <c>3/7</c>.</summary>
    /// <exception cref="FormatException">The text is none of these.</exception>
    public static ReadData Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var slash = text.IndexOf('/', StringComparison.Ordinal);
        if (slash > 0 && Number(text[..slash]) is { } part && Number(text[(slash + 1)..]) is { } parts && part <= parts)
            return new ReadData { Part = part, Parts = parts };
        if (
            text.EndsWith('%')
            && double.TryParse(text[..^1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var percent)
            && percent is > 0 and <= 100
        )
            return new ReadData { Percent = percent };
        try
        {
            if (text.Length > 0 && char.IsAsciiLetter(text[^1]) && Sizer.ParseSize(text, "b") is > 0 and var bytes)
                return new ReadData { Bytes = bytes };
        }
        catch (Exception ex) when (ex is ArgumentException or FormatException or OverflowException or InvalidOperationException)
        {
            // As what is not a size.
        }

        throw new FormatException($"{text} is not a part of the volumes; write 10%, 5GB, or 3/7 for the third of seven parts.");
    }

    /// <summary>
    /// The volumes to read, in their order: a budget takes them from the beginning as long as they fit, but one at least; a part takes
    /// those that fall to it by their names, so that each volume is in the same part every time.
    /// </summary>
    internal List<T> Choose<T>(IReadOnlyList<T> volumes, Func<T, string> name, Func<T, long> size)
    {
        if (Parts > 0)
            return [.. volumes.Where(x => PartOf(name(x)) == Part)];

        var budget = Bytes ?? (long)Math.Ceiling(volumes.Sum(size) * (Percent!.Value / 100));
        var read = 0L;
        return [.. volumes.TakeWhile((x, number) => (read += size(x)) <= budget || number == 0)];
    }

    private int PartOf(string name) => 1 + (int)(BitConverter.ToUInt64(SHA256.HashData(Encoding.UTF8.GetBytes(name))) % (ulong)Parts);

    private static int? Number(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0 ? number : null;
}

/// <summary>How much a test may do.</summary>
public sealed record TestBudget
{
    /// <summary>How much it may read; null for as many volumes of each kind as are asked for.</summary>
    public ReadData? ReadData { get; init; }

    /// <summary>After how long no further volume is begun; null for never.</summary>
    public TimeSpan? MaxDuration { get; init; }

    /// <summary>Only index volumes.</summary>
    public bool IndexOnly { get; init; }

    /// <summary>Tells the time.</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;
}
