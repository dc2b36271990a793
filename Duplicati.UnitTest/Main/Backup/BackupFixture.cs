// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>A backup in progress on a new database, with one block volume, one list volume and an open fileset.</summary>
internal sealed class BackupFixture : IAsyncDisposable
{
    internal const int Blocksize = 1024;

    private readonly TestFolder m_folder = new();

    private BackupFixture() { }

    internal string Path => m_folder.File("backup.sqlite");

    internal LocalBackupDatabase Database { get; private set; } = null!;

    internal long VolumeId { get; private set; }

    internal long FilesetId { get; private set; }

    /// <summary>What members know of blocks.</summary>
    internal BlockMap Map => BlockMap.Of(Database.Session);

    internal static async Task<BackupFixture> CreateAsync(Dictionary<string, string?>? options = null)
    {
        var fixture = new BackupFixture();
        await fixture.OpenAsync(options);
        fixture.VolumeId = await fixture.AddVolumeAsync("block-1", RemoteVolumeType.Blocks);
        fixture.FilesetId = await fixture.AddFilesetAsync(new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        await fixture.Database.CommitAsync(default);
        return fixture;
    }

    /// <summary>
    /// Ends the backup without a commit and begins the next one, on another file in the place of the first if there is one.
    /// </summary>
    internal async Task ReopenAsync(Dictionary<string, string?>? options = null, string? replacement = null)
    {
        await Database.DisposeAsync();
        if (replacement is not null)
            File.Move(replacement, Path, overwrite: true);
        await OpenAsync(options);
    }

    internal Task<long> AddVolumeAsync(string name, RemoteVolumeType type, RemoteVolumeState state = RemoteVolumeState.Uploaded) =>
        Database.RegisterRemoteVolumeAsync(name, type, state, default);

    internal async Task<long> AddFilesetAsync(DateTime time)
    {
        var list = await AddVolumeAsync($"list-{time.Ticks}", RemoteVolumeType.Files);
        return await Database.CreateFilesetAsync(list, time, default);
    }

    /// <summary>Adds the blocks with these numbers, their blockset and, with more than one, a blocklist.</summary>
    internal async Task<long> AddContentAsync(params int[] numbers)
    {
        foreach (var number in numbers)
            await Database.AddBlockAsync(BlockFixture.Hash(number), Blocksize, VolumeId, default);
        var hashes = numbers.Select(number => BlockFixture.Hash(number)).ToArray();
        string[] blocklists = numbers.Length > 1 ? [BlockFixture.Hash(-numbers[0])] : [];
        var (_, id) = await Database.AddBlocksetAsync(
            string.Join('+', numbers),
            numbers.Length * Blocksize,
            Blocksize,
            hashes,
            blocklists,
            default
        );
        return id;
    }

    /// <summary>Adds metadata of one block with this number.</summary>
    internal async Task<long> AddMetadataAsync(int number)
    {
        var hash = BlockFixture.Hash(number);
        await Database.AddBlockAsync(hash, 100, VolumeId, default);
        var (_, blocksetId) = await Database.AddBlocksetAsync(hash, 100, Blocksize, [hash], null!, default);
        var (_, id) = await Database.AddMetadatasetAsync(hash, 100, blocksetId, new Metahash(hash), default);
        return id;
    }

    /// <summary>Adds a file with its content and metadata to the current fileset and returns its id.</summary>
    internal async Task<long> AddFileAsync(string path, int content, int metadata = 1_000_000, long ticks = 10)
    {
        var blocksetId = await AddContentAsync(content);
        await Database.AddFileAsync(path, new DateTime(ticks, DateTimeKind.Utc), blocksetId, await AddMetadataAsync(metadata), default);
        return Number(
            $"""SELECT "ID" FROM "File" WHERE "Path" = '{path.Replace("'", "''", StringComparison.Ordinal)}' AND "BlocksetID" = {blocksetId}"""
        );
    }

    /// <summary>Adds the rows of blocks by plain statements and commits.</summary>
    internal void Fill(long first, long count)
    {
        using (var insert = Database.Session.Take("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, 1)"""))
        {
            for (var i = first; i < first + count; i++)
                insert.Bind(1, BlockFixture.Hash(i)).Bind(2, 1024L).ExecuteNonQuery();
        }

        Database.Transaction.Commit();
    }

    /// <summary>Adds a block that the map does not know, and returns its id.</summary>
    internal long Add(string hash, long size, long volumeId) => Map.Add(Map.KeyOf(hash, size), hash, size, volumeId);

    /// <summary>What a statement says of a block.</summary>
    internal long FindByStatement(string hash, long size)
    {
        using var find = Database.Session.Take(BlockSql.FindId);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
    }

    internal string? Scalar(string sql) => Database.Connection.Scalar(sql);

    internal long Number(string sql) => long.Parse(Scalar(sql) ?? "-1");

    internal void Execute(string sql) => Database.Connection.Execute(sql);

    /// <summary>What another connection sees, that is, what has been committed.</summary>
    internal long Committed(string sql) => long.Parse(Databases.Query(Path, sql) ?? "-1");

    /// <summary>Paths and ticks of a fileset, sorted.</summary>
    internal string[] Entries(long filesetId) =>
        Database.Connection.Lines(
            $"""
            SELECT "File"."Path" || ' ' || "File"."ID" || ' ' || "FilesetEntry"."Lastmodified"
            FROM "FilesetEntry" JOIN "File" ON "File"."ID" = "FilesetEntry"."FileID" WHERE "FilesetEntry"."FilesetID" = {filesetId} ORDER BY 1
            """
        );

    /// <summary>The error of the engine that an action ends with.</summary>
    internal static async Task<SqliteException?> CatchAsync(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (SqliteException ex)
        {
            return ex;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Database.DisposeAsync();
        m_folder.Dispose();
    }

    private async Task OpenAsync(Dictionary<string, string?>? options) =>
        Database = await LocalBackupDatabase.CreateAsync(Path, new Options(options ?? []), default);

    /// <summary>Metadata whose JSON holds its own hash.</summary>
    internal sealed record Metahash(string FileHash) : IMetahash
    {
        public byte[] Blob => [0xEF, 0xBB, 0xBF, .. System.Text.Encoding.UTF8.GetBytes($"{{\"a\":\"{FileHash}\"}}")];

        public Dictionary<string, string> Values => [];
    }
}

/// <summary>A new backup in progress for each test.</summary>
public abstract class BackupTestBase
{
    private protected BackupFixture Backup { get; private set; } = null!;

    private protected LocalBackupDatabase Db => Backup.Database;

    [SetUp]
    public async Task MakeBackup() => Backup = await BackupFixture.CreateAsync();

    [TearDown]
    public async Task RemoveBackup() => await Backup.DisposeAsync();

    /// <summary>The hashes of so many blocks.</summary>
    private protected static string[] Numbered(int count) => [.. Enumerable.Range(0, count).Select(i => BlockFixture.Hash(i))];

    /// <summary>Adds those that are not there and commits.</summary>
    private protected async Task AddBlocksAsync(int count)
    {
        foreach (var hash in Numbered(count))
            await Db.AddBlockAsync(hash, 1024, Backup.VolumeId, default);
        await Db.CommitAsync(default);
    }

    /// <summary>The hashes of the blocks of a content, in order.</summary>
    private protected string[] Hashes(long blockset) =>
        Db.Connection.Lines(
            $"""
            SELECT "Block"."Hash" FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetID" = {blockset} ORDER BY "BlocksetEntry"."Index"
            """
        );
}
