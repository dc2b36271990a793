// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Recreate;

/// <summary>Puts the entries of a file list into a fileset, as contract B, section 4.3 describes.</summary>
/// <param name="database">The database.</param>
/// <param name="format">What volumes are made with.</param>
/// <param name="progress">Told of entries of unknown types.</param>
/// <param name="refused">Takes entries that cannot be so.</param>
/// <param name="isWanted">The paths to take over; null for all.</param>
internal sealed class FilelistLoader(
    LocalRecreateDatabase database,
    VolumeFormat format,
    IEngineProgress progress,
    RefusedEntries refused,
    Func<string, bool>? isWanted = null
)
{
    private readonly FilelistEntryCheck m_check = new(format);
    private readonly BatchRebuild m_batch = BatchRebuild.Of(database);
    private string? m_prefix;
    private long m_prefixId;

    /// <summary>
    /// Replaces the fileset's entries by those of the list, and takes the time that the list gives it. Bad entries are reported and left
    /// out.
    /// </summary>
    /// <exception cref="VolumeException">The list is damaged, so that what was made of it must not stay.</exception>
    internal async Task LoadAsync(FilelistReader filelist, string name, long filesetId, CancellationToken token)
    {
        await database.UpdateFullBackupStateInFilesetAsync(filesetId, filelist.IsFullBackup, token).ConfigureAwait(false);
        if (filelist.FilesetTime is { } time)
            await database.UpdateFilesetTimestampAsync(filesetId, time, token).ConfigureAwait(false);
        await database.ClearFilesetEntriesAsync(filesetId, token).ConfigureAwait(false);
        m_check.Volume = name;
        foreach (var entry in filelist.ReadEntries(problem => refused.Add($"an entry of {name}", problem)))
        {
            token.ThrowIfCancellationRequested();
            if (isWanted?.Invoke(entry.Path) == false)
                continue;
            if (entry.Type is not (FilelistEntryType.File or FilelistEntryType.Folder or FilelistEntryType.Symlink))
                progress.Warning($"Left out {entry.Path}: entries of type {entry.Type} are not known");
            else if ((PathCheck.Problem(entry.Path) ?? m_check.Problem(entry)) is { } problem)
                refused.Add(entry.Path, problem);
            else
                await TryLoadAsync(entry, filesetId, token).ConfigureAwait(false);
        }
    }

    private async Task TryLoadAsync(FilelistEntry entry, long filesetId, CancellationToken token)
    {
        try
        {
            await LoadAsync(entry, filesetId, token).ConfigureAwait(false);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == SQLitePCL.raw.SQLITE_CONSTRAINT)
        {
            refused.Add(entry.Path, "it is in the list twice");
        }
        catch (Exception ex) when (ex is ImpossibleEntryException or InvalidDataException or ArgumentException)
        {
            refused.Add(entry.Path, ex.Message);
        }
    }

    private async Task LoadAsync(FilelistEntry entry, long filesetId, CancellationToken token)
    {
        // Nothing of an entry may be there if its lists of blocks turn out to be wrong: another entry may have the same content, and be
        // right.
        var isKnown = entry.BlocklistHashes is null || m_batch.KnowsBlockset(entry.Hash!, entry.Size);
        var blocklists = isKnown ? [] : m_check.Blocklists(entry);
        var (prefix, name) = LocalDatabase.SplitIntoPrefixAndName(entry.Path);
        if (prefix != m_prefix)
        {
            m_prefixId = await database.GetOrCreatePathPrefixAsync(prefix, token).ConfigureAwait(false);
            m_prefix = prefix;
        }

        var metadataId = await database
            .AddMetadatasetAsync(
                entry.MetaHash!,
                entry.MetaSize,
                entry.MetaBlocklistHashes!,
                m_check.ExpectedBlocklists(entry.MetaSize),
                token
            )
            .ConfigureAwait(false);
        switch (entry.Type)
        {
            case FilelistEntryType.Folder:
                await database.AddDirectoryEntryAsync(filesetId, m_prefixId, name, default, metadataId, token).ConfigureAwait(false);
                break;
            case FilelistEntryType.Symlink:
                await database.AddSymlinkEntryAsync(filesetId, m_prefixId, name, default, metadataId, token).ConfigureAwait(false);
                break;
            default:
                await LoadFileAsync(entry, blocklists, filesetId, name, metadataId, token).ConfigureAwait(false);
                break;
        }

        if (entry.MetaHash is not null && entry.MetaSize <= format.Blocksize)
            await database
                .AddSmallBlocksetLinkAsync(
                    entry.MetaHash,
                    FilelistEntryCheck.OrOther(entry.MetaBlockHash, entry.MetaHash),
                    entry.MetaSize,
                    token
                )
                .ConfigureAwait(false);
    }

    private async Task LoadFileAsync(
        FilelistEntry entry,
        IEnumerable<string> blocklists,
        long filesetId,
        string name,
        long metadataId,
        CancellationToken token
    )
    {
        var blocksetId = await database
            .AddBlocksetAsync(entry.Hash!, entry.Size, blocklists, m_check.ExpectedBlocklists(entry.Size), token)
            .ConfigureAwait(false);
        await database.AddFileEntryAsync(filesetId, m_prefixId, name, entry.Time, blocksetId, metadataId, token).ConfigureAwait(false);
        if (entry.Size > 0 && entry.Size <= format.Blocksize)
            await database
                .AddSmallBlocksetLinkAsync(entry.Hash!, FilelistEntryCheck.OrOther(entry.BlockHash, entry.Hash!), entry.Size, token)
                .ConfigureAwait(false);
    }
}
