
namespace Duplicati.Engine.Reports;

/// <summary>What a restore did.</summary>
/// <param name="Version">The version restored, 0 = newest.</param>
/// <param name="Files">Files written and verified, or found to be there already.</param>
/// <param name="Folders">Folders made.</param>
/// <param name="Symlinks">Symbolic links made.</param>
/// <param name="Bytes">Bytes of those files.</param>
/// <param name="Volumes">Block volumes read.</param>
/// <param name="Failed">Target paths of files that could not be restored completely.</param>
public sealed record RestoreReport(long Version, long Files, long Folders, long Symlinks, long Bytes, int Volumes, IReadOnlyList<string> Failed)
{
    /// <summary>Files and symbolic links that were there and were left as they are.</summary>
    public long Skipped { get; init; }

    /// <summary>Files that were compared once more at the end; null if that was not asked for.</summary>
    public long? Verified { get; init; }

    /// <summary>Target paths of files found to have other content than the version, without the failed ones.</summary>
    public IReadOnlyList<string> Different { get; init; } = [];

    /// <summary>What was to be restored and is not in the version.</summary>
    public IReadOnlyList<string> NotFound { get; init; } = [];
}
