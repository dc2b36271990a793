// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Volumes;

namespace Duplicati.Library.Main.Database.FileLists;

/// <summary>
/// Gives the entries of a fileset to the writer of a list volume: folders and links by path, then files by path. Holds one page of
/// entries and 8 bytes for each other entry; no statement is active and the session is free while the writer works.
/// </summary>
internal static class FileListOutput
{
    // Primary key of FilesetEntry, row ids of FileLookup and PathPrefix; sorts paths and ids only.
    private const string FileOrder = """
        SELECT "FilesetEntry"."FileID"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FileLookup"."BlocksetID" >= 0
        ORDER BY "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and PathPrefix; sorts paths and ids only.
    private const string FolderOrder = """
        SELECT "FilesetEntry"."FileID"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FileLookup"."BlocksetID" IN (-100, -200)
        ORDER BY "PathPrefix"."Prefix" || "FileLookup"."Path"
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalDatabase>();

    /// <summary>Writes all entries.</summary>
    /// <exception cref="ArgumentNullException">An entry has no metadata; thrown by the writer.</exception>
    internal static async Task WriteAsync(DatabaseSession session, FilesetVolumeWriter writer, long filesetId, CancellationToken token)
    {
        await WriteFoldersAsync(session, writer, filesetId, token).ConfigureAwait(false);
        await WriteFilesAsync(session, writer, filesetId, token).ConfigureAwait(false);
    }

    private static async Task WriteFoldersAsync(
        DatabaseSession session,
        FilesetVolumeWriter writer,
        long filesetId,
        CancellationToken token
    )
    {
        string? previous = null;
        await foreach (var entry in EntriesAsync(session, filesetId, FolderOrder, token).ConfigureAwait(false))
        {
            if (!entry.IsListed)
                continue;

            if (entry.Path == previous)
                Log.WriteWarningMessage(LOGTAG, "DuplicatePathFound", null, "Duplicate path found: {0}", entry.Path);
            previous = entry.Path;
            if (entry.IsFolder)
                writer.AddDirectory(entry.Path, entry.MetaHash!, entry.MetaSize, entry.FirstMetaBlockHash!, entry.MetaBlocklists!);
            else
                writer.AddSymlink(entry.Path, entry.MetaHash!, entry.MetaSize, entry.FirstMetaBlockHash!, entry.MetaBlocklists!);
        }
    }

    private static async Task WriteFilesAsync(DatabaseSession session, FilesetVolumeWriter writer, long filesetId, CancellationToken token)
    {
        string? previous = null;
        await foreach (var entry in EntriesAsync(session, filesetId, FileOrder, token).ConfigureAwait(false))
        {
            if (entry.Path == previous)
            {
                Log.WriteWarningMessage(
                    LOGTAG,
                    "DuplicatePathInFileset",
                    null,
                    "The fileset has the path {0} more than once, only the first is written",
                    entry.Path
                );
                continue;
            }

            previous = entry.Path;
            await WriteFileAsync(writer, entry).ConfigureAwait(false);
        }
    }

    private static Task WriteFileAsync(FilesetVolumeWriter writer, FileListEntry entry) =>
        writer.AddFileAsync(
            entry.Path,
            entry.FileHash!,
            entry.FileSize,
            new DateTime(entry.LastModified, DateTimeKind.Utc),
            entry.MetaHash!,
            entry.MetaSize,
            NullIfEqual(entry.FirstMetaBlockHash, entry.MetaHash)!,
            NullIfEqual(entry.FirstBlockHash, entry.FileHash)!,
            entry.FirstBlockSize,
            entry.Blocklists?.ToAsyncEnumerable()!,
            entry.MetaBlocklists!
        );

    private static async IAsyncEnumerable<FileListEntry> EntriesAsync(
        DatabaseSession session,
        long filesetId,
        string orderSql,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var order = await session.LongAsync(s => FileListReads.Order(s, filesetId, orderSql), token).ConfigureAwait(false);
        for (var next = 0; next < order.Count; )
        {
            var position = next;
            var page = await session.LongAsync(s => FileListReads.Page(s, filesetId, order, position), token).ConfigureAwait(false);
            foreach (var entry in page.Entries)
            {
                token.ThrowIfCancellationRequested();
                yield return entry;
            }

            next = page.Next;
        }
    }

    private static string? NullIfEqual(string? hash, string? other) => hash == other ? null : hash;
}
