// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalBackupDatabase
{
    /// <summary>Completes the current fileset from the newest one before this backup; see the longer form.</summary>
    public Task AppendFilesFromPreviousSetAsync(IEnumerable<string>? deleted, CancellationToken token) =>
        AppendFilesFromPreviousSetAsync(deleted, m_filesetId, -1, OperationTimestamp, token);

    /// <summary>
    /// Adds every path of the previous fileset that the given one has not got, in the form of the newest fileset from that one on, and
    /// then removes the deleted paths. Commits. Near-linear in the entries of the previous fileset, times the filesets that are newer.
    /// </summary>
    /// <param name="deleted">Full paths to leave out, or null.</param>
    /// <param name="filesetid">The fileset to complete.</param>
    /// <param name="prevId">The previous fileset; less than 0 for the newest before <paramref name="timestamp"/>.</param>
    /// <param name="timestamp">Only used to find the previous fileset.</param>
    /// <param name="token">Stops the running statement.</param>
    public Task AppendFilesFromPreviousSetAsync(
        IEnumerable<string>? deleted,
        long filesetid,
        long prevId,
        DateTime timestamp,
        CancellationToken token
    ) =>
        Session.LongAsync(
            deleted,
            (session, paths) =>
            {
                session.LockForAnswers(token);
                PreviousFileset.Append(session, filesetid, PreviousFileset.IdOf(session, prevId, filesetid, timestamp));
                if (paths.Count > 0)
                    PreviousFileset.RemovePaths(session, filesetid, paths);
                m_rtr.Commit("AppendFilesFromPreviousSet");
            },
            token
        );

    /// <summary>Completes the current fileset from the newest one before this backup; see the longer form.</summary>
    public Task AppendFilesFromPreviousSetWithPredicateAsync(Func<string, long, bool> exclusionPredicate, CancellationToken token) =>
        AppendFilesFromPreviousSetWithPredicateAsync(exclusionPredicate, m_filesetId, -1, OperationTimestamp, token);

    /// <summary>
    /// Adds the entries of the previous fileset whose file the given one has not got, unless the predicate excludes them by full path
    /// and data length (-1 for folders and links). Without a predicate as
    /// <see cref="AppendFilesFromPreviousSetAsync(IEnumerable{string}, long, long, DateTime, CancellationToken)"/>. Commits.
    /// </summary>
    /// <exception cref="Exception">An entry has no path.</exception>
    public async Task AppendFilesFromPreviousSetWithPredicateAsync(
        Func<string, long, bool> exclusionPredicate,
        long fileSetId,
        long prevFileSetId,
        DateTime timestamp,
        CancellationToken token
    )
    {
        if (exclusionPredicate is null)
        {
            await AppendFilesFromPreviousSetAsync(null, fileSetId, prevFileSetId, timestamp, token).ConfigureAwait(false);
            return;
        }

        await BuildLeftOutIndexesAsync(token).ConfigureAwait(false);
        var previousId = Session.Do(Locked(session => PreviousFileset.IdOf(session, prevFileSetId, fileSetId, timestamp), token), token);
        var last = long.MinValue;
        while (true)
        {
            var entries = await Session
                .LongAsync(Locked(session => PreviousFileset.Page(session, fileSetId, previousId, last), token), token)
                .ConfigureAwait(false);
            if (entries.Count == 0)
                break;

            // Called without the connection lock: it is the caller's code.
            last = entries[^1].FileId;
            entries.RemoveAll(entry => exclusionPredicate(entry.Path, entry.Length));
            Session.Do(session => PreviousFileset.Append(session, fileSetId, entries), token);
        }

        await m_rtr.CommitAsync("AppendFilesFromPreviousSetWithPredicate", true, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Keeps only the entry with the highest file id of each full path in a fileset; logs a warning if there was something to remove. Does
    /// not commit.
    /// </summary>
    public Task RemoveDuplicatePathsFromFilesetAsync(long filesetId, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                var removed = PreviousFileset.RemoveDuplicatePaths(session, filesetId);
                if (removed > 0)
                    Log.WriteWarningMessage(
                        LOGTAG,
                        "RemovedDuplicatePaths",
                        null,
                        "Removed {0} duplicate paths from fileset {1}",
                        removed,
                        filesetId
                    );
            },
            token
        );

    /// <summary>Counts what was added, deleted and modified in the current fileset against the newest one before this backup.</summary>
    internal async Task UpdateChangeStatisticsAsync(BackupResults results, CancellationToken token)
    {
        await BuildLeftOutIndexesAsync(token).ConfigureAwait(false);
        var previousId = Session.Do(session => PreviousFileset.IdOf(session, -1, m_filesetId, OperationTimestamp), token);
        using var command = Connection.CreateCommand();
        await ChangeStatistics.UpdateChangeStatisticsAsync(command, results, m_filesetId, previousId, token).ConfigureAwait(false);
    }

    /// <summary>
    /// Builds the indexes that were left out while a first backup filled its tables: the work on the rows is done, and this can still be
    /// cancelled. Commits nothing of the caller's.
    /// </summary>
    internal Task BuildLeftOutIndexesAsync(CancellationToken token) =>
        Session.LongAsync(session => DeferredIndexes.Of(session).RestoreBetweenWrites(message => m_rtr.Commit(message), token), token);

    /// <summary>Number of files in the newest fileset and the sum of their lengths in bytes, -1 if there is nothing to sum.</summary>
    internal Task<Tuple<long, long>> GetLastBackupFileCountAndSizeAsync(CancellationToken token) =>
        Session.LongAsync(Locked(PreviousFileset.NewestFiles, token), token);

    /// <summary>Where the change journals of the source volumes were read up to in a fileset. A stable copy.</summary>
    public IAsyncEnumerable<USNJournalDataEntry> GetChangeJournalDataAsync(long fileSetId, CancellationToken token) =>
        Session.SnapshotAsync(Locked<IReadOnlyList<USNJournalDataEntry>>(session => ChangeJournal.Read(session, fileSetId), token), token);

    /// <summary>Adds change journal positions to the current fileset. Commits.</summary>
    public Task CreateChangeJournalDataAsync(IEnumerable<USNJournalDataEntry> data, CancellationToken token)
    {
        // It may ask this database.
        var entries = data.ToList();
        return Session.ShortAsync(
            session =>
            {
                ChangeJournal.Insert(session, m_filesetId, entries);
                m_rtr.Commit("CreateChangeJournalData");
            },
            token
        );
    }

    /// <summary>Updates change journal positions of a fileset by volume and journal; what is not there is ignored. Commits.</summary>
    public Task UpdateChangeJournalDataAsync(IEnumerable<USNJournalDataEntry> data, long fileSetId, CancellationToken token)
    {
        // It may ask this database.
        var entries = data.ToList();
        return Session.ShortAsync(
            session =>
            {
                ChangeJournal.Update(session, fileSetId, entries);
                m_rtr.Commit("UpdateChangeJournalData");
            },
            token
        );
    }
}
