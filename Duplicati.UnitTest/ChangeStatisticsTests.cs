// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest;

[TestFixture]
public class ChangeStatisticsTests
{
    private const long FOLDER = LocalDatabase.FOLDER_BLOCKSET_ID;
    private const long SYMLINK = LocalDatabase.SYMLINK_BLOCKSET_ID;
    private const long PREVIOUS = 1;
    private const long CURRENT = 2;

    private static readonly CancellationToken s_none = CancellationToken.None;

    private TestFolder m_folder = null!;
    private LocalDatabase m_db = null!;

    [SetUp]
    public async Task SetUp()
    {
        m_folder = new TestFolder();
        m_db = await LocalDatabase.CreateLocalDatabaseAsync(m_folder.File("test.sqlite"), "Test", true, null, s_none);
        // Metadata 1..4 with the hashes m1..m4, and 5 with the hash of 1; metadata 9 does not exist.
        await Run(
            """
            WITH n(x) AS (VALUES (1), (2), (3), (4)) INSERT INTO "Blockset" ("ID", "Length", "FullHash") SELECT 1000 + x, 10, 'm' || x FROM n;
            INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1005, 11, 'm1');
            WITH n(x) AS (VALUES (1), (2), (3), (4), (5)) INSERT INTO "Metadataset" ("ID", "BlocksetID") SELECT x, 1000 + x FROM n;
            """
        );
    }

    [TearDown]
    public async Task TearDown()
    {
        await m_db.DisposeAsync();
        m_folder.Dispose();
    }

    [Test]
    [Contract("A 5.10 counters")]
    public async Task Entries_count_as_added_deleted_and_modified_by_their_kind()
    {
        await Add(PREVIOUS, "gone/", FOLDER, 1, "gone", 10, 1, "gonelink", SYMLINK, 1);
        await Add(CURRENT, "new/", FOLDER, 1, "new", 10, 1, "new2", 11, 1, "newlink", SYMLINK, 1);
        await Add(PREVIOUS, "changed/", FOLDER, 1, "content", 20, 1, "metadata", 21, 1, "link", SYMLINK, 2, "same", 22, 1);
        await Add(CURRENT, "changed/", FOLDER, 2, "content", 30, 1, "metadata", 21, 3, "link", SYMLINK, 4, "same", 22, 1);
        Assert.That(await CompareAsync(), Is.EqualTo("A 1 1 2, D 1 1 1, M 1 1 2"));
    }

    [Test]
    [Contract("A 5.10 null-safe")]
    public async Task Metadata_is_compared_by_hash_and_a_missing_one_differs_from_any_other()
    {
        await Add(PREVIOUS, "equal", 10, 1, "lost", 11, 1, "found", 12, 9, "both", 13, 9);
        await Add(CURRENT, "equal", 10, 5, "lost", 11, 9, "found", 12, 1, "both", 13, 8);
        Assert.That(await CompareAsync(), Is.EqualTo("A 0 0 0, D 0 0 0, M 0 0 2"));
    }

    [Test]
    public async Task A_folder_that_became_a_file_is_a_change_of_the_folders_metadata_only()
    {
        await Add(PREVIOUS, "a", FOLDER, 1, "b", FOLDER, 1, "c", 10, 1);
        await Add(CURRENT, "a", 10, 1, "b", 10, 2, "c", FOLDER, 1);
        Assert.That(await CompareAsync(), Is.EqualTo("A 0 0 0, D 0 0 0, M 1 0 1"));
    }

    [Test]
    [Contract("A 5.10 times")]
    public async Task Times_alone_do_not_count()
    {
        await Add(PREVIOUS, "a", 10, 1);
        await Add(CURRENT, "a", 10, 1);
        await Run("UPDATE \"FilesetEntry\" SET \"Lastmodified\" = \"FilesetID\"");
        Assert.That(await CompareAsync(), Is.EqualTo("A 0 0 0, D 0 0 0, M 0 0 0"));
    }

    [Test]
    [Contract("A 5.10 previous -1")]
    public async Task Without_a_previous_fileset_everything_is_added()
    {
        await Add(CURRENT, "a", 10, 1, "b/", FOLDER, 1);
        Assert.That(await CompareAsync(previous: -1), Is.EqualTo("A 1 0 1, D 0 0 0, M 0 0 0"));
    }

    [Test]
    [Contract("A 5.10 equal ids")]
    public async Task A_fileset_compared_with_itself_counts_as_previous()
    {
        await Add(CURRENT, "a", 10, 1, "b/", FOLDER, 1);
        Assert.That(await CompareAsync(previous: CURRENT), Is.EqualTo("A 0 0 0, D 1 0 1, M 0 0 0"));
    }

    [Test]
    public async Task Names_are_compared_within_their_folder()
    {
        await Add(PREVIOUS, "a", 10, 1);
        await Run(
            "INSERT INTO \"FileLookup\" (\"ID\", \"PrefixID\", \"Path\", \"BlocksetID\", \"MetadataID\") VALUES (900, 8, 'a', 10, 1); INSERT INTO \"FilesetEntry\" VALUES (2, 900, 0)"
        );
        Assert.That(await CompareAsync(), Is.EqualTo("A 0 0 1, D 0 0 1, M 0 0 0"));
    }

    [Test]
    public async Task A_duplicate_path_that_went_away_is_a_modification()
    {
        await Add(PREVIOUS, "a", 10, 1, "a", 11, 1);
        await Add(CURRENT, "a", 11, 1);
        Assert.That(await CompareAsync(), Is.EqualTo("A 0 0 0, D 0 0 0, M 0 0 1"));
    }

