namespace Duplicati.Engine.Remote.Rclone;

/// <summary>How a run of rclone ended.</summary>
/// <param name="ExitCode">Its exit code; 0 for success.</param>
/// <param name="LastLines">The last errors it wrote.</param>
/// <param name="Output">What it wrote to its standard output.</param>
internal sealed record RcloneResult(int ExitCode, IReadOnlyList<string> LastLines, ReadOnlyMemory<byte> Output)
{
    private const int NoSuchFolder = 3;

    /// <summary>Whether it did what it was asked for.</summary>
    internal bool IsSuccess => ExitCode == 0;

    /// <summary>Whether it failed for a folder that does not exist.</summary>
    internal bool IsFolderMissing => ExitCode == NoSuchFolder;
}
