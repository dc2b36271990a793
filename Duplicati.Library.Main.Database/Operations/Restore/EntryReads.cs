// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Streams over the entries of a file list. Each is a copy of the moment its first row is asked for: 8 bytes an entry.</summary>
internal sealed class EntryReads
{
    // One scan of the list, Blockset by id, and a sort of numbers.
    private const string LargestFirst = """
        SELECT r."ID"
        FROM temp."RestoreFile" r
        LEFT JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE r."BlocksetID" <> ?1
        ORDER BY IFNULL(b."Length", 0) DESC, r."ID"
        """;

    // One scan of the list.
    private const string Folders = """SELECT "ID" FROM temp."RestoreFile" WHERE "BlocksetID" = ?1 ORDER BY "ID" """;

    // One scan of the list, Blockset by id.
    private const string FilesToVerify = """
        SELECT r."ID"
        FROM temp."RestoreFile" r
        CROSS JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE ?1 = 0 OR r."DataVerified" = 0
        ORDER BY r."ID"
        """;

    private readonly DatabaseSession m_session;
    private readonly RestoreFileList m_list;

    internal EntryReads(DatabaseSession session, RestoreFileList list)
    {
        m_session = session;
        m_list = list;
    }

    /// <summary>Files and symbolic links, largest first.</summary>
    internal IAsyncEnumerable<FileRequest> FilesAndSymlinks(CancellationToken token) =>
        Rows(LargestFirst, SpecialBlocksets.Folder, ToRequest, token);

    /// <summary>Folders that have metadata.</summary>
    internal IAsyncEnumerable<FileRequest> FolderMetadata(CancellationToken token) =>
        Rows(Folders, SpecialBlocksets.Folder, ToFolderRequest, token);

    /// <summary>Target paths of folders.</summary>
    internal IAsyncEnumerable<string> TargetFolders(CancellationToken token) =>
        Rows(Folders, SpecialBlocksets.Folder, (entry, targets) => targets.Of(entry.Id, entry.Path), token);

    /// <summary>Files, by target path.</summary>
    internal IAsyncEnumerable<LocalRestoreDatabase.IFileToRestore> FilesToRestore(bool onlyNonVerified, CancellationToken token) =>
        Rows(FilesToVerify, onlyNonVerified ? 1 : 0, ToFile, token);

    private IAsyncEnumerable<T> Rows<T>(string sql, long argument, Func<RestoreEntry, TargetSnapshot, T?> convert, CancellationToken token)
        where T : class
    {
        TargetSnapshot targets = default;
        return Paged.RowsAsync(m_session, Ids, Read, token);

        IReadOnlyList<long> Ids(DatabaseSession session)
        {
            if (!m_list.Exists)
                return [];
            targets = m_list.Targets();
            return ReadIds(session, sql, argument);
        }

        T? Read(DatabaseSession session, long id) => RestoreEntry.Read(session, id) is { } entry ? convert(entry, targets) : null;
    }

    private static List<long> ReadIds(DatabaseSession session, string sql, long argument)
    {
        using var rows = session.Take(sql);
        return rows.Bind(1, argument).ReadAll(static row => row.GetInt64(0));
    }

    private static FileRequest ToRequest(RestoreEntry entry, TargetSnapshot targets) =>
        new(entry.Id, entry.Path, targets.Of(entry.Id, entry.Path), entry.FullHash ?? "", entry.Length, entry.BlocksetId);

    private static FileRequest? ToFolderRequest(RestoreEntry entry, TargetSnapshot targets) =>
        entry.MetadataId < 0 ? null : new FileRequest(entry.Id, "", targets.Of(entry.Id, entry.Path), "", 0, SpecialBlocksets.Folder);

    private static FileToRestore ToFile(RestoreEntry entry, TargetSnapshot targets) =>
        new(targets.Of(entry.Id, entry.Path), entry.FullHash!, entry.Length);

    private sealed record FileToRestore(string Path, string Hash, long Length) : LocalRestoreDatabase.IFileToRestore;
}

/// <summary>One entry of a file list.</summary>
/// <param name="Id">FileLookup.ID.</param>
/// <param name="Path">The path it was backed up from.</param>
/// <param name="FullHash">Base64 hash of the file; null without a blockset.</param>
/// <param name="Length">Bytes; 0 without a blockset.</param>
/// <param name="BlocksetId">Its blockset, or the mark of a folder or a symbolic link.</param>
/// <param name="MetadataId">Its metadataset.</param>
/// <param name="HasBlocks">Whether the blockset has blocks.</param>
internal sealed record RestoreEntry(long Id, string Path, string? FullHash, long Length, long BlocksetId, long MetadataId, bool HasBlocks)
{
    // List and Blockset by id, key of BlocksetEntry, Block by id: a block that is lost cannot be restored.
    private const string Entry = """
        SELECT r."Path", b."FullHash", b."Length", r."BlocksetID", r."MetadataID",
            EXISTS (SELECT 1 FROM "BlocksetEntry" e CROSS JOIN "Block" k ON k."ID" = e."BlockID" WHERE e."BlocksetID" = r."BlocksetID")
        FROM temp."RestoreFile" r
        LEFT JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE r."ID" = ?1
        """;

    /// <summary>Reads an entry; null if it is not in the list any more.</summary>
    internal static RestoreEntry? Read(DatabaseSession session, long id)
    {
        using var entry = session.Take(Entry);
        entry.Bind(1, id);
        return entry.Read()
            ? new RestoreEntry(
                id,
                entry.GetString(0)!,
                entry.GetString(1),
                entry.GetInt64(2),
                entry.GetInt64(3),
                entry.GetInt64(4),
                entry.GetInt64(5) != 0
            )
            : null;
    }
}
