// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>Look-ups on databases that real Duplicati has written.</summary>
[TestFixture]
public class BackupGoldenTests : FolderTestBase
{
    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithDatabase))]
    public async Task Every_block_is_found_and_offered_again_changes_nothing(string set)
    {
        await using var database = await OpenAsync(set);
        var blocks = database.Connection.Lines("""SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" ORDER BY "Hash" """);
        foreach (var parts in blocks.Select(line => line.Split('|')))
        {
            Assert.That(await database.FindBlockIDAsync(parts[1], long.Parse(parts[2]), default), Is.EqualTo(long.Parse(parts[0])));
            Assert.That(await database.FindBlockIDAsync(parts[1], long.Parse(parts[2]) + 1, default), Is.EqualTo(-1));
            Assert.That(await database.AddBlockAsync(parts[1], long.Parse(parts[2]), 99999, default), Is.False);
        }

        Assert.That(
            database.Connection.Lines("""SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" ORDER BY "Hash" """),
            Is.EqualTo(blocks)
        );
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithDatabase))]
    public async Task An_unchanged_source_gives_a_fileset_equal_to_the_last_one(string set)
    {
        await using var database = await OpenAsync(set);
        var last = long.Parse(
            database.Connection.Scalar("""SELECT IFNULL((SELECT "ID" FROM "Fileset" ORDER BY "Timestamp" DESC LIMIT 1), -1)""")!
        );
        const string Files = """
            SELECT "FileLookup"."PrefixID", "FileLookup"."ID", "FilesetEntry"."Lastmodified", "Data"."Length", "Meta"."FullHash", "Meta"."Length", "FileLookup"."Path"
            FROM "FilesetEntry" JOIN "FileLookup" ON "FileLookup"."ID" = "FileID"
            JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
            JOIN "Metadataset" ON "Metadataset"."ID" = "MetadataID" JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
            WHERE "FilesetID" =
            """;
        var files = database.Connection.Lines($"{Files} {last} ORDER BY 2");
        var list = await database.RegisterRemoteVolumeAsync("new list", RemoteVolumeType.Files, RemoteVolumeState.Temporary, default);
        var current = await database.CreateFilesetAsync(list, DateTime.UtcNow, default);
        foreach (var parts in files.Select(line => line.Split('|', 7)))
        {
            var (id, time, length, hash, metadataLength) = await database.GetFileEntryAsync(long.Parse(parts[0]), parts[6], last, default);
            Assert.That(
                (id, time.Ticks, length, hash, metadataLength),
                Is.EqualTo((long.Parse(parts[1]), long.Parse(parts[2]), long.Parse(parts[3]), parts[4], long.Parse(parts[5]))),
                parts[6]
            );
            Assert.That((await database.GetMetadatasetIDAsync(hash!, metadataLength, default)).Item1, Is.True);
            await database.AddKnownFileAsync(id, time, default);
        }

        Assert.That(database.Connection.Lines($"{Files} {current} ORDER BY 2"), Is.EqualTo(files));
    }

    private async Task<LocalBackupDatabase> OpenAsync(string set) =>
        await LocalBackupDatabase.CreateAsync(GoldenData.Unpack(set, "local.sqlite", Folder.Path), new Options([]), default);
}
