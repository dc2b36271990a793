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
