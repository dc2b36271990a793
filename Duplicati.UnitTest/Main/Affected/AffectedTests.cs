// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Affected;

/// <summary>What the loss of volumes hits.</summary>
[TestFixture]
public sealed class AffectedTests : SampleTestBase
{
    [SetUp]
    public void Make()
    {
        var (data, meta) = (Data.Volume("data.dblock"), Data.Volume("meta.dblock"));
        var content = Data.Blockset("content", 10, Data.Block("content", 10, data));
        var metadata = Data.Metadata(Data.Blockset("metadata", 5, Data.Block("metadata", 5, meta)));
        Data.Fileset(1000, Data.File("/old", content, metadata));
        Data.Fileset(2000, Data.File("/new/", SampleDatabase.Folder, metadata));
    }

    [Test]
    [Contract("C 3 GetVolumesAsync")]
    [Contract("C 0.7")]
    public async Task Volumes_are_those_that_a_listed_fileset_needs()
    {
        // Neither rows of contents nor of folders are asked for.
        foreach (var table in (string[])["Blockset", "PathPrefix"])
            Data.Insert($"""DELETE FROM "{table}" """);
        await using var db = await LocalListAffectedDatabase.CreateAsync(Data.Close(), null, default);
        var many = Enumerable.Range(0, 150).Select(i => $"other-{i}").Append("duplicati-1000.dlist.zip").ToArray();

        Assert.That(
            await db.GetVolumesAsync(many, default).Select(x => x.Name).ToListAsync(),
            Is.EquivalentTo(new[] { "data.dblock", "meta.dblock" })
        );
        Assert.That(await db.GetVolumesAsync(["data.dblock"], default).ToListAsync(), Is.Empty);
        Assert.That(await db.GetVolumesAsync([], default).ToListAsync(), Is.Empty);
    }

    [Test]
    [Contract("C 12 row 2")]
    [Contract("C 3 GetLogLinesAsync")]
    public async Task Log_lines_contain_a_name_in_which_wildcards_count()
    {
        Data.Insert(
            """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 20, 'Error', 'lost A_1.zip', 'why')"""
        );
        Data.Insert(
            """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 30, 'Error', 'lost aX1.zip', NULL)"""
        );
        Data.Insert(
            """INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path", "Data") VALUES (1, 10, 'put', 'a_1.zip', NULL), (1, 15, 'put', 'other-3', 'sent')"""
        );
        await using var db = await LocalListAffectedDatabase.CreateAsync(Data.Close(), null, default);
        var many = Enumerable.Range(0, 150).Select(i => $"other-{i}").Append("a_1.zip").ToArray();

        var lines = await db.GetLogLinesAsync(many, default).ToListAsync();

        Assert.That(
            lines.Select(x => (x.Timestamp, x.Message)),
            Is.EqualTo(
                new[]
                {
                    (DateTime.UnixEpoch.AddSeconds(10), ""),
                    (DateTime.UnixEpoch.AddSeconds(15), "sent"),
                    (DateTime.UnixEpoch.AddSeconds(20), "lost A_1.zip why"),
                    (DateTime.UnixEpoch.AddSeconds(30), "lost aX1.zip "),
                }
            )
        );
        Assert.That(lines.Select(x => x.Timestamp.Kind), Is.All.EqualTo(DateTimeKind.Utc));
        Assert.That(await db.GetLogLinesAsync([], default).ToListAsync(), Is.Empty);
    }
}
