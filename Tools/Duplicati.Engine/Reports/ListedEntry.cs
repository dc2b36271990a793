using Duplicati.Library.Interface;

namespace Duplicati.Engine.Reports;

/// <summary>One entry of a version.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record ListedEntry(string Path, string Type, long Size, DateTime? Time)
{
    internal const string File = "File";
    internal const string Folder = "Folder";
    internal const string Symlink = "Symlink";

    internal static ListedEntry Of(IListFileVersion entry, string path) => Of(path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    internal static ListedEntry Of(IListFolderEntry entry) => Of(entry.Path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    // A database that began at an old version of the schema has no times: 0 ticks, not a day in year 1.
    private static ListedEntry Of(string path, bool isDirectory, bool isSymlink, long size, DateTime time) =>
        isDirectory ? new ListedEntry(path, Folder, -1, null)
        : isSymlink ? new ListedEntry(path, Symlink, -1, null)
        : new ListedEntry(path, File, size, time.Ticks == 0 ? null : time);
}
