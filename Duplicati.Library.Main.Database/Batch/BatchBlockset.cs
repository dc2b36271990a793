#nullable enable

using System;

namespace Duplicati.Library.Main.Database;

/// <summary>Content that was split into blocks, for <see cref="BatchBackup.Link"/>.</summary>
/// <param name="FullHash">The raw digest of the whole content.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="BlockIds">The ids of its blocks in order, as <see cref="BatchBackup.Add"/> or <see cref="BatchBackup.Find"/> gave them in this operation.</param>
/// <param name="BlocklistHashes">The digests of its blocklists in order, one after the other; empty without blocklists.</param>
/// <param name="Blocklists">Number of blocklists.</param>
internal readonly record struct BatchBlockset(
    ReadOnlyMemory<byte> FullHash,
    long Length,
    ReadOnlyMemory<long> BlockIds,
    ReadOnlyMemory<byte> BlocklistHashes = default,
    int Blocklists = 0);
