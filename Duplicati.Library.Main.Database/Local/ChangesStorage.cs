// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Changes;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;
using Change = System.Tuple<Duplicati.Library.Interface.ListChangesChangeType, Duplicati.Library.Interface.ListChangesElementType, string>;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// The workbench of a comparison: two temporary lists of entries, filled from filesets or from elsewhere, which vanish with the
/// transaction.
/// </summary>
internal sealed class ChangesStorage : LocalListChangesDatabase.IStorageHelper
{
    // Appends.
    private const string InsertPrevious =
        """INSERT INTO temp."Previous-{0}" ("Path", "FileHash", "MetaHash", "Size", "Type") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Appends.
    private const string InsertCurrent =
        """INSERT INTO temp."Current-{0}" ("Path", "FileHash", "MetaHash", "Size", "Type") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Primary key of FilesetEntry, row ids.
    private const string Entries = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Data"."FullHash", "Data"."Length", "Meta"."FullHash"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND ("FileLookup"."BlocksetID" IN (-100, -200) OR "Data"."ID" IS NOT NULL)
        """;

    // The path index of the other table.
    private const string Added = """
        SELECT "New"."Type", "New"."Path", "New"."Size" FROM temp."Current-{0}" AS "New"
        WHERE NOT EXISTS (SELECT 1 FROM temp."Previous-{0}" AS "Old" WHERE "Old"."Path" = "New"."Path")
        ORDER BY "New"."Type", "New".rowid
        """;

    // The path index of the other table.
    private const string Deleted = """
        SELECT "Old"."Type", "Old"."Path", "Old"."Size" FROM temp."Previous-{0}" AS "Old"
        WHERE NOT EXISTS (SELECT 1 FROM temp."Current-{0}" AS "New" WHERE "New"."Path" = "Old"."Path")
        ORDER BY "Old"."Type", "Old".rowid
        """;

    // The path index of the other table. A hash that is missing on one side is no difference.
    private const string Modified = """
        SELECT "New"."Type", "New"."Path", "New"."Size" FROM temp."Current-{0}" AS "New"
        WHERE EXISTS (
            SELECT 1 FROM temp."Previous-{0}" AS "Old"
            WHERE "Old"."Path" = "New"."Path"
                AND ("Old"."FileHash" <> "New"."FileHash" OR "Old"."MetaHash" <> "New"."MetaHash" OR "Old"."Type" <> "New"."Type"))
        ORDER BY "New"."Type", "New".rowid
        """;

    // Both tables from start to end; folders and links have no bytes.
    private const string FileSizes = """
        SELECT COALESCE((SELECT SUM(MAX("Size", 0)) FROM temp."Previous-{0}"), 0), COALESCE((SELECT SUM(MAX("Size", 0)) FROM temp."Current-{0}"), 0)
        """;

    // Both tables from start to end.
    private const string Sizes = """
        SELECT COALESCE((SELECT SUM("Size") FROM temp."Previous-{0}"), 0), COALESCE((SELECT SUM("Size") FROM temp."Current-{0}"), 0)
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalListChangesDatabase>();

    private static readonly (ListChangesChangeType Change, string Sql)[] s_reports =
    [
        (ListChangesChangeType.Added, Added),
        (ListChangesChangeType.Deleted, Deleted),
        (ListChangesChangeType.Modified, Modified),
    ];

    private readonly LocalListChangesDatabase m_db;
    private readonly string m_digits;
    private ChangesSummary? m_summary;
    private bool m_disposed;

    private ChangesStorage(LocalListChangesDatabase db, string digits)
    {
        m_db = db;
        m_digits = digits;
    }

    private DatabaseSession Session => m_db.Session;

    /// <summary>Makes two empty lists.</summary>
    internal static ChangesStorage Create(LocalListChangesDatabase db, DatabaseSession session)
    {
        var storage = new ChangesStorage(db, Library.Utility.Utility.GetHexGuid());
        session.Statements.Execute(storage.Text(ChangeTables.Previous.Create));
        session.Statements.Execute(storage.Text(ChangeTables.Current.Create));
        return storage;
    }

    public Task AddElementAsync(
        string path,
        string filehash,
        string metahash,
        long size,
        ListChangesElementType type,
        bool asNew,
        bool logQuery,
        CancellationToken token
    ) =>
        Session.ShortAsync(
            session =>
            {
                using var timer = logQuery ? new Logging.Timer(LOGTAG, "AddElement", $"Adding {path}") : null;
                using var insert = Insert(session, asNew);
                insert.Bind(1, path).Bind(2, filehash).Bind(3, metahash).Bind(4, size).Bind(5, (long)type).ExecuteNonQuery();
            },
            token
        );

