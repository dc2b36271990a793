#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>The end of a folder's path.</summary>
internal static class PathEnd
{
    /// <summary>Adds a separator to a path that does not end with it.</summary>
    internal static string WithSeparator(string path, string separator) =>
        path.EndsWith(separator, StringComparison.Ordinal) ? path : path + separator;
}
