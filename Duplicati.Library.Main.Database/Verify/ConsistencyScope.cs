#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>What a consistency check looks at.</summary>
/// <param name="Blocksize">Size of a full block in bytes.</param>
/// <param name="Hashsize">Size of a block digest in bytes.</param>
/// <param name="Volumes">Whether filesets and list volumes must belong together; not while a repair is going on.</param>
/// <param name="FileLists">Whether every entry of a fileset must come out in a list volume.</param>
internal readonly record struct ConsistencyScope(long Blocksize, long Hashsize, bool Volumes, bool FileLists)
{
    /// <summary>Entries that one blocklist holds.</summary>
    internal long EntriesPerBlocklist => Math.Max(1, Blocksize / Hashsize);

    /// <summary>True if a database that passed this check also passes the other.</summary>
    internal bool Covers(ConsistencyScope other) =>
        Blocksize == other.Blocksize && Hashsize == other.Hashsize && (Volumes || !other.Volumes) && (FileLists || !other.FileLists);
}
