#nullable enable

using System;

namespace Duplicati.Library.Main.Database;

/// <summary>The blocks of a volume.</summary>
/// <param name="VolumeId">The id of the volume, which must be registered.</param>
/// <param name="Hashes">The raw digests of its blocks, one after the other.</param>
/// <param name="Sizes">The sizes of its blocks in bytes.</param>
internal readonly record struct BatchVolume(long VolumeId, ReadOnlyMemory<byte> Hashes, ReadOnlyMemory<long> Sizes);
