// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database.Model;

/// <summary>Times as the database stores them.</summary>
internal static class EpochTime
{
    /// <summary>The time in UTC that is this many seconds after the beginning of 1970.</summary>
    internal static DateTime FromSeconds(long seconds) => Library.Utility.Utility.EPOCH.AddSeconds(seconds);
}

/// <summary>Blockset ids of entries without content; they name no row of table Blockset.</summary>
internal static class SpecialBlocksets
{
    /// <summary>The entry is a folder.</summary>
    internal const long Folder = -100;

    /// <summary>The entry is a symbolic link.</summary>
    internal const long Symlink = -200;
}

/// <summary>A fileset in a list of versions. Core's own row takes the label in some releases only.</summary>
internal sealed record ListedVersion(long Version, int IsFullBackup, DateTime Time, long FileCount, long FileSizes, string? Label)
    : IListResultFileset;

/// <summary>A fileset in the extended list.</summary>
internal sealed record ListedFileset(long Version, DateTime Time, bool? IsFullBackup, long? FileCount, long? FileSizes, string? Label)
    : IListFilesetResultFileset;
