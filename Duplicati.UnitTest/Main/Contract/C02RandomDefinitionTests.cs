// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.LocalDatabaseTests;
using Duplicati.UnitTest.Main.Plain;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>The words of the contract written down as plain statements, which must say of random databases what the layer says.</summary>
[TestFixture]
public sealed class C02RandomDefinitionTests : FolderTestBase
{
    private const int ROUNDS = 15;
    private const int LONG_ROUNDS = 200;

    private static readonly TestCaseData[] s_seeds =
    [
        .. Enumerable.Range(1, ROUNDS).Select(x => new TestCaseData(x)),
        .. Enumerable.Range(ROUNDS + 1, LONG_ROUNDS).Select(x => new TestCaseData(x).Explicit().SetCategory(LongRun.Category)),
    ];

    [TestCaseSource(nameof(s_seeds))]
    [Contract("C 2.1")]
    [Contract("C 2.2")]
    [Contract("C 2.3")]
    [Contract("C 2.7")]
    public async Task Broken_files_are_those_of_the_definition_also_after_volumes_are_lost(int seed)
    {
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Folder.File("x.sqlite"), null, default);
        var random = Fill(db, seed);
        for (var round = 0; round < 3; round++)
        {
            var counts = await db.GetBrokenFilesetsAsync(default, null, default)
                .Select(x => $"{x.FilesetID} {x.RemoveFileCount}")
                .ToListAsync(default);
            Assert.That(
                counts,
                Is.EqualTo(
                    Rows(
                        db,
                        $"SELECT FilesetID || ' ' || COUNT(*) FROM FilesetEntry WHERE FileID IN ({PlainLayer.Broken}) GROUP BY FilesetID ORDER BY FilesetID"
                    )
                )
            );
            for (var fileset = 1; fileset <= 4; fileset++)
            {
                var names = await db.GetBrokenFilenamesAsync(fileset, default).Select(x => $"{x.Item1} {x.Item2}").ToListAsync(default);
                Assert.That(
                    names,
                    Is.EquivalentTo(
                        Rows(
                            db,
                            $"SELECT f.Path || ' ' || IFNULL(s.Length, -1) FROM FilesetEntry e JOIN File f ON f.ID = e.FileID LEFT JOIN Blockset s ON s.ID = f.BlocksetID WHERE e.FilesetID = {fileset} AND f.ID IN ({PlainLayer.Broken})"
                        )
                    )
                );
            }

            if (round == 0)
                await db.RemoveMissingBlocksAsync([$"v{random.Next(1, 5)}", "unknown"], default);
            else
                await db.ReplaceMetadataAsync(random.Next(1, 5), random.Next(1, 21), default);
        }
    }

    [TestCaseSource(nameof(s_seeds))]
    [Contract("C 3 GetFilesetsAsync")]
    [Contract("C 3 GetFilesAsync")]
    [Contract("C 3 GetVolumesAsync")]
    public async Task What_volumes_hit_is_what_the_definition_says(int seed)
    {
        await using var db = await LocalListAffectedDatabase.CreateAsync(Folder.File("x.sqlite"), null, default);
        var random = Fill(db, seed);
        string[] names = [$"v{random.Next(1, 5)}", $"v{random.Next(1, 15)}", "unknown", "V1"];
        var volumes = $"SELECT ID FROM Remotevolume WHERE Name IN ('{string.Join("','", names)}')";
        var blocksets = $"SELECT e.BlocksetID FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID WHERE b.VolumeID IN ({volumes})";
        var files =
            $"SELECT l.ID FROM FileLookup l LEFT JOIN Metadataset m ON m.ID = l.MetadataID WHERE l.BlocksetID IN ({blocksets}) OR m.BlocksetID IN ({blocksets})";
        var listed = $"SELECT e.FileID FROM FilesetEntry e JOIN Fileset f ON f.ID = e.FilesetID WHERE f.VolumeID IN ({volumes})";
        var used =
            $"SELECT l.BlocksetID FROM FileLookup l WHERE l.ID IN ({listed}) UNION SELECT m.BlocksetID FROM FileLookup l JOIN Metadataset m ON m.ID = l.MetadataID WHERE l.ID IN ({listed})";

        Assert.That(
            await db.GetFilesetsAsync(names, default)
                .Select(x => $"{x.Version} {new DateTimeOffset(x.Time).ToUnixTimeSeconds()}")
                .ToListAsync(default),
            Is.EquivalentTo(
                Rows(
                    db,
                    $"SELECT (SELECT COUNT(*) FROM Fileset WHERE Timestamp > f.Timestamp) || ' ' || Timestamp FROM Fileset f WHERE VolumeID IN ({volumes}) OR ID IN (SELECT FilesetID FROM FilesetEntry WHERE FileID IN ({files}))"
                )
            )
        );
        Assert.That(
            await db.GetFilesAsync(names, default).Select(x => x.Path).ToListAsync(default),
            Is.EqualTo(Rows(db, $"SELECT DISTINCT Path FROM File WHERE ID IN ({files}) OR ID IN ({listed}) ORDER BY Path"))
        );
        Assert.That(
            await db.GetVolumesAsync(names, default).Select(x => x.Name).ToListAsync(default),
            Is.EquivalentTo(
                Rows(
                    db,
                    $"SELECT DISTINCT v.Name FROM Remotevolume v JOIN Block b ON b.VolumeID = v.ID JOIN BlocksetEntry e ON e.BlockID = b.ID WHERE e.BlocksetID IN ({used})"
                )
            )
        );
    }

    [TestCaseSource(nameof(s_seeds))]
    [Contract("C 5 RemovedFileSize")]
    [Contract("C 11.2 row 15")]
    [Contract("C 5 ConvertToPermanentFilesetAsync")]
    [Contract("C 5 ListAllDeletedFilesAsync")]
    public async Task What_a_purge_frees_is_what_the_definition_says(int seed)
    {
        await using var db = await LocalPurgeDatabase.CreateAsync(Folder.File("x.sqlite"), null, default);
        var random = Fill(db, seed);
        for (var fileset = 1; fileset <= 4; fileset++)
        {
            await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, default);
            var paths = Enumerable.Range(1, 25).Where(_ => random.Next(3) == 0).Select(i => $"/f{i}").Append("/none").ToArray();
            var removed =
                $"SELECT e.FileID FROM FilesetEntry e JOIN File f ON f.ID = e.FileID WHERE e.FilesetID = {fileset} AND f.Path IN ('{string.Join("','", paths)}')";
            var kept = $"SELECT FileID FROM FilesetEntry WHERE FilesetID = {fileset} AND FileID NOT IN ({removed})";
            var left = Rows(db, $"SELECT FileID FROM ({kept})");
            if (left.Length == 0)
            {
                Assert.That(
                    async () => await temporary.ApplyFilterAsync(new FilterExpression(paths), default),
                    Throws.TypeOf<UserInformationException>()
                );
                continue;
            }

            await temporary.ApplyFilterAsync(new FilterExpression(paths), default);

            string Data(string files) =>
                $"SELECT c.BlockID FROM FileLookup l JOIN BlocksetEntry c ON c.BlocksetID = l.BlocksetID WHERE l.ID IN ({files})";
            string Meta(string files) =>
                $"SELECT c.BlockID FROM FileLookup l JOIN Metadataset m ON m.ID = l.MetadataID JOIN BlocksetEntry c ON c.BlocksetID = m.BlocksetID WHERE l.ID IN ({files})";
            Assert.That(
                temporary.RemovedFileSize.ToString(CultureInfo.InvariantCulture),
                Is.EqualTo(
                    Rows(
                            db,
                            $"SELECT IFNULL(SUM(Size), 0) FROM Block WHERE (ID IN ({Data(removed)}) AND ID NOT IN ({Data(kept)})) OR (ID IN ({Meta(removed)}) AND ID NOT IN ({Meta(kept)}))"
                        )
                        .Single()
                )
            );
            Assert.That(
                temporary.RemovedFileCount.ToString(CultureInfo.InvariantCulture),
                Is.EqualTo(Rows(db, $"SELECT COUNT(*) FROM ({removed})").Single())
            );
            Assert.That(
                await temporary.ListAllDeletedFilesAsync(default).Select(x => $"{x.Key} {x.Value}").ToListAsync(default),
                Is.EquivalentTo(
                    Rows(
                        db,
                        $"SELECT f.Path || ' ' || s.Length FROM File f JOIN Blockset s ON s.ID = f.BlocksetID WHERE f.ID IN ({removed})"
                    )
                )
            );
            var (_, rewritten) = await temporary.ConvertToPermanentFilesetAsync($"new{fileset}", DateTime.UnixEpoch, true, default);
            Assert.That(Rows(db, $"SELECT FileID FROM FilesetEntry WHERE FilesetID = {rewritten}"), Is.EquivalentTo(left));
        }
    }

    [TestCaseSource(nameof(s_seeds))]
    [Contract("C 4 AddFromDbAsync")]
    [Contract("C 4 counts")]
    [Contract("C 4 sizes")]
    public async Task Changes_are_those_of_the_definition(int seed)
    {
        await using var db = await LocalListChangesDatabase.CreateAsync(Folder.File("x.sqlite"), null, default);
        var random = Fill(db, seed);
        // Different files of one path, so that something can be modified.
        db.Connection.Execute("UPDATE OR IGNORE FileLookup SET Path = 'f' || (ID % 12)");
        var (from, to) = (random.Next(1, 5), random.Next(1, 5));
        db.Connection.Execute(
            "DELETE FROM FilesetEntry WHERE FileID NOT IN (SELECT MIN(e.FileID) FROM FilesetEntry e JOIN FileLookup l ON l.ID = e.FileID WHERE e.FilesetID = FilesetEntry.FilesetID GROUP BY l.Path)"
        );
        string Entries(int fileset) =>
            $"""
                SELECT f.Path, CASE f.BlocksetID WHEN -100 THEN 0 WHEN -200 THEN 1 ELSE 2 END AS Type, CASE WHEN f.BlocksetID < 0 THEN -1 ELSE s.Length END AS Size, CASE WHEN f.BlocksetID < 0 THEN NULL ELSE s.FullHash END AS Hash, t.FullHash AS Meta
                FROM FilesetEntry e JOIN File f ON f.ID = e.FileID JOIN Metadataset m ON m.ID = f.MetadataID JOIN Blockset t ON t.ID = m.BlocksetID LEFT JOIN Blockset s ON s.ID = f.BlocksetID
                WHERE e.FilesetID = {fileset} AND (f.BlocksetID IN (-100, -200) OR s.ID IS NOT NULL)
                """;
        var (before, after) = (Entries(from), Entries(to));
        var expected = Rows(
            db,
            $"""
            SELECT 'Added ' || Type || Path FROM ({after}) WHERE Path NOT IN (SELECT Path FROM ({before}))
            UNION ALL SELECT 'Deleted ' || Type || Path FROM ({before}) WHERE Path NOT IN (SELECT Path FROM ({after}))
            UNION ALL SELECT 'Modified ' || a.Type || a.Path FROM ({after}) a JOIN ({before}) b ON a.Path = b.Path
                WHERE (a.Hash IS NOT NULL AND b.Hash IS NOT NULL AND a.Hash <> b.Hash) OR a.Meta <> b.Meta OR a.Type <> b.Type
            """
        );
        var sums = Rows(
                db,
                $"SELECT IFNULL((SELECT SUM(Size) FROM ({before})), 0) || ' ' || IFNULL((SELECT SUM(Size) FROM ({after})), 0) || ' ' || IFNULL((SELECT SUM(Size) FROM ({after}) WHERE Path NOT IN (SELECT Path FROM ({before}))), 0) || ' ' || IFNULL((SELECT SUM(Size) FROM ({before}) WHERE Path NOT IN (SELECT Path FROM ({after}))), 0)"
            )
            .Single();
        await using var storage = await db.CreateStorageHelperAsync(default);

        await storage.AddFromDbAsync(from, false, null!, default);
        await storage.AddFromDbAsync(to, true, null!, default);

        Assert.That(
            await storage.CreateChangedFileReportAsync(default).Select(x => $"{x.Item1} {(int)x.Item2}{x.Item3}").ToListAsync(default),
            Is.EquivalentTo(expected)
        );
        var sizes = await storage.CreateChangeSizeReportAsync(default);
        Assert.That($"{sizes.PreviousSize} {sizes.CurrentSize} {sizes.AddedSize} {sizes.DeletedSize}", Is.EqualTo(sums));
        var counts = await storage.CreateChangeCountReportAsync(default);
        Assert.That(
            counts.AddedFiles + counts.AddedFolders + counts.AddedSymlinks,
            Is.EqualTo(expected.Count(x => x.StartsWith("Added", StringComparison.Ordinal)))
        );
        Assert.That(
            counts.ModifiedFiles + counts.ModifiedFolders + counts.ModifiedSymlinks,
            Is.EqualTo(expected.Count(x => x.StartsWith("Modified", StringComparison.Ordinal)))
        );
    }

    [TestCaseSource(nameof(s_seeds))]
    [Contract("C 6.3 blocklist")]
    [Contract("C 6.3 blocklist-hash list")]
    [Contract("C 11.2 row 18")]
    public async Task Comparisons_are_those_of_the_definition(int seed)
    {
        await using var db = await LocalTestDatabase.CreateAsync(Folder.File("x.sqlite"), null, default);
        var random = Fill(db, seed);
        for (var volume = 1; volume <= 4; volume++)
        {
            await using var blocks = await db.CreateBlocklistAsync($"v{volume}", default);
            await using var blocklists = await db.CreateBlocklistHashListAsync($"v{volume}", default);
            db.Connection.Execute("CREATE TEMP TABLE IF NOT EXISTS found (Hash, Size); DELETE FROM found");
            foreach (
                var row in Rows(db, "SELECT Hash || ' ' || Size FROM Block UNION SELECT 'extra' || ID || ' 5' FROM Fileset")
                    .SelectMany(x => Enumerable.Repeat(x, random.Next(3)))
            )
            {
                var (hash, size) = (
                    row.Split(' ')[0],
                    long.Parse(row.Split(' ')[1], CultureInfo.InvariantCulture) + (random.Next(6) == 0 ? 1 : 0)
                );
                await blocks.AddBlockAsync(hash, size, default);
                await blocklists.AddBlockHashAsync(hash, size, default);
                db.Connection.Execute($"INSERT INTO found VALUES ('{hash}', {size})");
            }

            var known =
                $"SELECT Hash, Size FROM Block WHERE VolumeID = {volume} UNION SELECT Hash, Size FROM DeletedBlock WHERE VolumeID = {volume} UNION SELECT b.Hash, b.Size FROM DuplicateBlock d JOIN Block b ON b.ID = d.BlockID WHERE d.VolumeID = {volume}";
            Assert.That(
                await blocks.CompareAsync(default).Select(x => $"{x.Key} {x.Value}").ToListAsync(default),
                Is.EquivalentTo(
                    Rows(
                        db,
                        $"""
                        SELECT DISTINCT 'Extra ' || Hash FROM found WHERE Hash NOT IN (SELECT Hash FROM ({known}))
                        UNION ALL SELECT DISTINCT 'Missing ' || Hash FROM ({known}) WHERE Hash NOT IN (SELECT Hash FROM found)
                        UNION ALL SELECT DISTINCT 'Modified ' || k.Hash FROM ({known}) k JOIN found f ON f.Hash = k.Hash WHERE f.Size <> k.Size
                        """
                    )
                )
            );

            // Blocks of 7 bytes, 2 hashes of 10 bytes in a blocklist.
            const string count = "((s.Length + 6) / 7)";
            var expected =
                $"SELECT h.Hash, CASE WHEN {count} % 2 <> 0 AND h.\"Index\" = ({count} - 1) / 2 THEN 10 ELSE 20 END AS Size FROM BlocklistHash h JOIN Blockset s ON s.ID = h.BlocksetID";
            var held =
                $"SELECT x.Hash, x.Size FROM ({expected}) x JOIN Block b ON b.Hash = x.Hash AND b.Size = x.Size JOIN IndexBlockLink k ON k.BlockVolumeID = b.VolumeID WHERE k.IndexVolumeID = {volume}";
            Assert.That(
                await blocklists.CompareAsync(2, 10, 7, default).Select(x => $"{x.Key} {x.Value}").ToListAsync(default),
                Is.EquivalentTo(
                    Rows(
                        db,
                        $"""
                        SELECT DISTINCT 'Extra ' || Hash FROM found WHERE (Hash, Size) NOT IN ({held})
                        UNION ALL SELECT DISTINCT 'Missing ' || Hash FROM ({held}) WHERE (Hash, Size) NOT IN (SELECT Hash, Size FROM found)
                        """
                    )
                )
            );
        }
    }

    private static Random Fill(LocalDatabase db, int seed)
    {
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var connection = db.Connection;
        InconsistentRows.Fill(connection, random);
        connection.Execute("UPDATE Block SET Size = CASE ID % 3 WHEN 0 THEN 10 WHEN 1 THEN 20 ELSE Size END");
        connection.Execute(
            $"UPDATE FileLookup SET BlocksetID = -200 WHERE ID % 11 = {random.Next(11)}; UPDATE FileLookup SET MetadataID = 99 WHERE ID % 13 = {random.Next(13)}; UPDATE Blockset SET Length = 0 WHERE ID % 9 = {random.Next(9)}; DELETE FROM Block WHERE ID % 10 = {random.Next(10)}; UPDATE Block SET VolumeID = -1 WHERE ID % 12 = {random.Next(12)}"
        );
        return random;
    }

    private static string[] Rows(LocalDatabase db, string sql) => db.Connection.Lines(sql);
}
