// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Plain;

/// <summary>
/// The data layer as the contract words it, and slow: a plain statement a row or a table, nothing kept in memory. This part does what a
/// backup asks for.
/// </summary>
internal sealed class PlainLayer : IDisposable
{
    // Contract C 2.1, as it stands there.
    private const string Bad = """
        SELECT x.ID FROM (SELECT ID FROM Blockset UNION SELECT BlocksetID FROM BlocksetEntry UNION SELECT BlocksetID FROM BlocklistHash) x
        WHERE x.ID NOT IN (SELECT ID FROM Blockset WHERE Length = 0) AND (
            EXISTS (SELECT 1 FROM BlocksetEntry e WHERE e.BlocksetID = x.ID AND e.BlockID NOT IN (SELECT b.ID FROM Block b JOIN Remotevolume v ON v.ID = b.VolumeID WHERE v.Type = 'Blocks'))
            OR EXISTS (SELECT 1 FROM BlocklistHash h WHERE h.BlocksetID = x.ID AND h.Hash NOT IN (SELECT b.Hash FROM Block b JOIN Remotevolume v ON v.ID = b.VolumeID WHERE v.Type = 'Blocks'))
            OR (x.ID IN (SELECT ID FROM Blockset WHERE Length > 0) AND x.ID NOT IN (SELECT BlocksetID FROM BlocksetEntry)))
        """;

    /// <summary>The ids of the files that cannot be restored whole.</summary>
    internal const string Broken = $"""
        SELECT l.ID FROM FileLookup l LEFT JOIN Metadataset m ON m.ID = l.MetadataID
        WHERE (l.BlocksetID NOT IN (-100, -200) AND l.BlocksetID IN ({Bad})) OR m.ID IS NULL OR m.BlocksetID IN ({Bad})
        """;

    private readonly SqliteConnection m_connection;
    private readonly HashSet<string> m_asked = new(StringComparer.Ordinal);
    private long m_filesetId;
    private HashSet<string>? m_deleted;

    /// <param name="path">A database that nobody else has open.</param>
    internal PlainLayer(string path)
        : this(Library.SQLiteHelper.SQLiteLoader.LoadConnection(path)) { }

    /// <param name="connection">An open connection without a transaction; goes with this object.</param>
    internal PlainLayer(SqliteConnection connection)
    {
        m_connection = connection;
        Execute("BEGIN");
    }

    /// <summary>The statements that were run so far, each once.</summary>
    internal IReadOnlyCollection<string> Asked => m_asked;

    internal SqliteConnection Connection => m_connection;

    internal void Commit() => Execute("COMMIT; BEGIN");

    internal void RollBack() => Execute("ROLLBACK; BEGIN");

    internal long CreateFileset(long operationId, long volumeId, long seconds) =>
        m_filesetId = Insert(
            """
            INSERT INTO "Fileset" ("ID", "OperationID", "VolumeID", "IsFullBackup", "Timestamp")
            SELECT 1 + MAX((SELECT IFNULL(MAX("ID"), 0) FROM "Fileset"), (SELECT IFNULL(MAX("FilesetID"), 0) FROM "FilesetEntry")), @0, @1, 0, @2
            """,
            operationId,
            volumeId,
            seconds
        );

    internal long FindBlock(string hash, long size) => Number("""SELECT "ID" FROM "Block" WHERE "Hash" = @0 AND "Size" = @1""", hash, size);

    internal bool AddBlock(string hash, long size, long volumeId)
    {
        if (FindBlock(hash, size) >= 0)
            return false;

        var deleted = !MayReuse(hash)
            ? -1
            : Number(
                """
                SELECT MAX("DeletedBlock"."ID") FROM "DeletedBlock" JOIN "Remotevolume" ON "Remotevolume"."ID" = "VolumeID"
                WHERE "DeletedBlock"."Hash" = @0 AND "DeletedBlock"."Size" = @1 AND "State" NOT IN ('Deleting', 'Deleted')
                """,
                hash,
                size
            );
        var storedIn = deleted < 0 ? volumeId : Number("""SELECT "VolumeID" FROM "DeletedBlock" WHERE "ID" = @0""", deleted);
        // Not the id of a lost block that a content still names, or of a deleted one whose further copies are still listed.
        Insert(
            """
            INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID")
            SELECT
                1 + MAX(
                    (SELECT IFNULL(MAX("ID"), 0) FROM "Block"),
                    (SELECT IFNULL(MAX("BlockID"), 0) FROM "BlocksetEntry"),
                    (SELECT IFNULL(MAX("BlockID"), 0) FROM "DuplicateBlock")),
                @0, @1, @2
            """,
            hash,
            size,
            storedIn
        );
        Run("""DELETE FROM "DeletedBlock" WHERE "ID" = @0""", deleted);
        return deleted < 0;
    }

