using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>One version of a file found by a search; the caller looks its metadata up by <see cref="FileId"/>.</summary>
internal record SearchFileVersion : ISearchFileVersion
{
    public required long FileId { get; init; }
    public required long Version { get; init; }
    public required DateTime Time { get; init; }
    public required string Path { get; init; }
    public required long Size { get; init; }
    public required bool IsDirectory { get; init; }
    public required bool IsSymlink { get; init; }
    public required DateTime LastModified { get; init; }
    public required Range MatchedPathRange { get; init; }
    public required Dictionary<string, string?>? Metadata { get; init; }
}
