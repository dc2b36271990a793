// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main.Operation.Restore;

/// <summary>An entry to restore.</summary>
internal class FileRequest(long id, string originalPath, string targetPath, string hash, long length, long blocksetId)
{
    public long ID { get; } = id;
    public string OriginalPath { get; } = originalPath;
    public string TargetPath { get; } = targetPath;
    public string Hash { get; } = hash;
    public long Length { get; } = length;
    public long BlocksetID { get; } = blocksetId;
}
