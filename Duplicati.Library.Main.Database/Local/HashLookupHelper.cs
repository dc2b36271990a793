// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main;

/// <summary>A type that nothing uses any more; it stays for source compatibility.</summary>
/// <typeparam name="T">Unused.</typeparam>
public class HashLookupHelper<T>
{
    /// <summary>Makes an object without behaviour.</summary>
    /// <param name="maxmemory">Unused.</param>
    public HashLookupHelper(ulong maxmemory) => _ = maxmemory;
}
