#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>How much memory a recreate may use before it goes on more slowly on disk.</summary>
/// <param name="BlockBytes">For the map of blocks; beyond it blocks are looked up in the table.</param>
/// <param name="FileBytes">For the maps of blocksets, metadata and files each; beyond it they are looked up in the tables.</param>
/// <param name="StagedBytes">For the contents of blocklists; beyond it they go to a temporary file.</param>
internal sealed record RecreateLimits(long BlockBytes, long FileBytes, long StagedBytes)
{
    private const long LeastBytes = 16L << 20;
    private const long MostStagedBytes = 256L << 20;

    /// <summary>Shares of the memory that this process may use, as the runtime knows it (a container's limit counts).</summary>
    internal static RecreateLimits ForThisMachine()
    {
        var memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        return new RecreateLimits(
            Math.Max(LeastBytes, memory / 4),
            Math.Max(LeastBytes, memory / 16),
            Math.Clamp(memory / 16, LeastBytes, MostStagedBytes));
    }
}