    [Test]
    public async Task Counters_equal_a_plain_comparison_of_all_entries()
    {
        var random = new Random(LongRun.Seed());
        var previous = RandomEntries(random);
        var current = previous
            .Where(_ => random.Next(4) > 0)
            .ToDictionary(x => x.Key, x => random.Next(3) > 0 ? x.Value : RandomEntry(random));
        foreach (var (path, entry) in RandomEntries(random))
            current.TryAdd(path, entry);
        await Add(PREVIOUS, [.. previous.SelectMany(x => new object[] { x.Key, x.Value.Blockset, x.Value.Metadata })]);
        await Add(CURRENT, [.. current.SelectMany(x => new object[] { x.Key, x.Value.Blockset, x.Value.Metadata })]);
        Assert.That(await CompareAsync(), Is.EqualTo(Expected(previous, current)));
    }

    [Test]
    [Contract("A 5.10 no commit")]
    public async Task The_command_keeps_its_transaction_and_nothing_is_left_behind()
    {
        await Add(CURRENT, "a", 10, 1);
        await using var command = m_db.Connection.CreateCommand(m_db.Transaction);
        await ChangeStatistics.UpdateChangeStatisticsAsync(command, new BackupResults(), CURRENT, PREVIOUS, s_none);
        Assert.That(command.Transaction, Is.SameAs(m_db.Transaction.Transaction));
        command.SetCommandAndParameters("SELECT COUNT(*) FROM sqlite_temp_master");
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.Zero);
        await m_db.Transaction.RollBackAsync(s_none);
        command.SetTransaction(m_db.Transaction).SetCommandAndParameters("SELECT COUNT(*) FROM \"FilesetEntry\"");
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.Zero, "nothing was committed");
    }

    private static Dictionary<string, (long Blockset, long Metadata)> RandomEntries(Random random) =>
        Enumerable.Range(0, 200).Select(_ => "p" + random.Next(400)).Distinct().ToDictionary(x => x, _ => RandomEntry(random));

    private static (long Blockset, long Metadata) RandomEntry(Random random) =>
        (
            random.Next(4) switch
            {
                0 => FOLDER,
                1 => SYMLINK,
                _ => random.Next(10, 13),
            },
            random.Next(1, 7)
        );

    private static string Expected(
        Dictionary<string, (long Blockset, long Metadata)> previous,
        Dictionary<string, (long Blockset, long Metadata)> current
    )
    {
        var added = Kinds(current.Where(x => !previous.ContainsKey(x.Key)).Select(x => x.Value.Blockset));
        var deleted = Kinds(previous.Where(x => !current.ContainsKey(x.Key)).Select(x => x.Value.Blockset));
        var modified = Kinds(
            previous.Where(x => current.TryGetValue(x.Key, out var now) && Differ(x.Value, now)).Select(x => x.Value.Blockset)
        );
        return $"A {added}, D {deleted}, M {modified}";

        static bool Differ((long Blockset, long Metadata) before, (long Blockset, long Metadata) now) =>
            Hash(before.Metadata) != Hash(now.Metadata) || (before.Blockset >= 0 && before.Blockset != now.Blockset);

        static long Hash(long metadata) =>
            metadata switch
            {
                5 => 1,
                > 5 => 0,
                _ => metadata,
            };

        static string Kinds(IEnumerable<long> blocksets)
        {
            var all = blocksets.ToList();
            return $"{all.Count(x => x == FOLDER)} {all.Count(x => x == SYMLINK)} {all.Count(x => x >= 0)}";
        }
    }

    private async Task<string> CompareAsync(long previous = PREVIOUS)
    {
        var results = new BackupResults();
        await using var command = m_db.Connection.CreateCommand(m_db.Transaction);
        await ChangeStatistics.UpdateChangeStatisticsAsync(command, results, CURRENT, previous, s_none);
        return $"A {results.AddedFolders} {results.AddedSymlinks} {results.AddedFiles}, D {results.DeletedFolders} {results.DeletedSymlinks} {results.DeletedFiles}, M {results.ModifiedFolders} {results.ModifiedSymlinks} {results.ModifiedFiles}";
    }

    /// <summary>
    /// Adds entries given as name, blockset, metadata; equal ones in two filesets share their FileLookup row, as in a real database.
    /// </summary>
    private async Task Add(long fileset, params object[] entries)
    {
        await using var command = m_db.Connection.CreateCommand(m_db.Transaction);
        foreach (var entry in entries.Chunk(3))
        {
            await command.ExecuteNonQueryAsync(
                false,
                """
                INSERT OR IGNORE INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (7, @Path, @Blockset, @Metadata);
                INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
                SELECT @Fileset, "ID", 0 FROM "FileLookup" WHERE "PrefixID" = 7 AND "Path" = @Path AND "BlocksetID" = @Blockset AND "MetadataID" = @Metadata
                """,
                new Dictionary<string, object?>
                {
                    ["@Fileset"] = fileset,
                    ["@Path"] = entry[0],
                    ["@Blockset"] = entry[1],
                    ["@Metadata"] = entry[2],
                },
                s_none
            );
        }
    }

    private async Task Run(string sql)
    {
        await using var command = m_db.Connection.CreateCommand(m_db.Transaction);
        await command.ExecuteNonQueryAsync(false, sql, null, s_none);
    }
}
