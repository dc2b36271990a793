namespace Duplicati.Engine.Operations;

/// <summary>A path in the versions of a backup.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Versions">Its size in each version, the newest first.</param>
public sealed record FoundPath(string Path, IReadOnlyList<FoundSize> Versions);

/// <summary>The size of a path in one version.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When the version was made (UTC).</param>
/// <param name="Size">Bytes of the file; -1 where there is none of that path, or a folder or symbolic link.</param>
public sealed record FoundSize(long Version, DateTime Time, long Size);

/// <summary>The versions that hold a path.</summary>
/// <param name="Path">The path as it was asked for.</param>
/// <param name="Versions">What it is in them, the newest first.</param>
public sealed record PathVersions(string Path, IReadOnlyList<PathVersion> Versions);

/// <summary>A path in one version.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="VersionTime">When the version was made (UTC).</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record PathVersion(long Version, DateTime VersionTime, string Type, long Size, DateTime? Time);