    /// <summary>The object has been made anew: it will learn which deleted blocks there are at its next new block.</summary>
    internal void Reopen() => m_deleted = null;

    internal bool MoveBlock(string hash, long size, long source, long target) =>
        Run("""UPDATE "Block" SET "VolumeID" = @3 WHERE "Hash" = @0 AND "Size" = @1 AND "VolumeID" = @2""", hash, size, source, target)
        == 1;

    /// <returns>Null if a block is missing; then nothing has changed.</returns>
    internal (bool, long)? AddBlockset(string hash, long size, int blocksize, string[] hashes, string[] blocklists)
    {
        var known = Number("""SELECT "ID" FROM "Blockset" WHERE "FullHash" = @0 AND "Length" = @1""", hash, size);
        if (known >= 0)
            return Mend(known, size, blocksize, hashes) ? (false, known) : null;

        Execute("SAVEPOINT one");
        var id = Insert("""INSERT INTO "Blockset" ("Length", "FullHash") VALUES (@0, @1)""", size, hash);
        for (var i = 0; i < blocklists.Length; i++)
            Insert("""INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (@0, @1, @2)""", id, i, blocklists[i]);
        for (var i = 0; i < hashes.Length; i++)
        {
            var expected = Math.Min(blocksize, size - ((long)i * blocksize));
            if (
                Run(
                    """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT @0, @1, "ID" FROM "Block" WHERE "Hash" = @2 AND "Size" = @3""",
                    id,
                    i,
                    hashes[i],
                    expected
                ) == 1
            )
                continue;

            Execute("ROLLBACK TO one; RELEASE one");
            return null;
        }

        Execute("RELEASE one");
        Commit();
        return (true, id);
    }

    internal (bool, long) AddMetadataset(string hash, long size, long blocksetId)
    {
        var known = Number(
            """
            SELECT "Metadataset"."ID" FROM "Metadataset" JOIN "Blockset" ON "Blockset"."ID" = "BlocksetID" WHERE "FullHash" = @0 AND "Length" = @1
            AND NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = "Blockset"."ID" AND e."BlockID" NOT IN (SELECT "ID" FROM "Block"))
            """,
            hash,
            size
        );
        if (known >= 0)
            return (false, known);

        var id = Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (@0, NULL)""", blocksetId);
        Commit();
        return (true, id);
    }

    /// <returns>False if the file is in the fileset already.</returns>
    internal bool AddFile(string prefix, string name, long ticks, long blocksetId, long metadataId)
    {
        var prefixId = Number("""SELECT "ID" FROM "PathPrefix" WHERE "Prefix" = @0""", prefix);
        if (prefixId < 0)
            prefixId = Insert("""INSERT INTO "PathPrefix" ("Prefix") VALUES (@0)""", prefix);
        var id = Number(
            """SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = @0 AND "Path" = @1 AND "BlocksetID" = @2 AND "MetadataID" = @3""",
            prefixId,
            name,
            blocksetId,
            metadataId
        );
        if (id < 0)
        {
            id = Insert(
                """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (@0, @1, @2, @3)""",
                prefixId,
                name,
                blocksetId,
                metadataId
            );
            Commit();
        }

        return AddKnownFile(id, ticks);
    }

    /// <returns>False if the file is in the fileset already.</returns>
    internal bool AddKnownFile(long fileId, long ticks) =>
        Run(
            """INSERT OR IGNORE INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (@0, @1, @2)""",
            m_filesetId,
            fileId,
            ticks
        ) == 1;

    internal void Append(long previousId, string[] deleted)
    {
        var candidates = m_connection.Lines(
            $"""SELECT "FileID", "Lastmodified" FROM "FilesetEntry" WHERE "FilesetID" = {previousId} ORDER BY "FileID" DESC"""
        );
        var present = m_connection
            .Lines($"""SELECT "Path" FROM "File" WHERE "ID" IN (SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" = {m_filesetId})""")
            .ToHashSet();
        foreach (var parts in candidates.Select(line => line.Split('|')))
        {
            var newest = Number(
                """
                SELECT E."FileID" FROM "FilesetEntry" AS E JOIN "File" AS F ON F."ID" = E."FileID" JOIN "Fileset" AS S ON S."ID" = E."FilesetID"
                WHERE F."Path" = (SELECT "Path" FROM "File" WHERE "ID" = @0) AND S."ID" <> @2
                  AND (S."Timestamp", S."ID") >= ((SELECT "Timestamp" FROM "Fileset" WHERE "ID" = @1), @1)
                ORDER BY S."Timestamp" DESC, S."ID" DESC, E."FileID" DESC LIMIT 1
                """,
                long.Parse(parts[0]),
                previousId,
                m_filesetId
            );
            if (newest >= 0 && !present.Contains(m_connection.Scalar($"""SELECT "Path" FROM "File" WHERE "ID" = {newest}""")!))
                AddKnownFile(newest, long.Parse(parts[1]));
        }

        foreach (var path in deleted)
            Run(
                """DELETE FROM "FilesetEntry" WHERE "FilesetID" = @0 AND "FileID" IN (SELECT "ID" FROM "File" WHERE "Path" = @1)""",
                m_filesetId,
                path
            );
        Commit();
    }

