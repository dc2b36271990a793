// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Choosing files and their targets.</summary>
internal partial class LocalRestoreDatabase
{
    // Small table, one row a version; stops at the first.
    private const string AnyFileset = """SELECT 1 FROM "Fileset" LIMIT 1""";

    // Scans the prefixes outside the folder; FileLookupPath below each, FilesetentryFileIdIndex for each file found outside.
    private const string FilesetsOutsideFolder = """
        SELECT e."FilesetID"
        FROM "PathPrefix" p
        CROSS JOIN "FileLookup" l ON l."PrefixID" = p."ID"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = l."ID"
        WHERE SUBSTR(p."Prefix", 1, LENGTH(?1)) <> ?1 AND SUBSTR(p."Prefix" || l."Path", 1, LENGTH(?1)) <> ?1
        """;

    /// <summary>
    /// Chooses the entries to restore: those of the newest fileset, among the candidates for a time and versions, that has
    /// files which pass the filter. If none has, the list holds what else passes of the oldest one.
    /// </summary>
    /// <param name="restoretime">The newest time wanted; no ticks for any.</param>
    /// <param name="versions">Positions among the filesets, newest first, from 0; null or empty for any.</param>
    /// <param name="filter">Which entries are wanted; null or empty for all.</param>
    /// <param name="disableAdsRestore">Whether alternate data streams go without the files they belong to.</param>
    /// <param name="token">Cancels the selection.</param>
    /// <returns>Number of distinct file paths, and bytes; folders and symbolic links do not count.</returns>
    /// <exception cref="Interface.UserInformationException">There is no fileset at all (help id NoBackupAtDate).</exception>
    public Task<Tuple<long, long>> PrepareRestoreFilelistAsync(
        DateTime restoretime,
        long[]? versions,
        IFilter? filter,
        bool disableAdsRestore,
        CancellationToken token
    ) =>
        PrepareAsync(
            restoretime,
            versions,
            new FileSelection(Session, filter, disableAdsRestore ? AlternateStreams.None : AlternateStreams.OfSystem),
            token
        );

    /// <summary>Number of distinct file paths in the list, and bytes; zero without a list.</summary>
    public Task<Tuple<long, long>> PrepareRestoreFilelistCountAsync(CancellationToken token) =>
        Session.LongAsync(_ => List.Exists ? ToTuple(List.Count()) : Tuple.Create(0L, 0L), token);

    /// <summary>The path in the list with the most characters, or null.</summary>
    public Task<string?> GetFirstPathAsync(CancellationToken token) =>
        Session.LongAsync(_ => List.Exists ? List.LongestPath() : null, token);

    /// <summary>The longest folder that everything in the list lies in, with a trailing separator; empty if there is none.</summary>
    public Task<string> GetLargestPrefixAsync(CancellationToken token) =>
        Session.LongAsync(
            _ => List.Exists && List.LongestPath() is { } longest ? List.CommonFolder(Util.GuessDirSeparator(longest)) : "",
            token
        );

    /// <summary>Whether any candidate for a time and versions has an entry whose path does not begin with a folder's.</summary>
    public async Task<bool> HasEntriesOutsideFolderAsync(DateTime restoretime, long[]? versions, string folder, CancellationToken token)
    {
        if (string.IsNullOrEmpty(folder) || !await Session.ShortAsync(HasFilesets, token).ConfigureAwait(false))
            return false;

        var candidates = new HashSet<long>();
        await foreach (var id in GetFilesetIDsAsync(WholeSeconds(restoretime), versions, false, token).ConfigureAwait(false))
            candidates.Add(id);
        return await Session.LongAsync(session => HasEntriesOutside(session, folder, candidates), token).ConfigureAwait(false);
    }

    /// <summary>Chooses where everything in the list is restored to, and commits.</summary>
    /// <param name="largest_prefix">What is cut off from the paths; empty for nothing.</param>
    /// <param name="destination">The folder to restore to; empty for the place the files came from.</param>
    /// <param name="token">Cancels the call.</param>
    public Task SetTargetPathsAsync(string largest_prefix, string destination, CancellationToken token) =>
        Session.LongAsync(
            _ =>
            {
                var sample = string.IsNullOrWhiteSpace(largest_prefix) && List.Exists ? List.LongestPath() : largest_prefix;
                List.SetTargets(TargetPaths.Create(Util.GuessDirSeparator(sample), largest_prefix ?? "", destination ?? ""));
                m_rtr.Commit("SetTargetPaths");
            },
            token
        );

