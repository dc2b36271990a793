// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Paths;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalBackupDatabase
{
    /// <summary>
    /// Finds or adds a file and puts it into the current fileset. A new file is committed, its entry is not. Completes synchronously.
    /// </summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the file is in the fileset already.</exception>
    public Task AddFileAsync(
        long pathprefixid,
        string filename,
        DateTime lastmodified,
        long blocksetID,
        long metadataID,
        CancellationToken token
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        using var timer = Profile("AddFile");
        try
        {
            lock (Session.ConnectionLock)
                AddFile(pathprefixid, filename, lastmodified, blocksetID, metadataID, token);
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }

    /// <summary>The same by full path.</summary>
    /// <exception cref="ArgumentException">The path is null or empty.</exception>
    public Task AddFileAsync(string filename, DateTime lastmodified, long blocksetID, long metadataID, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        using var timer = Profile("AddFile");
        try
        {
            lock (Session.ConnectionLock)
            {
                var (prefix, name) = PathSplitter.Split(filename);
                var prefixId = Session.Service(static session => new PathPrefixCache(session)).GetOrCreate(prefix).GetAwaiter().GetResult();
                AddFile(prefixId, name, lastmodified, blocksetID, metadataID, token);
            }

            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }

    /// <summary>Puts an unchanged file into the current fileset. Completes synchronously, allocates nothing. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the file is in the fileset already.</exception>
    public Task AddKnownFileAsync(long fileid, DateTime lastmodified, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);

        using var timer = Profile("AddKnownFile");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                m_told.RequireFile(fileid);
                FilesetWrites.AddEntry(Session, m_filesetId, fileid, lastmodified.ToUniversalTime().Ticks);
            }

            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }
    }

    /// <summary>Adds a folder by full path; see <see cref="AddFileAsync(string, DateTime, long, long, CancellationToken)"/>.</summary>
    public Task AddDirectoryEntryAsync(string path, long metadataID, DateTime lastmodified, CancellationToken token) =>
        AddFileAsync(path, lastmodified, FOLDER_BLOCKSET_ID, metadataID, token);

    /// <summary>
    /// Adds a symbolic link by full path; see <see cref="AddFileAsync(string, DateTime, long, long, CancellationToken)"/>.
    /// </summary>
    public Task AddSymlinkEntryAsync(string path, long metadataID, DateTime lastmodified, CancellationToken token) =>
        AddFileAsync(path, lastmodified, SYMLINK_BLOCKSET_ID, metadataID, token);

    /// <summary>
    /// Id, time of last change (UTC) and data length of a path in a fileset. Without <paramref name="includeLength"/> the length is
    /// -1, with it only files are found. Not found: -1, ticks 0, -1. Completes synchronously.
    /// </summary>
    public Task<(long, DateTime, long)> GetFileLastModifiedAsync(
        long prefixid,
        string path,
        long filesetid,
        bool includeLength,
        CancellationToken token
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(long, DateTime, long)>(token);

        using var timer = Profile("GetFileLastModified");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                var file = FileReads.LastModified(Session, prefixid, path, filesetid, includeLength);
                m_told.File(file.Id, prefixid, path);
                return Task.FromResult(file);
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<(long, DateTime, long)>(ex);
        }
    }

    /// <summary>
    /// Id, time of last change (UTC), data length, metadata hash and metadata length of a file in a fileset. Not found: -1, ticks 0,
    /// -1, null, -1. Completes synchronously.
    /// </summary>
    public Task<(long, DateTime, long, string?, long)> GetFileEntryAsync(
        long prefixid,
        string path,
        long filesetid,
        CancellationToken token
    )
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<(long, DateTime, long, string?, long)>(token);

        using var timer = Profile("GetFileEntry");
        try
        {
            lock (Session.ConnectionLock)
            {
                Session.LockForAnswers(token);
                var file = FileReads.Entry(Session, m_fileEntryQuery, prefixid, path, filesetid);
                m_told.File(file.Id, prefixid, path);
                return Task.FromResult(file);
            }
        }
        catch (Exception ex)
        {
            return Session.Failed<(long, DateTime, long, string?, long)>(ex);
        }
    }

    /// <summary>Hash and length of a file's metadata, null if it has none.</summary>
    /// <exception cref="InvalidOperationException">The hash is NULL.</exception>
    public Task<(string MetadataHash, long Size)?> GetMetadataHashAndSizeForFileAsync(long fileid, CancellationToken token) =>
        Session.ShortAsync(Locked(session => FileReads.MetadataHash(session, fileid), token), token);

    /// <summary>Hash of a file's content, null if it has none.</summary>
    public Task<string?> GetFileHashAsync(long fileid, CancellationToken token) =>
        Session.ShortAsync(Locked(session => FileReads.DataHash(session, fileid), token), token);

    /// <summary>The longest path of all files, null if there is none. Reads all files.</summary>
    public Task<string?> GetFirstPathAsync(CancellationToken token) => Session.LongAsync(Locked(FileReads.LongestPath, token), token);

    // The order is the contract's: the file is durable before its entry exists.
    private void AddFile(long prefixId, string name, DateTime lastModified, long blocksetId, long metadataId, CancellationToken token)
    {
        Session.LockForAnswers(token);
        m_told.RequireBlockset(blocksetId);
        m_told.RequireMetadata(metadataId);
        var id = Session.FindBeforeInserting(
            (prefixId, name, blocksetId, metadataId),
            static (x, y) => FileReads.Find(x, y.prefixId, y.name, y.blocksetId, y.metadataId),
            token
        );
        if (id < 0)
        {
            id = FileWrites.Insert(Session, prefixId, name, blocksetId, metadataId);
            m_told.File(id, prefixId, name);
            m_rtr.Commit("AddFile");
            // Nobody refers to it yet.
            Session.LockForAnswers(token);
            m_told.RequireFile(id);
        }

        FilesetWrites.AddEntry(Session, m_filesetId, id, lastModified.ToUniversalTime().Ticks);
    }
}
