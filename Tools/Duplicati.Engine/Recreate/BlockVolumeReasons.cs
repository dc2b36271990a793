using Duplicati.Engine.Common;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Recreate;

/// <summary>Says why a recreate reads block volumes, which may be many and large, how many and how large.</summary>
internal static class BlockVolumeReasons
{
    private const int Shown = 20;

    /// <summary>Tells of the volumes of one pass; nothing if there are none.</summary>
    internal static void Tell(IEngineProgress progress, IReadOnlyList<IRemoteVolume> volumes, int pass)
    {
        if (volumes.Count == 0)
            return;
        progress.Message($"Reading {volumes.Count} block volumes of {SizeText.Of(volumes.Sum(x => Math.Max(0, x.Size)))} for what the index volumes lack (pass {pass + 1} of 3)");
        foreach (var volume in volumes.Take(Shown))
            progress.Message($"  {Reason(volume)}, so this block volume of {SizeText.Of(volume.Size)} is read");
        if (volumes.Count > Shown)
            progress.Message($"  ... and {volumes.Count - Shown} more");
    }

    // Only an index volume, or the block volume itself once it has been read, tells its hash.
    private static string Reason(IRemoteVolume volume) => string.IsNullOrEmpty(volume.Hash)
        ? $"The index volume of {volume.Name} is missing or cannot be read"
        : $"The index volumes lack blocks or lists of blocks that {volume.Name} may hold";
}