    internal void RemoveDuplicatePaths() =>
        Run(
            """
            DELETE FROM "FilesetEntry" WHERE "FilesetID" = @0 AND EXISTS (
                SELECT 1 FROM "FilesetEntry" AS E JOIN "File" AS F ON F."ID" = E."FileID"
                WHERE E."FilesetID" = @0 AND E."FileID" > "FilesetEntry"."FileID" AND F."Path" = (SELECT "Path" FROM "File" WHERE "ID" = "FilesetEntry"."FileID"))
            """,
            m_filesetId
        );

    internal int Run(string sql, params object?[] values)
    {
        using var command = Command(sql, values);
        return command.ExecuteNonQuery();
    }

    internal long Number(string sql, params object?[] values)
    {
        using var command = Command(sql, values);
        return command.ExecuteScalar() is long value ? value : -1;
    }

    public void Dispose()
    {
        Execute("ROLLBACK");
        m_connection.Dispose();
    }

    // Which deleted blocks there are is learnt once, but for hashes that are no Base64.
    private bool MayReuse(string hash)
    {
        if (hash.StartsWith("odd", StringComparison.Ordinal))
            return true;

        m_deleted ??= [.. m_connection.Lines("""SELECT "Hash" FROM "DeletedBlock" """)];
        return m_deleted.Contains(hash);
    }

    // False if blocks of it were lost and are still missing.
    private bool Mend(long id, long size, int blocksize, string[] hashes)
    {
        if (Number("""SELECT 1 FROM "BlocksetEntry" WHERE "BlocksetID" = @0 AND "BlockID" NOT IN (SELECT "ID" FROM "Block")""", id) < 0)
            return true;

        var blocks = hashes.Select((hash, i) => FindBlock(hash, Math.Min(blocksize, size - ((long)i * blocksize)))).ToArray();
        if (blocks.Contains(-1))
            return false;

        for (var i = 0; i < blocks.Length; i++)
            Run("""UPDATE "BlocksetEntry" SET "BlockID" = @2 WHERE "BlocksetID" = @0 AND "Index" = @1""", id, i, blocks[i]);
        return true;
    }

    private void Execute(string sql) => m_connection.Execute(sql);

    /// <summary>Inserts a row and returns its id.</summary>
    internal long Insert(string sql, params object?[] values)
    {
        Run(sql, values);
        return Number("SELECT last_insert_rowid()");
    }

