// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>A backup database in a folder of its own, filled row by row with plain statements.</summary>
internal sealed class SampleDatabase : IDisposable
{
    internal const long Folder = -100;
    internal const long Symlink = -200;

    private readonly TestFolder m_folder = new();
    private readonly Dictionary<string, long> m_prefixes = [];
    private SqliteConnection? m_connection;
    private StatementCache? m_statements;

    internal SampleDatabase()
    {
        Path = m_folder.File("backup.sqlite");
        m_connection = SQLiteLoader.LoadConnection(Path);
        DatabaseUpgrader.UpgradeDatabase(m_connection, Path, typeof(DatabaseSchemaMarker));
        m_statements = new StatementCache(m_connection);
        m_statements.Execute("BEGIN");
        Insert("""INSERT INTO "Operation" ("Description", "Timestamp") VALUES ('Backup', 1)""");
    }

    internal string Path { get; }

    /// <summary>The Base64 text of a digest that depends on a text only.</summary>
    internal static string Hash(string seed) => Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(seed)));

    internal long Volume(string name, string type = "Blocks", string state = "Verified", long? size = 1000, string? hash = "volume-hash") =>
        Insert(
            """INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "Size", "Hash", "State", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime") VALUES (1, ?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0)""",
            name,
            type,
            size,
            hash,
            state
        );

    internal long Block(string seed, long size, long volume) =>
        Insert("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""", Hash(seed), size, volume);

    internal long DeletedBlock(string seed, long size, long volume) =>
        Insert("""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3)""", Hash(seed), size, volume);

    internal void DuplicateBlock(long block, long volume) =>
        Insert("""INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (?1, ?2)""", block, volume);

    internal void Link(long index, long block) =>
        Insert("""INSERT INTO "IndexBlockLink" ("IndexVolumeID", "BlockVolumeID") VALUES (?1, ?2)""", index, block);

    internal long Blockset(string seed, long length, params long[] blocks)
    {
        var id = Insert("""INSERT INTO "Blockset" ("Length", "FullHash") VALUES (?1, ?2)""", length, Hash(seed));
        for (var i = 0; i < blocks.Length; i++)
            Insert("""INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, ?2, ?3)""", id, (long)i, blocks[i]);
        return id;
    }

    internal void Blocklist(long blockset, long index, string seed) =>
        Insert("""INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (?1, ?2, ?3)""", blockset, index, Hash(seed));

    internal long Metadata(long blockset) => Insert("""INSERT INTO "Metadataset" ("BlocksetID") VALUES (?1)""", blockset);

    /// <summary>Adds a file with its path split after the last separator that is not at its end.</summary>
    internal long File(string path, long blockset, long metadata = -1)
    {
        var split = path.TrimEnd('/', '\\').LastIndexOfAny(['/', '\\']) + 1;
        return Insert(
            """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""",
            Prefix(path[..split]),
            path[split..],
            blockset,
            metadata
        );
    }

    /// <summary>Adds a fileset with its dlist volume, named after the time.</summary>
    internal long Fileset(long epochSeconds, params long[] files)
    {
        var id = EmptyFileset(epochSeconds, Volume($"duplicati-{epochSeconds}.dlist.zip", "Files"));
        foreach (var file in files)
            Insert("""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, 0)""", id, file);
        return id;
    }

    internal long EmptyFileset(long epochSeconds, long volume, bool isFull = true) =>
        Insert(
            """INSERT INTO "Fileset" ("OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, ?1, ?2, ?3)""",
            volume,
            isFull ? 1L : 0L,
            epochSeconds
        );

    /// <summary>Runs any statement with texts, numbers and nulls bound by position.</summary>
    internal long Insert(string sql, params object?[] values)
    {
        using var statement = m_statements!.Prepare(sql);
        for (var i = 0; i < values.Length; i++)
        {
            if (values[i] is long number)
                statement.Bind(i + 1, number);
            else
                statement.Bind(i + 1, (string?)values[i]);
        }

        statement.ExecuteNonQuery();
        return m_statements.LastInsertRowId;
    }

    /// <summary>Commits and closes, so that the file is free for others.</summary>
    internal string Close()
    {
        m_statements?.Execute("COMMIT");
        m_statements?.Dispose();
        m_connection?.Dispose();
        (m_statements, m_connection) = (null, null);
        return Path;
    }

    /// <summary>Rows of a query on the closed file, columns joined by a bar, sorted.</summary>
    internal string[] Rows(string sql) => Rows(Path, sql);

    /// <summary>Rows of a query, columns joined by a bar, sorted.</summary>
    internal static string[] Rows(string path, string sql)
    {
        using var connection = SQLiteLoader.LoadConnection(path);
        using var statements = new StatementCache(connection);
        using var statement = statements.Prepare(sql);
        var rows = new List<string>();
        while (statement.Read())
            rows.Add(string.Join('|', Enumerable.Range(0, statement.FieldCount).Select(i => statement.GetString(i) ?? "null")));
        rows.Sort(StringComparer.Ordinal);
        return [.. rows];
    }

    public void Dispose()
    {
        m_statements?.Dispose();
        m_connection?.Dispose();
        m_folder.Dispose();
    }

    private long Prefix(string prefix)
    {
        if (!m_prefixes.TryGetValue(prefix, out var id))
            m_prefixes.Add(prefix, id = Insert("""INSERT INTO "PathPrefix" ("Prefix") VALUES (?1)""", prefix));
        return id;
    }
}

/// <summary>A new sample database for each test.</summary>
public abstract class SampleTestBase
{
    private protected SampleDatabase Data { get; private set; } = null!;

    [SetUp]
    public void MakeSample() => Data = new SampleDatabase();

    [TearDown]
    public void RemoveSample() => Data.Dispose();
}
