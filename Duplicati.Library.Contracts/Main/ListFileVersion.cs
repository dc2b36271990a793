using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>One version of a file.</summary>
internal record ListFileVersion : IListFileVersion
{
    public required long Version { get; init; }
    public required DateTime Time { get; init; }
    public required string Path { get; init; }
    public required long Size { get; init; }
    public required bool IsDirectory { get; init; }
    public required bool IsSymlink { get; init; }
    public required DateTime LastModified { get; init; }
}
