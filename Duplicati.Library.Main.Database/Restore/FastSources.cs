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

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Missing blocks that the file they were backed up from is likely to still have: those that its newest backed-up version has
/// at the same place. In the order of file ids.
/// </summary>
internal sealed class FastSources
{
    private const int PathsOfPage = 256;

    private readonly DatabaseSession m_session;
    private readonly RestoreFileList m_list;
    private readonly Func<string, bool> m_exists;

    /// <param name="session">The session of the connection.</param>
    /// <param name="list">The prepared list.</param>
    /// <param name="exists">Whether a file is on this machine; called without the gate.</param>
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
            missing = MissingRanges.Read(s, RestoreBlockSql.MissingWithSource);
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
        await m_session.LongAsync(s => s.Run(SourceSql.ForgetSources), token).ConfigureAwait(false);
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
        var page = new List<(long, string)>();
        using var rows = session.Take(RestoreFileSql.PageAfter);
        rows.Bind(1, after).Bind(2, PathsOfPage);
        while (rows.Read())
            page.Add((rows.GetInt64(0), rows.GetString(1)!));
        return page;
    }

    private static void SetSourcesExist(DatabaseSession session, List<long> ids)
    {
        using var update = session.Take(SourceSql.SetSourceExists);
        foreach (var id in ids)
            update.Bind(1, id).ExecuteNonQuery();
    }

    private static void FindLatestVersions(DatabaseSession session, TargetSnapshot targets)
    {
        var candidates = new List<long>();
        using (var rows = session.Take(SourceSql.Candidates))
        {
            while (rows.Read())
            {
                var (id, path) = (rows.GetInt64(0), rows.GetString(1)!);
                if (!string.Equals(targets.Of(id, path), path, StringComparison.Ordinal))
                    candidates.Add(id);
            }
        }

        using var latest = session.Take(SourceSql.LatestBlockset);
        using var update = session.Take(SourceSql.SetLatestBlockset);
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