    public Task AddFromDbAsync(long filesetId, bool asNew, IFilter filter, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                using var timer = new Logging.Timer(LOGTAG, "AddFromDb", $"Adding the entries of fileset {filesetId} that match {filter}");
                var isWanted = Condition(filter);
                using var select = session.Take(Entries);
                using var insert = Insert(session, asNew);
                select.Bind(1, filesetId);
                while (select.Read())
                {
                    token.ThrowIfCancellationRequested();
                    if (isWanted is null || isWanted(select.GetString(0) ?? ""))
                        Copy(select, insert);
                }
            },
            token
        );

    public Task<LocalListChangesDatabase.IChangeCountReport> CreateChangeCountReportAsync(CancellationToken token) =>
        Session.LongAsync<LocalListChangesDatabase.IChangeCountReport>(
            session =>
            {
                var (added, deleted, modified, _) = Summary(session);
                return new LocalListChangesDatabase.ChangeCountReport
                {
                    AddedFolders = added.Folders,
                    AddedSymlinks = added.Symlinks,
                    AddedFiles = added.Files,
                    DeletedFolders = deleted.Folders,
                    DeletedSymlinks = deleted.Symlinks,
                    DeletedFiles = deleted.Files,
                    ModifiedFolders = modified.Folders,
                    ModifiedSymlinks = modified.Symlinks,
                    ModifiedFiles = modified.Files,
                };
            },
            token
        );

    public Task<LocalListChangesDatabase.IChangeSizeReport> CreateChangeSizeReportAsync(CancellationToken token) =>
        Session.LongAsync<LocalListChangesDatabase.IChangeSizeReport>(
            session =>
            {
                using var sizes = session.Statements.Prepare(Text(Sizes));
                _ = sizes.Read();
                return new LocalListChangesDatabase.ChangeSizeReport
                {
                    AddedSize = Summary(session).Added.Size,
                    DeletedSize = Summary(session).Deleted.Size,
                    PreviousSize = sizes.GetInt64(0),
                    CurrentSize = sizes.GetInt64(1),
                };
            },
            token
        );

    /// <summary>
    /// Bytes of the files of both lists. Not part of the layer that is replaced, whose sums count a folder or link as -1.
    /// </summary>
    internal Task<(long Previous, long Current)> FileSizesAsync(CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                using var sizes = session.Statements.Prepare(Text(FileSizes));
                _ = sizes.Read();
                return (sizes.GetInt64(0), sizes.GetInt64(1));
            },
            token
        );

    public async IAsyncEnumerable<Change> CreateChangedFileReportAsync([EnumeratorCancellation] CancellationToken token)
    {
        foreach (var (change, sql) in s_reports)
        {
            await foreach (var row in Session.SnapshotAsync(session => Rows(session, change, sql), token).ConfigureAwait(false))
                yield return row;
        }
    }

    /// <summary>Rolls the shared transaction back, which takes the lists with it. May be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        try
        {
            // Completed when it returns: there is nothing to wait for.
            m_db.Transaction.RollBackAsync(CancellationToken.None).GetAwaiter().GetResult();
            Session.Do(Drop, CancellationToken.None);
        }
        catch (Exception ex) when (ex is SqliteException or InvalidOperationException)
        {
            Log.WriteVerboseMessage(LOGTAG, "RollbackFailed", ex, "The transaction of the comparison has ended already");
        }
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    // A commit between creation and disposal has made the tables outlive the rollback.
    private void Drop(DatabaseSession session)
    {
        session.Statements.Execute(Text(ChangeTables.Previous.Drop));
        session.Statements.Execute(Text(ChangeTables.Current.Drop));
    }

    private Statement Insert(DatabaseSession session, bool asNew)
    {
        m_summary = null;
        return session.Statements.Prepare(Text(asNew ? InsertCurrent : InsertPrevious));
    }

    private static void Copy(Statement entry, Statement insert)
    {
        var blockset = entry.GetInt64(1);
        insert.BindUtf8(1, entry.GetUtf8(0)).BindUtf8(3, entry.GetUtf8(4));
        if (blockset == SpecialBlocksets.Folder || blockset == SpecialBlocksets.Symlink)
            insert
                .BindNull(2)
                .Bind(4, -1)
                .Bind(5, (long)(blockset == SpecialBlocksets.Folder ? ListChangesElementType.Folder : ListChangesElementType.Symlink));
        else
            insert.BindUtf8(2, entry.GetUtf8(2)).Bind(4, entry.GetInt64(3)).Bind(5, (long)ListChangesElementType.File);
        insert.ExecuteNonQuery();
    }

    // A list of paths may be as long as the fileset: it is looked up, not walked through.
    private static Func<string, bool>? Condition(IFilter? filter)
    {
        if (filter is null || filter.Empty)
            return null;
        if (!Library.Utility.Utility.IsFSCaseSensitive || filter is not FilterExpression { Type: FilterType.Simple } list)
            return path => FilterExpression.Matches(filter, path);

        var paths = list.GetSimpleList().ToHashSet(StringComparer.Ordinal);
        return path => paths.Contains(path) == list.Result;
    }

    private ChangesSummary Summary(DatabaseSession session)
    {
        if (m_summary is null || m_summary.Transaction != session.TransactionCount)
            m_summary = new ChangesSummary(
                Tally(session, Added),
                Tally(session, Deleted),
                Tally(session, Modified),
                session.TransactionCount
            );
        return m_summary;
    }

    private ChangesTally Tally(DatabaseSession session, string sql)
    {
        using var select = session.Statements.Prepare(Text(sql));
        return ChangesTally.Of(select);
    }

    private List<Change> Rows(DatabaseSession session, ListChangesChangeType change, string sql)
    {
        var result = new List<Change>();
        using var select = session.Statements.Prepare(Text(sql));
        while (select.Read())
            result.Add(Tuple.Create(change, (ListChangesElementType)select.GetInt64(0), select.GetString(1) ?? ""));
        return result;
    }

    private string Text(string template) => TempTableTemplate.Text(template, m_digits);
}
