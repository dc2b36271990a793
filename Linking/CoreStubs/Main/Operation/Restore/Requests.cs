// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main.Operation.Restore;

/// <summary>A block that a file to restore needs; the offset is its ordinal in the file, from 0.</summary>
internal class BlockRequest(long blockId, long blockOffset, string blockHash, long blockSize, long volumeId, BlockRequestType requestType)
{
    public long BlockID { get; } = blockId;
    public long BlockOffset { get; } = blockOffset;
    public string BlockHash { get; } = blockHash;
    public long BlockSize { get; } = blockSize;
    public long VolumeID { get; } = volumeId;
    public BlockRequestType RequestType { get; set; } = requestType;
}

/// <summary>What is asked of the block manager.</summary>
internal enum BlockRequestType
{
    /// <summary>The block's bytes.</summary>
    Download,

    /// <summary>Nothing more: the block is no longer needed for this use.</summary>
    CacheEvict,
}

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