    /// <summary>Sends one entry of the list elsewhere, and commits.</summary>
    public Task UpdateTargetPathAsync(long ID, string newname, CancellationToken token) =>
        Session.ShortAsync(
            _ =>
            {
                List.Rename(ID, newname);
                m_rtr.Commit("UpdateTargetPath");
            },
            token
        );

    /// <summary>Removes alternate data streams from the list.</summary>
    public Task RemoveAlternateDataStreamsAsync(CancellationToken token) =>
        Session.LongAsync(
            _ =>
            {
                if (List.Exists)
                    List.RemoveStreams(AlternateStreams.OfSystem);
            },
            token
        );

    /// <summary>Removes files of more than <paramref name="maxSize"/> bytes from the list; nothing if that is no limit.</summary>
    /// <returns>Number of entries removed.</returns>
    public Task<long> RemoveFilesLargerThanAsync(long maxSize, CancellationToken token) =>
        Session.LongAsync(_ => List.Exists && maxSize is > 0 and < long.MaxValue ? List.RemoveLargerThan(maxSize) : 0, token);

    private async Task<Tuple<long, long>> PrepareAsync(
        DateTime restoretime,
        long[]? versions,
        FileSelection selection,
        CancellationToken token
    )
    {
        var candidates = await GetFilesetIDsAsync(WholeSeconds(restoretime), versions, false, token)
            .ToListAsync(token)
            .ConfigureAwait(false);
        var all = await FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        foreach (var fileset in candidates)
        {
            var version = all.FindIndex(x => x.Key == fileset);
            var time = all[version].Value;
            m_restoreTime = time.ToUniversalTime();
            Log.WriteInformationMessage(LOGTAG, "SearchingBackup", "Searching backup {0} ({1}) ...", version, time);
            var found = await Session.LongAsync(_ => Select(fileset, time, selection), token).ConfigureAwait(false);
            if (found.Item1 <= 0)
                continue;

            Log.WriteVerboseMessage(
                LOGTAG,
                "RestoreTargetFileCount",
                "Restore target: {0} files, {1}",
                found.Item1,
                Library.Utility.Utility.FormatSizeString(found.Item2)
            );
            return found;
        }

        await m_rtr.CommitAsync("PrepareRestoreFilelist", token: token).ConfigureAwait(false);
        return Tuple.Create(0L, 0L);
    }

    private Tuple<long, long> Select(long fileset, DateTime time, FileSelection selection)
    {
        if (selection.IsListOfPaths)
            m_rtr.Commit("CommitBeforePrepareFileset");
        List.Begin();
        (m_tempfiletable, m_tempblocktable) = (RestoreTempTables.RestoreFile.Name, RestoreTempTables.RestoreBlock.Name);
        var missing = selection.Fill(fileset);
        if (selection.IsListOfPaths)
            m_rtr.Commit("CommitAfterPrepareFileset");
        if (missing.Count > 0)
            Log.WriteWarningMessage(
                LOGTAG,
                "FilesNotFoundInBackupList",
                null,
                "{0} files were not found in backup list for {1}, missing:{2}{3}",
                missing.Count,
                time,
                Environment.NewLine,
                string.Join(Environment.NewLine, missing)
            );
        return ToTuple(List.Count());
    }

    private static bool HasFilesets(DatabaseSession session) => session.ReadNumber(AnyFileset) > 0;

    private static bool HasEntriesOutside(DatabaseSession session, string folder, HashSet<long> filesets)
    {
        using var outside = session.Take(FilesetsOutsideFolder);
        outside.Bind(1, folder);
        while (outside.Read())
        {
            if (filesets.Contains(outside.GetInt64(0)))
                return true;
        }

        return false;
    }

    // A time without a kind is passed on as it is, to be refused.
    private static DateTime WholeSeconds(DateTime time)
    {
        if (time.Kind == DateTimeKind.Unspecified)
            return time;

        time = time.ToUniversalTime();
        return time.AddTicks(-(time.Ticks % TimeSpan.TicksPerSecond));
    }

    private static Tuple<long, long> ToTuple((long Count, long Size) found) => Tuple.Create(found.Count, found.Size);
}
