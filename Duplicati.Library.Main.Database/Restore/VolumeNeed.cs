#nullable enable

using System;
using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Everything one volume is needed for by a prepared list.</summary>
/// <param name="VolumeId">The volume; -1 for blocks whose volume is unknown.</param>
/// <param name="Name">Its remote name; empty if the database does not know the volume.</param>
/// <param name="Size">Bytes; -1 if unknown.</param>
/// <param name="Hash">Base64 hash of the remote file; empty if unknown.</param>
/// <param name="Blocks">The blocks needed, by id, each once.</param>
internal sealed record VolumeNeed(long VolumeId, string Name, long Size, string Hash, IReadOnlyList<BlockNeed> Blocks);

/// <summary>One block of a volume and all the places it is to be written to.</summary>
/// <param name="BlockId">The block.</param>
/// <param name="Hash">Base64.</param>
/// <param name="Size">Bytes.</param>
/// <param name="Uses">The places, by file and index; 24 bytes each.</param>
internal sealed record BlockNeed(long BlockId, string Hash, long Size, ReadOnlyMemory<BlockPlace> Uses);

/// <summary>A place a block is to be written to.</summary>
/// <param name="FileId">Id of the entry in the list.</param>
/// <param name="Index">Position in the file or its metadata, from 0; times the block size it is the offset in bytes.</param>
/// <param name="IsMetadata">Whether it is part of the metadata.</param>
internal readonly record struct BlockPlace(long FileId, long Index, bool IsMetadata);
