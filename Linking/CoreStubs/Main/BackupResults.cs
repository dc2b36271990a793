// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>What a backup reports: the nine counters of changes against the previous fileset.</summary>
internal class BackupResults : BasicResults
{
    public long AddedFolders { get; internal set; }
    public long AddedSymlinks { get; internal set; }
    public long AddedFiles { get; internal set; }
    public long DeletedFolders { get; internal set; }
    public long DeletedSymlinks { get; internal set; }
    public long DeletedFiles { get; internal set; }
    public long ModifiedFolders { get; internal set; }
    public long ModifiedSymlinks { get; internal set; }
    public long ModifiedFiles { get; internal set; }
}
