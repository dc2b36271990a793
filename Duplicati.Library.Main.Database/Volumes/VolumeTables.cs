// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>
/// The temporary tables of questions about volumes and of their removal. Each has a primary key or an index for every column that it is
/// joined on.
/// </summary>
internal static class VolumeTables
{
    internal static readonly TempTable RemovedVolume = new(
        "RemovedVolume",
        VolumeTablesSql.CreateRemovedVolume,
        VolumeTablesSql.ClearRemovedVolume
    );
    internal static readonly TempTable RemovedBlockset = new(
        "RemovedBlockset",
        VolumeTablesSql.CreateRemovedBlockset,
        VolumeTablesSql.ClearRemovedBlockset
    );
    internal static readonly TempTable RemovedMetadata = new(
        "RemovedMetadata",
        VolumeTablesSql.CreateRemovedMetadata,
        VolumeTablesSql.ClearRemovedMetadata
    );
    internal static readonly TempTable RemovedFile = new(
        "RemovedFile",
        VolumeTablesSql.CreateRemovedFile,
        VolumeTablesSql.ClearRemovedFile
    );
    internal static readonly TempTable RemovedFileset = new(
        "RemovedFileset",
        VolumeTablesSql.CreateRemovedFileset,
        VolumeTablesSql.ClearRemovedFileset
    );
    internal static readonly TempTable SelectedFileset = new(
        "SelectedFileset",
        VolumeTablesSql.CreateSelectedFileset,
        VolumeTablesSql.ClearSelectedFileset
    );
    internal static readonly TempTable SelectedBlockset = new(
        "SelectedBlockset",
        VolumeTablesSql.CreateSelectedBlockset,
        VolumeTablesSql.ClearSelectedBlockset
    );
    internal static readonly TempTable SelectedVolume = new(
        "SelectedVolume",
        VolumeTablesSql.CreateSelectedVolume,
        VolumeTablesSql.ClearSelectedVolume
    );
}