    /// <summary>A statement with values for <c>@0</c>, <c>@1</c> and so on.</summary>
    internal SqliteCommand Command(string sql, object?[] values)
    {
        var command = m_connection.CreateCommand();
        command.CommandText = sql;
        m_asked.Add(sql);
        for (var i = 0; i < values.Length; i++)
            command.Parameters.AddWithValue("@" + i, values[i] ?? DBNull.Value);
        return command;
    }

    private const string FILES = """
        SELECT F."Path" FROM FilesetEntry E JOIN "File" F ON F.ID = E.FileID WHERE E.FilesetID = FS.ID AND F.BlocksetID >= 0
        """;

    private const string FOLDERS = """
        SELECT F."Path" FROM FilesetEntry E JOIN "File" F ON F.ID = E.FileID JOIN Metadataset M ON M.ID = F.MetadataID JOIN Blockset S ON S.ID = M.BlocksetID
        JOIN BlocksetEntry X ON X.BlocksetID = S.ID AND X."Index" = 0 JOIN Block B ON B.ID = X.BlockID
        WHERE E.FilesetID = FS.ID AND F.BlocksetID IN (-100, -200)
        """;

    private const string PATHS = $"""
        SELECT COUNT(*) FROM Fileset FS
        WHERE (SELECT COUNT(*) FROM (SELECT DISTINCT "Path" FROM ({FILES} UNION {FOLDERS}))) <> (SELECT COUNT(*) FROM FilesetEntry WHERE FilesetID = FS.ID)
        """;

    /// <summary>The number of the first check that fails, 0 if none does. Only strict checks look at versions and their volumes.</summary>
    internal static int FirstInconsistency(SqliteConnection connection, int entriesPerBlocklist, bool strict, bool lists) =>
        PlainSql
            .Checks.Append(PATHS)
            .Select((sql, i) => (Number: i + 1, Sql: sql.Replace("@p0", $"{entriesPerBlocklist}", StringComparison.Ordinal)))
            .Where(x => (strict || x.Number is not (6 or 7)) && (lists || x.Number != 9))
            .FirstOrDefault(x => connection.Scalar(x.Sql) != "0")
            .Number;

    /// <summary>Deletes filesets: one statement a table that removes what nothing refers to.</summary>
    internal static void DeleteFilesets(SqliteConnection connection, params long[] times)
    {
        connection.Execute($"""DELETE FROM "Fileset" WHERE "Timestamp" IN ({string.Join(", ", times)})""");
        foreach (
            var sql in new[]
            {
                """DELETE FROM "FilesetEntry" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
                """DELETE FROM "ChangeJournalData" WHERE "FilesetID" NOT IN (SELECT "ID" FROM "Fileset")""",
                """DELETE FROM "FileLookup" WHERE "ID" NOT IN (SELECT "FileID" FROM "FilesetEntry")""",
                """DELETE FROM "Metadataset" WHERE "ID" NOT IN (SELECT "MetadataID" FROM "FileLookup")""",
                """DELETE FROM "Blockset" WHERE "ID" NOT IN (SELECT "BlocksetID" FROM "FileLookup" UNION SELECT "BlocksetID" FROM "Metadataset")""",
                """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
                """DELETE FROM "BlocklistHash" WHERE "BlocksetID" NOT IN (SELECT "ID" FROM "Blockset")""",
                """INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash") ORDER BY "ID" """,
                """DELETE FROM "Block" WHERE "ID" NOT IN (SELECT "BlockID" FROM "BlocksetEntry") AND "Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")""",
                """UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files' AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")""",
            }
        )
            connection.Execute(sql);
    }

