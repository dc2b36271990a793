// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Main.LocalDatabaseTests;
using Duplicati.UnitTest.Main.Plain;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability.TwoReleases;

/// <summary>
/// A release that knows nothing of this layer: version 19 and no other, the connection settings, the commit points and the statement for
/// each row that the contract has (A 1.2, 3.2, 4.1, 7). It keeps nothing in memory.
/// </summary>
internal sealed class PlainRelease : IDisposable
{
    /// <summary>Length of its blocks in bytes.</summary>
    internal const int Blocksize = 1024;

    private const int ENTRIES_A_BLOCKLIST = 32;
    private const int NEWEST = 19;
    private const string SETTINGS =
        "PRAGMA busy_timeout=10000; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; PRAGMA journal_mode=WAL; PRAGMA cache_size=-65536; PRAGMA mmap_size=67108864; PRAGMA threads=8";

    private const string FIND_VOLUME = """SELECT "ID" FROM "Remotevolume" WHERE "Name" = @0""";

    private const string FIND_ENTRY = """
        SELECT F."ID" FROM "FileLookup" F JOIN "FilesetEntry" E ON E."FileID" = F."ID" JOIN "Blockset" B ON B."ID" = F."BlocksetID"
        JOIN "Metadataset" M ON M."ID" = F."MetadataID" JOIN "Blockset" D ON D."ID" = M."BlocksetID" WHERE F."PrefixID" = @0 AND F."Path" = @1 AND E."FilesetID" = @2
        """;

    private const string FIND_METADATA = """
        SELECT M."ID" FROM "Metadataset" M JOIN "BlocksetEntry" E ON E."BlocksetID" = M."BlocksetID" JOIN "Block" B ON B."ID" = E."BlockID" WHERE B."Hash" = @0 AND B."Size" = @1
        """;

    private const string ENTRIES = """
        SELECT P."Prefix" || L."Path", IFNULL(B."FullHash", ''), IFNULL(B."Length", -1), L."PrefixID", L."Path", L."BlocksetID"
        FROM "FilesetEntry" E JOIN "FileLookup" L ON L."ID" = E."FileID" JOIN "PathPrefix" P ON P."ID" = L."PrefixID" LEFT JOIN "Blockset" B ON B."ID" = L."BlocksetID"
        WHERE E."FilesetID" = @0
        """;

    private readonly PlainLayer m_rows;

    private PlainRelease(SqliteConnection connection) => m_rows = new PlainLayer(connection);

    internal SqliteConnection Connection => m_rows.Connection;

    /// <summary>Opens a database of its version.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseVersionNotSupportedError</c>: it has another one.</exception>
    internal static PlainRelease Open(string path)
    {
        var connection = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
        connection.Execute(SETTINGS);
        var version = ReleaseBefore.Version(connection);
        if (version == NEWEST)
            return new PlainRelease(connection);
        connection.Dispose();
        throw new UserInformationException($"The database has version {version}, not {NEWEST}", "DatabaseVersionNotSupportedError");
    }

    /// <summary>The times of the versions, in seconds, with their ids.</summary>
    internal Dictionary<long, long> Versions()
    {
        var versions = new Dictionary<long, long>();
        Read("""SELECT "Timestamp", "ID" FROM "Fileset" """, x => versions.Add(x.GetInt64(0), x.GetInt64(1)));
        return versions;
    }

    /// <summary>The entries of a version: path, hash and length, sorted.</summary>
    internal string[] Entries(long filesetId)
    {
        var entries = new List<string>();
        Read(ENTRIES, x => entries.Add($"{x.GetString(0)}|{x.GetString(1)}|{x.GetInt64(2)}"), filesetId);
        return [.. entries.Order(StringComparer.Ordinal)];
    }

