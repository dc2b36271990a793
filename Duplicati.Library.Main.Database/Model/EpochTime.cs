// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Model;

/// <summary>Times as the database stores them.</summary>
internal static class EpochTime
{
    /// <summary>The time in UTC that is this many seconds after the beginning of 1970.</summary>
    internal static DateTime FromSeconds(long seconds) => Library.Utility.Utility.EPOCH.AddSeconds(seconds);
}
