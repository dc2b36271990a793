// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// Two backups on connections of their own and plain statements, one transaction after the other, with reads of all in between: whoever
/// writes has often read before another one committed.
/// </summary>
[TestFixture]
internal sealed class TwoBackupsTests
{
    private const int Steps = 400;
    private const int Keys = 40;

    // Larger than any block that the backup begins with.
    private const long Size = 700;

    private readonly Dictionary<string, long> m_blocks = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> m_blocksets = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> m_prefixes = new(StringComparer.Ordinal);
    private Random m_random = null!;

    [SetUp]
    public void SetUp()
    {
        m_blocks.Clear();
        m_blocksets.Clear();
        m_prefixes.Clear();
    }

    [Test]
    public async Task Ids_and_answers_are_those_of_plain_statements([Values(0, 1 << 20)] long mapBytes)
    {
        var seed = LongRun.Seed();
        m_random = new Random(seed);
        using var backup = new RandomBackup(seed);
        using var plain = Databases.Open(backup.Path);
        await using var first = await OpenAsync(backup.Path, "first", mapBytes);
        await using var second = await OpenAsync(backup.Path, "second", mapBytes);

        for (var step = 0; step < Steps; step++)
        {
            var database = m_random.Next(2) == 0 ? first : second;
            switch (m_random.Next(8))
            {
                case 0:
                    await FindAsync(database);
                    break;
                case 1 or 7:
                    Assert.That(await database.FilesetTimesAsync(default).CountAsync(), Is.Positive);
                    break;
                case 2:
                    await AddBlockAsync(database, plain);
                    break;
                case 3:
                    await AddBlocksetAsync(database, plain);
                    break;
                case 4:
                    await AddPrefixAsync(database, plain);
                    break;
                case 5:
                    Insert(plain);
                    break;
                default:
                    Delete(plain);
                    break;
            }
        }

        AssertTables(plain);
    }

    private static async Task<LocalBackupDatabase> OpenAsync(string path, string name, long mapBytes)
    {
        var database = await LocalBackupDatabase.CreateAsync(path, new Options([]), default);
        BlockOptions.Of(database.Session).MapBytes = mapBytes;
        var list = await database.RegisterRemoteVolumeAsync(
            $"{name}.dlist.zip",
            RemoteVolumeType.Files,
            RemoteVolumeState.Temporary,
            default
        );
        await database.CreateFilesetAsync(list, new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc), default);
        await database.Transaction.CommitAsync();
        return database;
    }

    private string Key() => $"key {m_random.Next(Keys)}";

    // The answer may be one of before the last commits, but never a wrong one.
    private async Task FindAsync(LocalBackupDatabase database)
    {
        var key = Key();
        var id = await database.FindBlockIDAsync(SampleDatabase.Hash(key), Size, default);
        if (id >= 0)
            Assert.That(id, Is.EqualTo(m_blocks[key]), key);
        // The lock that goes with the answer.
        await database.Transaction.RollBackAsync(default(CancellationToken));
    }

    private async Task AddBlockAsync(LocalBackupDatabase database, SqliteConnection plain)
    {
        var key = Key();
        var isNew = await database.AddBlockAsync(SampleDatabase.Hash(key), Size, 1, default);
        var id = await database.FindBlockIDAsync(SampleDatabase.Hash(key), Size, default);
        await database.Transaction.CommitAsync();
        Assert.That(IdOf(plain, "Block", "Hash", key), Is.EqualTo(id), key);
        Assert.That(isNew, Is.EqualTo(!m_blocks.ContainsKey(key)), key);
        m_blocks[key] = id;
    }

    private async Task AddBlocksetAsync(LocalBackupDatabase database, SqliteConnection plain)
    {
        var key = Key();
        var (isNew, id) = await database.AddBlocksetAsync(SampleDatabase.Hash(key), 0, 100, [], [], default);
        await database.Transaction.CommitAsync();
        Assert.That(isNew, Is.EqualTo(!m_blocksets.ContainsKey(key)), key);
        Assert.That(IdOf(plain, "Blockset", "FullHash", key), Is.EqualTo(id), key);
        m_blocksets[key] = id;
    }

    private async Task AddPrefixAsync(LocalBackupDatabase database, SqliteConnection plain)
    {
        var key = Key();
        var id = await database.GetOrCreatePathPrefixAsync($"/{key}/", default);
        await database.Transaction.CommitAsync();
        Assert.That(plain.Scalar($"""SELECT group_concat("ID") FROM "PathPrefix" WHERE "Prefix" = '/{key}/'"""), Is.EqualTo($"{id}"));
        Assert.That(m_prefixes.GetValueOrDefault(key, id), Is.EqualTo(id), key);
        m_prefixes[key] = id;
    }

    private void Insert(SqliteConnection plain)
    {
        var key = Key();
        if (!m_blocks.ContainsKey(key))
        {
            plain.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{SampleDatabase.Hash(key)}', {Size}, 2)""");
            m_blocks[key] = IdOf(plain, "Block", "Hash", key);
        }

        var other = Key();
        if (!m_blocksets.ContainsKey(other))
        {
            plain.Execute($"""INSERT INTO "Blockset" ("FullHash", "Length") VALUES ('{SampleDatabase.Hash(other)}', 0)""");
            m_blocksets[other] = IdOf(plain, "Blockset", "FullHash", other);
        }
    }

    private void Delete(SqliteConnection plain)
    {
        var key = $"gone {m_random.Next(Keys)}";
        plain.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{SampleDatabase.Hash(key)}', {Size}, 2)""");
        plain.Execute($"""DELETE FROM "Block" WHERE "Hash" = '{SampleDatabase.Hash(key)}'""");
    }

    private void AssertTables(SqliteConnection plain)
    {
        foreach (var (key, id) in m_blocks)
            Assert.That(IdOf(plain, "Block", "Hash", key), Is.EqualTo(id), key);
        foreach (var (key, id) in m_blocksets)
            Assert.That(IdOf(plain, "Blockset", "FullHash", key), Is.EqualTo(id), key);
        Assert.That(
            plain.Scalar($"""SELECT COUNT(*) FROM "Block" WHERE "Size" = {Size} AND "VolumeID" IN (1, 2)"""),
            Is.EqualTo($"{m_blocks.Count}")
        );
        Assert.That(plain.Pragma("integrity_check"), Is.EqualTo("ok"));
    }

    // Fails if there are two.
    private static long IdOf(SqliteConnection plain, string table, string column, string key) =>
        long.Parse(
            plain.Scalar(
                $"""SELECT group_concat("ID") FROM "{table}" WHERE "{column}" = '{SampleDatabase.Hash(key)}' AND "{(table == "Block" ? "Size" : "Length")}" = {(table == "Block" ? Size : 0)}"""
            )!,
            null
        );
}
