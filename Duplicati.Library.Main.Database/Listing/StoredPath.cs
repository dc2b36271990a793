#nullable enable

using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>A path is stored in two pieces, cut behind a separator; which one depends on the version that stored it.</summary>
internal static class StoredPath
{
    /// <summary>All the ways to cut a path, also with one piece empty.</summary>
    internal static IEnumerable<(string Prefix, string Name)> Cuts(string path)
    {
        for (var cut = 0; cut <= path.Length; cut++)
        {
            if (cut == 0 || cut == path.Length || path[cut - 1] is '/' or '\\')
                yield return (path[..cut], path[cut..]);
        }
    }
}
