// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;

namespace Duplicati.Tool.Cli;

/// <summary>How lists look as text: times in UTC, sizes in binary units, names on one line each.</summary>
internal static class ListText
{
    private const int ShortList = 10;

    /// <summary>A time in UTC; blank where it is not known.</summary>
    internal static string Time(DateTime? time) => time?.ToString("u", CultureInfo.InvariantCulture) ?? "";

    /// <summary>A size, or what has none.</summary>
    internal static string Size(string type, long size) => type == ListedEntry.File ? SizeText.Of(size) : type;

    /// <summary>Writes items, or the first few and how many more there are.</summary>
    internal static void Write<T>(TextWriter text, IReadOnlyCollection<T> items, bool full, Func<T, string> describe)
    {
        var shown = full ? items.Count : ShortList;
        foreach (var item in items.Take(shown))
            text.WriteLine($"  {describe(item)}");
        if (items.Count > shown)
            text.WriteLine($"  ... and {items.Count - shown} more (use --full-result to see all)");
    }

    /// <summary>Writes what a recreate has carried over from the database whose place it took.</summary>
    internal static void WriteCarried(TextWriter text, RecreateReport report)
    {
        foreach (var table in report.CarriedOver)
        {
            var lost = table.Unreadable > 0 ? $"; not readable: {SizeText.Count(table.Unreadable, "page or row", "pages or rows")}" : "";
            text.WriteLine($"  carried over: {SizeText.Count(table.Rows, "row")} of {table.Table}{lost}");
        }

        foreach (var time in report.LostVersions)
            text.WriteLine($"  not in the remote folder: the version of {Time(time)}");
        if (report.OldDatabase is { } old)
            text.WriteLine($"  kept: the database that was there, as {old}");
    }
}
