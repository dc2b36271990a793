// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>Times as text in round-trip form, which sorts like the times if all are in UTC.</summary>
internal static class SyncTime
{
    /// <summary>A time as it is stored, in UTC; a time of unspecified kind is taken to be local.</summary>
    internal static string ToText(DateTime time) => ToTextUnchanged(time.ToUniversalTime());

    /// <summary>A time that is stored as it is.</summary>
    internal static string ToTextUnchanged(DateTime time) => time.ToString("O", CultureInfo.InvariantCulture);

    /// <summary>A stored time, in UTC; without a zone it is taken to be in UTC.</summary>
    internal static DateTime Parse(string text) =>
        DateTime.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal);
}
