#nullable enable

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>How much of a volume is in use. Sizes are bytes of blocks before compression, but for the last.</summary>
/// <param name="Id">Remotevolume.ID.</param>
/// <param name="Name">The remote name.</param>
/// <param name="DataSize">All blocks in it.</param>
/// <param name="WastedSize">Those that nothing refers to.</param>
/// <param name="CompressedSize">The remote file; 0 if unknown.</param>
internal sealed record VolumeUsage(long Id, string Name, long DataSize, long WastedSize, long CompressedSize)
{
    /// <summary>Whether nothing in it is in use.</summary>
    internal bool IsClean => DataSize <= WastedSize;
}
