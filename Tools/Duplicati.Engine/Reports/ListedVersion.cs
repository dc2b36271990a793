// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Reports;

/// <summary>One version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="IsFull">Whether it is complete; null where the listing does not know.</param>
/// <param name="Volume">Its file list volume, or null.</param>
/// <param name="Entries">Files, folders and symbolic links in it; null where the listing does not know.</param>
/// <param name="Bytes">Bytes of its files; null where the listing does not know.</param>
/// <param name="OwnBytes">Bytes of contents that no other version has; null where the listing does not know.</param>
/// <param name="Label">The user's text; null without one, or where the listing does not know.</param>
public sealed record ListedVersion(
    long Version,
    DateTime Time,
    bool? IsFull,
    string? Volume,
    long? Entries = null,
    long? Bytes = null,
    long? OwnBytes = null,
    string? Label = null
);

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

    internal static ListedEntry Of(IListFileVersion entry, string path) =>
        Of(path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    internal static ListedEntry Of(IListFolderEntry entry) =>
        Of(entry.Path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    // A database that began at an old version of the schema has no times: 0 ticks, not a day in year 1.
    private static ListedEntry Of(string path, bool isDirectory, bool isSymlink, long size, DateTime time) =>
        isDirectory ? new ListedEntry(path, Folder, -1, null)
        : isSymlink ? new ListedEntry(path, Symlink, -1, null)
        : new ListedEntry(path, File, size, time.Ticks == 0 ? null : time);
}
