// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// The data layer of a backup: adds blocks, blocksets, metadata and files, and finds what is there already. Most members are in
/// the partial files beside this one.
/// </summary>
/// <remarks>
/// Members called per block or per file complete synchronously; a cancelled token is seen before they start. What they add is
/// written at the next commit or when a member reads it, whichever comes first.
/// </remarks>
internal partial class LocalBackupDatabase : LocalDatabase
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalBackupDatabase>();

    private long m_filesetId;
    private bool m_storeMetadataContent;
    private bool m_profile;
    private FileEntryQuery m_fileEntryQuery = null!;
    private BlockAdding m_blocks = null!;
    private KnownBlocklists m_knownBlocklists = null!;
    private ToldRows m_told = null!;

    /// <summary>Opens the database at a path, creating or upgrading it, and begins a backup on it.</summary>
    /// <param name="path">The database file.</param>
    /// <param name="options">The options of the backup.</param>
    /// <param name="token">Cancels the opening.</param>
    /// <param name="dbnew">An instance to initialise, or null for a new one.</param>
    public static async Task<LocalBackupDatabase> CreateAsync(
        string path,
        Options options,
        CancellationToken token,
        LocalBackupDatabase? dbnew = null
    )
    {
        dbnew ??= new LocalBackupDatabase();
        await CreateLocalDatabaseAsync(path, "Backup", true, dbnew, token).ConfigureAwait(false);
        dbnew.Configure(options);
        return dbnew;
    }

    /// <summary>A child of another database object: same connection, transaction and operation; closes nothing.</summary>
    public static async Task<LocalBackupDatabase> CreateAsync(
        LocalDatabase dbparent,
        Options options,
        LocalBackupDatabase? dbnew,
        CancellationToken token
    )
    {
        dbnew ??= new LocalBackupDatabase();
        await CreateLocalDatabaseAsync(dbparent, dbnew, token).ConfigureAwait(false);
        dbnew.Configure(options);
        return dbnew;
    }

    /// <summary>Adds a partial fileset of this backup, which becomes the current one, and returns its id. Does not commit.</summary>
    public override async Task<long> CreateFilesetAsync(long volumeid, DateTime timestamp, CancellationToken token)
    {
        m_filesetId = await base.CreateFilesetAsync(volumeid, timestamp, token).ConfigureAwait(false);
        return m_filesetId;
    }

    /// <summary>Ends this object's use of the database; what was not committed is rolled back if it owns the connection.</summary>
    public override void Dispose() => base.Dispose();

    /// <summary>Ends this object's use of the database; what was not committed is rolled back if it owns the connection.</summary>
    public override ValueTask DisposeAsync() => base.DisposeAsync();

    private void Configure(Options options)
    {
        m_storeMetadataContent = options.StoreMetadataContentInDatabase;
        m_profile = options.ProfileAllDatabaseQueries;
        m_fileEntryQuery = FileEntryQuery.FromEnvironment();
        m_blocks = new BlockAdding(Session, new DeletedBlocks(Session, DeletedBlocks.LimitFromEnvironment()));
        m_knownBlocklists = new KnownBlocklists(Session);
        m_told = new ToldRows(Session);
        CheckpointPace.Slow(Session);
        if (m_fileEntryQuery.Version != 0)
            Log.WriteWarningMessage(LOGTAG, "TestFileQuery", null, "Using file query version {0}", m_fileEntryQuery.Version);
    }

    // A backup writes what it decides on the answers, so it takes the write lock for them: else what another connection commits before that
    // would make the writing fail.
    private static Func<DatabaseSession, T> Locked<T>(Func<DatabaseSession, T> ask, CancellationToken token) =>
        session =>
        {
            session.LockForAnswers(token);
            return ask(session);
        };

    // Only hot members ask: the others are timed where they log anyway.
    private Logging.Timer? Profile(string member) => m_profile ? new Logging.Timer(LOGTAG, member, member) : null;

    /// <summary>Names of the lists of incomplete filesets, oldest first, or only of the newest.</summary>
    public Task<IEnumerable<string>> GetTemporaryFilelistVolumeNamesAsync(bool latestOnly, CancellationToken token) =>
        Session.ShortAsync(session => BackupVolumeReads.TemporaryLists(session, latestOnly), token, tellsMore: false);

    /// <summary>Names of the stored block volumes that no index volume describes. A stable copy.</summary>
    public IAsyncEnumerable<string> GetMissingIndexFilesAsync(CancellationToken token) =>
        Session.SnapshotAsync(Locked(BackupVolumeReads.WithoutIndex, token), token);

    /// <summary>Removes a volume that stores no live block. Does not commit.</summary>
    /// <exception cref="Exception">A live block is stored in the volume.</exception>
    public Task SafeDeleteRemoteVolumeAsync(string name, CancellationToken token)
    {
        try
        {
            if (Session.Do(session => HasBlocksFromNowOn(session, name), token))
                throw new Exception($"The volume {name} still stores live blocks and cannot be removed.");
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }

        return RemoveRemoteVolumeAsync(name, token);
    }

    // With the write lock, which stays until the commit: nobody else gives it one before it is removed.
    private static bool HasBlocksFromNowOn(DatabaseSession session, string name)
    {
        session.BeginWriting();
        return BackupVolumeReads.HasBlocks(session, name);
    }

    /// <summary>Bytes of the newest block volume that was uploaded but not yet seen in a listing; -1 if there is none.</summary>
    public Task<long> GetLastWrittenDBlockVolumeSizeAsync(CancellationToken token) =>
        Session.ShortAsync(BackupVolumeReads.LastUploadedSize, token, tellsMore: false);
}
