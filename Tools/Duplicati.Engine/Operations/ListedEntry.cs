namespace Duplicati.Engine.Operations;

/// <summary>One entry of a version.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record ListedEntry(string Path, string Type, long Size, DateTime? Time);
