// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database.Model;

/// <summary>A fileset in a list of versions. Core's own row takes the label in some releases only.</summary>
internal sealed record ListedVersion(long Version, int IsFullBackup, DateTime Time, long FileCount, long FileSizes, string? Label)
    : IListResultFileset;

/// <summary>A fileset in the extended list.</summary>
internal sealed record ListedFileset(long Version, DateTime Time, bool? IsFullBackup, long? FileCount, long? FileSizes, string? Label)
    : IListFilesetResultFileset;
