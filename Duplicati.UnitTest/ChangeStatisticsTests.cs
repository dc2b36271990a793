// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest;

[TestFixture]
public class ChangeStatisticsTests : LocalDatabaseTestBase
{
    private const long FOLDER = LocalDatabase.FOLDER_BLOCKSET_ID;
    private const long SYMLINK = LocalDatabase.SYMLINK_BLOCKSET_ID;
    private const long PREVIOUS = 1;
    private const long CURRENT = 2;

    private static readonly CancellationToken s_none = CancellationToken.None;

    [SetUp]
    public void Fill() =>
        // Metadata 1..4 with the hashes m1..m4, and 5 with the hash of 1; others do not exist.
        Execute(
            """
            WITH n(x) AS (VALUES (1), (2), (3), (4)) INSERT INTO "Blockset" ("ID", "Length", "FullHash") SELECT 1000 + x, 10, 'm' || x FROM n;
            INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1005, 11, 'm1');
            WITH n(x) AS (VALUES (1), (2), (3), (4), (5)) INSERT INTO "Metadataset" ("ID", "BlocksetID") SELECT x, 1000 + x FROM n;
            """
        );

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
        Execute(
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
    [Contract("A 5.10 counters")]
    [Contract("A 5.10 null-safe")]
    [Contract("A 5.10 times")]
    public async Task Counters_equal_a_plain_comparison_of_all_entries()
    {
        var random = new Random(LongRun.Seed());
        var previous = RandomEntries(random);
        var current = previous.Where(_ => random.Next(4) > 0).ToDictionary(x => x.Key, x => Changed(x.Value, random));
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
        await using var command = Db.Connection.CreateCommand(Db.Transaction);
        await ChangeStatistics.UpdateChangeStatisticsAsync(command, new BackupResults(), CURRENT, PREVIOUS, s_none);
        Assert.That(command.Transaction, Is.SameAs(Db.Transaction.Transaction));
        command.SetCommandAndParameters("SELECT COUNT(*) FROM sqlite_temp_master");
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.Zero);
        await Db.Transaction.RollBackAsync(s_none);
        command.SetTransaction(Db.Transaction).SetCommandAndParameters("SELECT COUNT(*) FROM \"FilesetEntry\"");
        Assert.That(await command.ExecuteScalarInt64Async(false, s_none), Is.Zero, "nothing was committed");
    }

    private static Dictionary<string, (long Blockset, long Metadata)> RandomEntries(Random random) =>
        Enumerable.Range(0, 1000).Select(_ => "p" + random.Next(2000)).Distinct().ToDictionary(x => x, _ => RandomEntry(random));

    private static (long Blockset, long Metadata) RandomEntry(Random random) =>
        (
            random.Next(4) switch
            {
                0 => FOLDER,
                1 => SYMLINK,
                _ => random.Next(10, 13),
            },
            random.Next(1, 8)
        );

    // Most stay, some get other metadata, and some anything.
    private static (long Blockset, long Metadata) Changed((long Blockset, long Metadata) entry, Random random) =>
        random.Next(6) switch
        {
            0 => RandomEntry(random),
            1 => (entry.Blockset, random.Next(1, 8)),
            _ => entry,
        };

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
        await using var command = Db.Connection.CreateCommand(Db.Transaction);
        await ChangeStatistics.UpdateChangeStatisticsAsync(command, results, CURRENT, previous, s_none);
        return $"A {results.AddedFolders} {results.AddedSymlinks} {results.AddedFiles}, D {results.DeletedFolders} {results.DeletedSymlinks} {results.DeletedFiles}, M {results.ModifiedFolders} {results.ModifiedSymlinks} {results.ModifiedFiles}";
    }

    /// <summary>
    /// Adds entries given as name, blockset, metadata; equal ones in two filesets share their FileLookup row, as in a real
    /// database, and have other times.
    /// </summary>
    private async Task Add(long fileset, params object[] entries)
    {
        await using var command = Db.Connection.CreateCommand(Db.Transaction);
        foreach (var entry in entries.Chunk(3))
        {
            await command.ExecuteNonQueryAsync(
                false,
                """
                INSERT OR IGNORE INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (7, @Path, @Blockset, @Metadata);
                INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified")
                SELECT @Fileset, "ID", @Fileset FROM "FileLookup" WHERE "PrefixID" = 7 AND "Path" = @Path AND "BlocksetID" = @Blockset AND "MetadataID" = @Metadata
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
}
