#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.FileLists;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>The files of a fileset (parameter FilesetId): one row for each pair of a blocklist of the data and one of the metadata.</summary>
    public const string LIST_FILESETS = FileListSql.Files;

    /// <summary>The folders and links of a fileset (parameters FilesetId, FolderBlocksetId, SymlinkBlocksetId): one row for each blocklist of the metadata.</summary>
    public const string LIST_FOLDERS_AND_SYMLINKS = FileListSql.FoldersAndSymlinks;

    /// <summary>Gives all entries of a fileset to the writer of a list volume: folders and links by path, then files by path. Reads only, in pages.</summary>
    /// <exception cref="ArgumentNullException">An entry has no metadata; thrown by the writer.</exception>
    public Task WriteFilesetAsync(Main.Volumes.FilesetVolumeWriter filesetvolume, long filesetId, CancellationToken token) =>
        FileListOutput.WriteAsync(Session, filesetvolume, filesetId, token);
}
