// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Missing blocks that the file they were backed up from is likely to still have: those that its newest backed-up version has
/// at the same place. In the order of file ids.
/// </summary>
internal sealed class FastSources
{
    // One scan of the list; keys of the block list and of BlocksetEntry.
    private const string MissingWithSource = """
        SELECT 0, k."FileID", k."Index"
        FROM temp."RestoreFile" r
        CROSS JOIN temp."RestoreBlock" k ON k."Metadata" = 0 AND k."FileID" = r."ID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = r."LatestBlocksetID" AND e."Index" = k."Index" AND e."BlockID" = k."BlockID"
        WHERE r."LatestBlocksetID" IS NOT NULL AND k."Restored" = 0
        ORDER BY r."ID", k."Index"
        """;

    // One page of the list, by id.
    private const string PageAfter = """SELECT "ID", "Path" FROM temp."RestoreFile" WHERE "ID" > ?1 ORDER BY "ID" LIMIT ?2""";

    // By id.
    private const string SetSourceExists = """UPDATE temp."RestoreFile" SET "LocalSourceExists" = 1 WHERE "ID" = ?1""";

    // One scan of the list.
    private const string ForgetSources = """
        UPDATE temp."RestoreFile" SET "LocalSourceExists" = 0, "LatestBlocksetID" = NULL
        WHERE "LocalSourceExists" <> 0 OR "LatestBlocksetID" IS NOT NULL
        """;

    // One scan of the list; the key of the block list.
    private const string Candidates = """
        SELECT r."ID", r."Path"
        FROM temp."RestoreFile" r
        WHERE r."LocalSourceExists" = 1
            AND EXISTS (SELECT 1 FROM temp."RestoreBlock" k WHERE k."Metadata" = 0 AND k."FileID" = r."ID" AND k."Restored" = 0)
        ORDER BY r."ID"
        """;

    // FileLookup by id, FileLookupPath (PrefixID, Path), FilesetentryFileIdIndex, Fileset by id; sorts the versions of one path.
    private const string LatestBlockset = """
        SELECT o."BlocksetID"
        FROM "FileLookup" l
        CROSS JOIN "FileLookup" o ON o."PrefixID" = l."PrefixID" AND o."Path" = l."Path"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = o."ID"
        CROSS JOIN "Fileset" s ON s."ID" = e."FilesetID"
        WHERE l."ID" = ?1
        ORDER BY s."Timestamp" DESC
        LIMIT 1
        """;

    // By id.
    private const string SetLatestBlockset = """UPDATE temp."RestoreFile" SET "LatestBlocksetID" = ?2 WHERE "ID" = ?1""";

    private const int PathsOfPage = 256;

    private readonly DatabaseSession m_session;
    private readonly RestoreFileList m_list;
    private readonly Func<string, bool> m_exists;

    /// <param name="session">The session of the connection.</param>
    /// <param name="list">The prepared list.</param>
    /// <param name="exists">Whether a file is on this machine; called without the connection lock.</param>
    internal FastSources(DatabaseSession session, RestoreFileList list, Func<string, bool>? exists = null)
    {
        m_session = session;
        m_list = list;
        m_exists = exists ?? SystemIO.IO_OS.FileExists;
    }

    /// <summary>Looks which sources exist, then streams. <paramref name="commit"/> is called after the look, and at the end.</summary>
    internal async IAsyncEnumerable<LocalRestoreDatabase.IFastSource> ReadAsync(
        long blocksize,
        Action<string> commit,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        await CheckSourcesAsync(token).ConfigureAwait(false);
        m_session.Do(_ => commit("CheckLocalSourceExists"), token);

        MissingRanges missing = null!;
        TargetSnapshot targets = default;
        await foreach (var source in Paged.RowsAsync(m_session, Ids, Read, token).ConfigureAwait(false))
            yield return source;
        m_session.Do(_ => commit("GetFilesAndSourceBlocksFast"), token);

        IReadOnlyList<long> Ids(DatabaseSession s)
        {
            m_list.Blocks.Build();
            targets = m_list.Targets();
            FindLatestVersions(s, targets);
            missing = MissingRanges.Read(s, MissingWithSource);
            return missing.Files();
        }

        LocalRestoreDatabase.IFastSource? Read(DatabaseSession s, long id) =>
            RestoreEntry.Read(s, id) is { } entry
                ? new Source(m_session, m_list.Blocks, missing, blocksize, targets.Of(id, entry.Path), id, entry.Path)
                : null;
    }

    private async Task CheckSourcesAsync(CancellationToken token)
    {
        using var timer = new Logging.Timer(RestoreLog.Tag, "CheckLocalSourceExists", "Check which sources exist");
        await m_session.LongAsync(s => s.Run(ForgetSources), token).ConfigureAwait(false);
        var last = long.MinValue;
        while (true)
        {
            var page = m_session.Do(s => ReadPaths(s, last), token);
            if (page.Count == 0)
                return;

            last = page[^1].Id;
            var found = page.Where(entry => Exists(entry.Path)).Select(entry => entry.Id).ToList();
            m_session.Do(s => SetSourcesExist(s, found), token);
        }
    }

    private bool Exists(string path)
    {
        if (m_exists(path))
            return true;

        Logging.Log.WriteVerboseMessage(RestoreLog.Tag, "LocalSourceMissing", "Local source file not found: {0}", path);
        return false;
    }

    private static List<(long Id, string Path)> ReadPaths(DatabaseSession session, long after)
    {
        using var rows = session.Take(PageAfter);
        return rows.Bind(1, after).Bind(2, PathsOfPage).ReadAll(static row => (row.GetInt64(0), row.GetString(1)!));
    }

    private static void SetSourcesExist(DatabaseSession session, List<long> ids)
    {
        using var update = session.Take(SetSourceExists);
        foreach (var id in ids)
            update.Bind(1, id).ExecuteNonQuery();
    }

    private static void FindLatestVersions(DatabaseSession session, TargetSnapshot targets)
    {
        var candidates = new List<long>();
        using (var rows = session.Take(Candidates))
        {
            while (rows.Read())
            {
                var (id, path) = (rows.GetInt64(0), rows.GetString(1)!);
                if (!string.Equals(targets.Of(id, path), path, StringComparison.Ordinal))
                    candidates.Add(id);
            }
        }

        using var latest = session.Take(LatestBlockset);
        using var update = session.Take(SetLatestBlockset);
        foreach (var id in candidates)
            update.Bind(1, id).Bind(2, latest.Bind(1, id).ExecuteInt64()).ExecuteNonQuery();
    }

    private sealed record Source(
        DatabaseSession Session,
        RestoreBlockList Blocks,
        MissingRanges Missing,
        long BlockSize,
        string TargetPath,
        long TargetFileID,
        string SourcePath
    ) : LocalRestoreDatabase.IFastSource
    {
        public async IAsyncEnumerable<LocalRestoreDatabase.IBlockEntry> BlocksAsync([EnumeratorCancellation] CancellationToken token)
        {
            await foreach (
                var block in FileBlock.OfRangesAsync(Session, Blocks, Missing.Of(TargetFileID, false), token).ConfigureAwait(false)
            )
                yield return new Entry(block.Index * BlockSize, block.Size, block.Index, block.Hash);
        }
    }

    private sealed record Entry(long Offset, long Size, long Index, string Hash) : LocalRestoreDatabase.IBlockEntry;
}
