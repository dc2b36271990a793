// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Look-ups that tell whether a file has changed. A few B-tree descents each.</summary>
internal static class FileReads
{
    // Covering: FileLookupPath.
    private const string FindSql =
        """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2 AND "BlocksetID" = ?3 AND "MetadataID" = ?4""";

    // Row ids.
    private const string DataHashSql = """
        SELECT "Blockset"."FullHash"
        FROM "FileLookup" CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    // Row ids.
    private const string MetadataHashSql = """
        SELECT "Blockset"."FullHash", "Blockset"."Length"
        FROM "FileLookup"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."ID" = ?1
        """;

    // Covering FileLookupPath, newest content first, then primary key of FilesetEntry.
    private const string LastModifiedSql = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // As LastModified, then row id of Blockset.
    private const string LastModifiedAndLength = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Blockset"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // Reads all files once.
    internal const string LongestPathSql = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "FileLookup" CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        ORDER BY LENGTH("PathPrefix"."Prefix") + LENGTH("FileLookup"."Path") DESC
        LIMIT 1
        """;

    private static readonly DateTime s_noTime = new(0, DateTimeKind.Utc);

    /// <summary>The file with exactly this name, content and metadata, or -1.</summary>
    internal static long Find(DatabaseSession session, long prefixId, string name, long blocksetId, long metadataId)
    {
        using var find = session.Take(FindSql);
        return find.Bind(1, prefixId).Bind(2, name).Bind(3, blocksetId).Bind(4, metadataId).ExecuteInt64();
    }

    /// <summary>
    /// Id, time of last change and data length (-1 unless asked for) of a path in a fileset; -1, ticks 0 and -1 if it is not there.
    /// </summary>
    internal static (long Id, DateTime LastModified, long Length) LastModified(
        DatabaseSession session,
        long prefixId,
        string name,
        long filesetId,
        bool includeLength
    )
    {
        using var find = session.Take(includeLength ? LastModifiedAndLength : LastModifiedSql);
        if (!find.Bind(1, prefixId).Bind(2, name).Bind(3, filesetId).Read())
            return (-1, s_noTime, -1);

        return (find.GetInt64(0), Time(find), includeLength ? find.GetInt64(2, -1) : -1);
    }

    /// <summary>The same with hash and length of the metadata; null and -1 if the path is not there.</summary>
    internal static (long Id, DateTime LastModified, long Length, string? MetadataHash, long MetadataLength) Entry(
        DatabaseSession session,
        FileEntryQuery query,
        long prefixId,
        string name,
        long filesetId
    )
    {
        using var find = session.Take(query.Sql);
        find.Bind(1, prefixId).Bind(2, name);
        if (query.UsesFileset)
            find.Bind(3, filesetId);
        return find.Read()
            ? (find.GetInt64(0), Time(find), find.GetInt64(2, -1), find.GetString(3), find.GetInt64(4, -1))
            : (-1, s_noTime, -1, null, -1);
    }

    /// <summary>Hash and length of a file's metadata, null if it has none.</summary>
    /// <exception cref="InvalidOperationException">The hash is NULL.</exception>
    internal static (string MetadataHash, long Size)? MetadataHash(DatabaseSession session, long fileId)
    {
        using var find = session.Take(MetadataHashSql);
        if (!find.Bind(1, fileId).Read())
            return null;

        var hash = find.GetString(0) ?? throw new InvalidOperationException($"The metadata of file {fileId} has no hash.");
        return (hash, find.GetInt64(1, -1));
    }

    /// <summary>Hash of a file's content, null if it has none.</summary>
    internal static string? DataHash(DatabaseSession session, long fileId)
    {
        using var find = session.Take(DataHashSql);
        return find.Bind(1, fileId).ExecuteString();
    }

    /// <summary>The longest path of all files, null if there is none. Reads all files.</summary>
    internal static string? LongestPath(DatabaseSession session)
    {
        using var find = session.Take(LongestPathSql);
        return find.ExecuteString();
    }

    private static DateTime Time(Statement row) => new(row.GetInt64(1), DateTimeKind.Utc);
}

/// <summary>Chooses the query for the state of a file in an earlier fileset, by the environment variable of the contract.</summary>
internal sealed record FileEntryQuery(int Version, string Sql, bool UsesFileset)
{
    // FileLookupPath, newest content first, primary key of FilesetEntry, row ids.
    private const string EntrySql = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // As Entry; the data blockset may be missing.
    private const string EntryOptionalData = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = ?3 AND "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "FileLookup"."BlocksetID" DESC, "FileLookup"."MetadataID" DESC
        LIMIT 1
        """;

    // FileLookupPath, FilesetentryFileIdIndex, row ids; as many rows as the path has entries in all filesets.
    private const string EntryOfNewestFileset = """
        SELECT "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length"
        FROM "FileLookup"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        CROSS JOIN "Fileset" ON "Fileset"."ID" = "FilesetEntry"."FilesetID"
        CROSS JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        CROSS JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        WHERE "FileLookup"."PrefixID" = ?1 AND "FileLookup"."Path" = ?2
        ORDER BY "Fileset"."Timestamp" DESC, "Fileset"."ID" DESC
        LIMIT 1
        """;

    private const string Variable = "TEST_QUERY_VERSION";

    /// <summary>The query that the environment asks for; the usual one if it asks for none or for an unknown one.</summary>
    internal static FileEntryQuery FromEnvironment() =>
        ForVersion(
            int.TryParse(Environment.GetEnvironmentVariable(Variable), NumberStyles.Integer, CultureInfo.InvariantCulture, out var version)
                ? version
                : 0
        );

    private static FileEntryQuery ForVersion(int version) =>
        version switch
        {
            1 => new FileEntryQuery(version, EntryOfNewestFileset, false),
            3 => new FileEntryQuery(version, EntryOptionalData, true),
            _ => new FileEntryQuery(version, EntrySql, true),
        };
}

/// <summary>Adds files. Nothing here commits.</summary>
internal static class FileWrites
{
    // Appends by row id.
    private const string InsertSql =
        """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""";

    /// <summary>Adds a file that is not there and returns its id.</summary>
    internal static long Insert(DatabaseSession session, long prefixId, string name, long blocksetId, long metadataId)
    {
        using var insert = session.Take(InsertSql);
        insert.Bind(1, prefixId).Bind(2, name).Bind(3, blocksetId).Bind(4, metadataId).ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }
}
