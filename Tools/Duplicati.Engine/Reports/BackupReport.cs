// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What a backup did.</summary>
/// <param name="NewVersion">False if nothing had changed and no version was made.</param>
/// <param name="Files">Files examined.</param>
/// <param name="Folders">Folders examined.</param>
/// <param name="Symlinks">Symbolic links examined.</param>
/// <param name="SourceBytes">Bytes of the files examined.</param>
/// <param name="Skipped">Entries that could not be read.</param>
/// <param name="NewBlocks">Blocks that no earlier version had.</param>
/// <param name="NewBytes">Bytes of those blocks.</param>
/// <param name="UploadedVolumes">Volumes uploaded.</param>
/// <param name="UploadedBytes">Bytes uploaded.</param>
public sealed record BackupReport(
    bool NewVersion,
    long Files,
    long Folders,
    long Symlinks,
    long SourceBytes,
    long Skipped,
    long NewBlocks,
    long NewBytes,
    int UploadedVolumes,
    long UploadedBytes
);
