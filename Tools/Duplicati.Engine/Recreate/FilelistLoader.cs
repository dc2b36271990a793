using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Recreate;

/// <summary>Puts the entries of a file list into a fileset, as contract B, section 4.3 describes.</summary>
/// <param name="database">The database.</param>
/// <param name="format">What volumes are made with.</param>
/// <param name="progress">Told of bad entries.</param>
/// <param name="isWanted">The paths to take over; null for all.</param>
internal sealed class FilelistLoader(LocalRecreateDatabase database, VolumeFormat format, IEngineProgress progress, Func<string, bool>? isWanted = null)
{
    private string? m_prefix;
    private long m_prefixId;

    /// <summary>Replaces the fileset's entries by those of the list. Bad entries are reported and left out.</summary>
    internal async Task LoadAsync(FilelistReader filelist, long filesetId, CancellationToken token)
    {
        await database.UpdateFullBackupStateInFilesetAsync(filesetId, filelist.IsFullBackup, token).ConfigureAwait(false);
        await database.ClearFilesetEntriesAsync(filesetId, token).ConfigureAwait(false);
        foreach (var entry in filelist.ReadEntries())
        {
            token.ThrowIfCancellationRequested();
            try
            {
                if (isWanted?.Invoke(entry.Path) == false)
                    continue;
                if (PathCheck.Problem(entry.Path) is { } problem)
                    progress.Warning($"Left out {entry.Path}: {problem}");
                else
                    await LoadAsync(entry, filesetId, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (ex is SqliteException { SqliteErrorCode: SQLitePCL.raw.SQLITE_CONSTRAINT } or InvalidDataException or ArgumentException)
            {
                progress.Warning($"Left out {entry.Path}: {ex.Message}");
            }
        }
    }

    private async Task LoadAsync(FilelistEntry entry, long filesetId, CancellationToken token)
    {
        if (entry.Type is not (FilelistEntryType.File or FilelistEntryType.Folder or FilelistEntryType.Symlink))
        {
            progress.Warning($"Left out {entry.Path}: entries of type {entry.Type} are not known");
            return;
        }

        var (prefix, name) = LocalDatabase.SplitIntoPrefixAndName(entry.Path);
        if (prefix != m_prefix)
        {
            m_prefixId = await database.GetOrCreatePathPrefixAsync(prefix, token).ConfigureAwait(false);
            m_prefix = prefix;
        }

        var metadataId = await database.AddMetadatasetAsync(entry.MetaHash!, entry.MetaSize, entry.MetaBlocklistHashes!, ExpectedBlocklists(entry.MetaSize), token).ConfigureAwait(false);
        switch (entry.Type)
        {
            case FilelistEntryType.Folder:
                await database.AddDirectoryEntryAsync(filesetId, m_prefixId, name, default, metadataId, token).ConfigureAwait(false);
                break;
            case FilelistEntryType.Symlink:
                await database.AddSymlinkEntryAsync(filesetId, m_prefixId, name, default, metadataId, token).ConfigureAwait(false);
                break;
            default:
                await LoadFileAsync(entry, filesetId, name, metadataId, token).ConfigureAwait(false);
                break;
        }

        await LinkMetadataAsync(entry, token).ConfigureAwait(false);
    }

    private async Task LoadFileAsync(FilelistEntry entry, long filesetId, string name, long metadataId, CancellationToken token)
    {
        var blocksetId = await database.AddBlocksetAsync(entry.Hash!, entry.Size, entry.BlocklistHashes!, ExpectedBlocklists(entry.Size), token).ConfigureAwait(false);
        await database.AddFileEntryAsync(filesetId, m_prefixId, name, entry.Time, blocksetId, metadataId, token).ConfigureAwait(false);
        if (entry.Size <= 0 || entry.Size > format.Blocksize)
            return;

        if (!string.IsNullOrWhiteSpace(entry.BlockHash))
            await database.AddSmallBlocksetLinkAsync(entry.Hash!, entry.BlockHash, entry.BlockSize, token).ConfigureAwait(false);
        else if (format.BlockHash == format.FileHash)
            await database.AddSmallBlocksetLinkAsync(entry.Hash!, entry.Hash!, entry.Size, token).ConfigureAwait(false);
        else
            progress.Warning($"The file list names no block hash for {entry.Path}");
    }

    private async Task LinkMetadataAsync(FilelistEntry entry, CancellationToken token)
    {
        if (entry.MetaSize > format.Blocksize)
            return;

        if (!string.IsNullOrWhiteSpace(entry.MetaBlockHash))
            await database.AddSmallBlocksetLinkAsync(entry.MetaHash!, entry.MetaBlockHash, entry.MetaSize, token).ConfigureAwait(false);
        else if (format.BlockHash == format.FileHash)
            await database.AddSmallBlocksetLinkAsync(entry.MetaHash!, entry.MetaHash!, entry.MetaSize, token).ConfigureAwait(false);
        else if (entry.MetaHash is not null)
            progress.Warning($"The file list names no metadata block hash for {entry.Path}");
    }

    private long ExpectedBlocklists(long size)
    {
        var blocks = (size + format.Blocksize - 1) / format.Blocksize;
        return blocks <= 1 ? 0 : (blocks + format.HashesPerBlocklist - 1) / format.HashesPerBlocklist;
    }
}
