#nullable enable

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>One use of a block by an entry of a file list.</summary>
/// <param name="FileId">Id of the entry.</param>
/// <param name="IsMetadata">Whether it is part of the metadata.</param>
/// <param name="Index">Position in the file or the metadata, from 0.</param>
/// <param name="BlockId">The block.</param>
/// <param name="VolumeId">The volume that holds it.</param>
internal readonly record struct BlockUse(long FileId, bool IsMetadata, long Index, long BlockId, long VolumeId);
