// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main.Volumes;

/// <summary>An opened block volume. The container format belongs to whoever derives from this.</summary>
public abstract class BlockVolumeReader
{
    /// <summary>The Base64 hash and the size in bytes of every block in the volume.</summary>
    public abstract IEnumerable<KeyValuePair<string, long>> Blocks { get; }
}