    /// <summary>Removes volumes: everything is read into sets, decided row by row, and deleted row by row.</summary>
    internal static void RemoveVolumes(SqliteConnection connection, string[] names)
    {
        var volumes = Rows(connection, "SELECT ID, Name FROM Remotevolume").Where(x => names.Contains(x[1])).Select(x => x[0]).ToHashSet();
        var blocks = Rows(connection, "SELECT ID, Hash, VolumeID FROM Block").Where(x => volumes.Contains(x[2])).ToList();
        var blockIds = blocks.Select(x => x[0]).ToHashSet();
        var blockHashes = blocks.Select(x => x[1]).ToHashSet();
        var sets = Rows(connection, "SELECT BlocksetID, BlockID FROM BlocksetEntry")
            .Where(x => blockIds.Contains(x[1]))
            .Select(x => x[0])
            .Concat(Rows(connection, "SELECT BlocksetID, Hash FROM BlocklistHash").Where(x => blockHashes.Contains(x[1])).Select(x => x[0]))
            .ToHashSet();

        var files = Rows(connection, "SELECT ID, BlocksetID, MetadataID FROM FileLookup").ToDictionary(x => x[0]);
        var metadata = Rows(connection, "SELECT ID, BlocksetID FROM Metadataset").ToDictionary(x => x[0], x => x[1]);
        var entries = Rows(connection, "SELECT FilesetID, FileID FROM FilesetEntry");
        var pairs = entries
            .Where(x => metadata.TryGetValue(files[x[1]][2], out var set) && sets.Contains(set))
            .Select(x => (Metadata: files[x[1]][2], Fileset: x[0]))
            .ToHashSet();
        var lostMetadata = pairs.Select(x => x.Metadata).ToHashSet();
        var hitFilesets = pairs.Select(x => x.Fileset).ToHashSet();

        foreach (var entry in entries)
        {
            var file = files[entry[1]];
            if ((hitFilesets.Contains(entry[0]) && lostMetadata.Contains(file[2])) || sets.Contains(file[1]))
                connection.Execute($"DELETE FROM FilesetEntry WHERE FilesetID = {entry[0]} AND FileID = {entry[1]}");
        }

        foreach (var file in files.Values.Where(x => lostMetadata.Contains(x[2]) || sets.Contains(x[1])))
            connection.Execute($"DELETE FROM FileLookup WHERE ID = {file[0]}");
        foreach (var id in metadata.Where(x => sets.Contains(x.Value)).Select(x => x.Key))
            connection.Execute($"DELETE FROM Metadataset WHERE ID = {id}");
        foreach (var id in sets)
            connection.Execute(
                $"DELETE FROM Blockset WHERE ID = {id}; DELETE FROM BlocksetEntry WHERE BlocksetID = {id}; DELETE FROM BlocklistHash WHERE BlocksetID = {id}"
            );
        foreach (var id in volumes)
            connection.Execute(
                $"DELETE FROM IndexBlockLink WHERE IndexVolumeID = {id} OR BlockVolumeID = {id}; DELETE FROM Block WHERE VolumeID = {id}; DELETE FROM DeletedBlock WHERE VolumeID = {id}"
            );
        RemoveFilesets(connection, volumes, hitFilesets);
        foreach (var name in names)
            connection.Execute(
                $"DELETE FROM Remotevolume WHERE Name = '{name}' AND (DeleteGraceTime < {DateTimeOffset.UtcNow.ToUnixTimeSeconds()} OR State <> 'Deleted')"
            );
    }

    private static void RemoveFilesets(SqliteConnection connection, HashSet<string> volumes, HashSet<string> hitFilesets)
    {
        var remaining = Rows(connection, "SELECT DISTINCT FilesetID FROM FilesetEntry").Select(x => x[0]).ToHashSet();
        foreach (var fileset in Rows(connection, "SELECT ID, VolumeID FROM Fileset"))
        {
            var listIsGone = volumes.Contains(fileset[1]);
            if (listIsGone)
                connection.Execute(
                    $"DELETE FROM ChangeJournalData WHERE FilesetID = {fileset[0]}; DELETE FROM FilesetEntry WHERE FilesetID = {fileset[0]}"
                );
            if (!listIsGone && (!hitFilesets.Contains(fileset[0]) || remaining.Contains(fileset[0])))
                continue;

            connection.Execute(
                $"UPDATE Remotevolume SET State = 'Deleting' WHERE ID = {fileset[1]} AND State NOT IN ('Deleting', 'Deleted')"
            );
            connection.Execute($"DELETE FROM Fileset WHERE ID = {fileset[0]}");
        }
    }

    private static List<string[]> Rows(SqliteConnection connection, string sql) => [.. connection.Lines(sql).Select(x => x.Split('|'))];
}
