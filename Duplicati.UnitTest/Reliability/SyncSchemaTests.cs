// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Sync;

namespace Duplicati.UnitTest.Reliability;

/// <summary>The schema of a synchronization database does not change while it is used.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class SyncSchemaTests
{
    private const string Names =
        """SELECT group_concat("name") FROM (SELECT "name" FROM "sqlite_master" WHERE "name" NOT GLOB 'sqlite_*' ORDER BY "name")""";

    [Test]
    public async Task A_synchronization_database_has_the_objects_of_its_schema_after_every_commit()
    {
        using var folder = new TestFolder();
        var path = folder.File("sync.sqlite");
        using (new LocalSyncDatabase(path)) { }

        var schema = Databases.Query(path, Names);
        using var watch = new CommitWatch(folder.Path, x => Assert.That(x.Scalar(Names), Is.EqualTo(schema)));
        using (var database = new LocalSyncDatabase(path))
        {
            for (var i = 0; i < 3; i++)
                await database.UpsertInventoryAsync($"{i}", 1, DateTime.UnixEpoch, null, default);
        }

        Assert.That(watch.Failures, Is.Empty);
        Assert.That(watch.Looks, Is.Positive);
        Assert.That(Databases.Query(path, Names), Is.EqualTo(schema));
    }
}