    /// <summary>Every file of a version is found by each of the look-ups of a backup.</summary>
    internal void AssertFindsAll(long filesetId)
    {
        var files = new List<(string Hash, long Length, long Prefix, string Name, long Blockset)>();
        Read(ENTRIES, x => files.Add((x.GetString(1), x.GetInt64(2), x.GetInt64(3), x.GetString(4), x.GetInt64(5))), filesetId);
        foreach (var (hash, length, prefix, name, blockset) in files.Where(x => x.Blockset >= 0))
        {
            Assert.That(m_rows.Number(FIND_ENTRY, prefix, name, filesetId), Is.Positive, name);
            Assert.That(
                m_rows.Number("""SELECT "ID" FROM "Blockset" WHERE "FullHash" = @0 AND "Length" = @1""", hash, length),
                Is.EqualTo(blockset),
                name
            );
            Read(
                """SELECT B."Hash", B."Size", B."ID" FROM "BlocksetEntry" E JOIN "Block" B ON B."ID" = E."BlockID" WHERE E."BlocksetID" = @0""",
                x => Assert.That(m_rows.FindBlock(x.GetString(0), x.GetInt64(1)), Is.EqualTo(x.GetInt64(2))),
                blockset
            );
        }
    }

    /// <summary>The contract's checks of a database find nothing.</summary>
    internal void AssertConsistent() =>
        Assert.That(PlainLayer.FirstInconsistency(Connection, ENTRIES_A_BLOCKLIST, strict: false, lists: false), Is.Zero);

    /// <summary>No statement that it ran reads a whole table, but for the few versions there are.</summary>
    internal void AssertUsesIndexes()
    {
        foreach (var sql in m_rows.Asked.ToArray())
        {
            using var command = Connection.CreateCommand();
            command.CommandText = "EXPLAIN QUERY PLAN " + sql;
            for (var i = 0; i < 6; i++)
                command.Parameters.AddWithValue("@" + i, 0);
            using var reader = command.ExecuteReader();
            while (reader.Read())
                Assert.That(
                    reader.GetString(3),
                    Does.Not.StartWith("SCAN").Or.EqualTo("SCAN CONSTANT ROW").Or.EqualTo("SCAN Fileset"),
                    sql
                );
        }
    }

    /// <summary>
    /// A backup that comes to no end: volumes that were never uploaded, files in them, and the commits that go with each.
    /// </summary>
    /// <param name="number">Another one each time.</param>
    /// <param name="files">How many.</param>
    /// <param name="committed">Told the path of each file that is committed.</param>
    internal void BackUp(int number, int files, Action<string>? committed = null)
    {
        var time = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var operation = m_rows.Insert("""INSERT INTO "Operation" ("Description", "Timestamp") VALUES ('Backup', @0)""", time);
        // The first second that no version has.
        while (m_rows.Number(FIND_VOLUME, ListName(time)) >= 0)
            time++;
        m_rows.CreateFileset(operation, AddVolume(operation, ListName(time), "Files"), time);
        var volume = AddVolume(operation, $"duplicati-b{Guid.NewGuid():N}.dblock.zip", "Blocks");
        m_rows.Commit();
        for (var file = 0; file < files; file++)
        {
            var (data, blockset) = AddBlockset((number * 1_000_000L) + (2 * file), volume);
            var (meta, described) = AddBlockset((number * 1_000_000L) + (2 * file) + 1, volume);
            Assert.That(m_rows.Number(FIND_METADATA, meta, Blocksize), Is.EqualTo(-1), data);
            var (_, metadata) = m_rows.AddMetadataset(meta, Blocksize, described);
            m_rows.AddFile($"/plain/{number}/", $"{file}", DateTime.UtcNow.Ticks, blockset, metadata);
            committed?.Invoke($"/plain/{number}/{file}");
        }
    }

    public void Dispose() => m_rows.Dispose();

    private static string ListName(long time) =>
        $"duplicati-{DateTimeOffset.FromUnixTimeSeconds(time).ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture)}.dlist.zip";

    private long AddVolume(long operation, string name, string type)
    {
        Assert.That(m_rows.Number(FIND_VOLUME, name), Is.EqualTo(-1));
        return m_rows.Insert(
            """
            INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "Size", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
            VALUES (@0, @1, @2, 'Temporary', -1, 0, 0, 0, 0)
            """,
            operation,
            name,
            type
        );
    }

    private (string Hash, long Id) AddBlockset(long content, long volume)
    {
        var hash = BlockFixture.Hash(content);
        m_rows.AddBlock(hash, Blocksize, volume);
        return (hash, m_rows.AddBlockset(hash, Blocksize, Blocksize, [hash], [])!.Value.Item2);
    }

    private void Read(string sql, Action<SqliteDataReader> row, params object[] values)
    {
        using var command = m_rows.Command(sql, values);
        using var reader = command.ExecuteReader();
        while (reader.Read())
            row(reader);
    }
}
