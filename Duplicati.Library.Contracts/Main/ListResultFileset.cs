// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>A fileset in a listing.</summary>
internal class ListResultFileset(long version, int isFullBackup, DateTime time, long fileCount, long fileSizes) : IListResultFileset
{
    public long Version { get; } = version;
    public int IsFullBackup { get; } = isFullBackup;
    public DateTime Time { get; } = time;
    public long FileCount { get; } = fileCount;
    public long FileSizes { get; } = fileSizes;
}
