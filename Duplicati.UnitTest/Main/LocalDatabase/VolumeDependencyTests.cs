// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class VolumeDependencyTests : LocalDatabaseTestBase
{
    // Volumes: 1 data, 2 metadata, 3 blocklists only, 4 index of 1, 5 list of fileset 1, 6 list of fileset 2, 7 duplicate copy.
    [SetUp]
    public async Task Fill()
    {
        RemoteVolumeType[] types =
        [
            RemoteVolumeType.Blocks,
            RemoteVolumeType.Blocks,
            RemoteVolumeType.Blocks,
            RemoteVolumeType.Index,
            RemoteVolumeType.Files,
            RemoteVolumeType.Files,
            RemoteVolumeType.Blocks,
        ];
        for (var i = 0; i < types.Length; i++)
            await Db.RegisterRemoteVolumeAsync($"v{i + 1}", types[i], RemoteVolumeState.Verified, default);
        Execute(
            """
            UPDATE Remotevolume SET LockExpirationTime = 100 WHERE ID = 2;
            INSERT INTO IndexBlockLink VALUES (4, 1), (4, 3);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 5, 1, 1000), (2, 1, 6, 1, 2000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'data', 10, 1), (2, 'meta', 10, 2), (3, 'list', 10, 3);
            INSERT INTO DuplicateBlock VALUES (1, 7);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 10, 'data'), (2, 10, 'meta');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (2, 0, 2);
            INSERT INTO BlocklistHash VALUES (1, 0, 'list');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f', 1, 1), (2, 1, 'd/', -100, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (2, 2, 0);
            """
        );
    }

    [TestCase(1L, "v1,v2,v4,v5")]
    [TestCase(2L, "v2,v6")]
    [Contract("A 6.5 GetRemoteVolumesDependingOnFilesetsAsync")]
    [Contract("A 12 row 7")]
    public async Task A_fileset_depends_on_its_data_metadata_their_indexes_and_its_list(long fileset, string expected)
    {
        var volumes = await ListAsync(Db.GetRemoteVolumesDependingOnFilesetsAsync([fileset], default));

        Assert.That(string.Join(",", volumes.Select(x => x.Name).Order(StringComparer.Ordinal)), Is.EqualTo(expected));
        Assert.That(volumes.Single(x => x.Name == "v2").LockExpirationTime, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(100)));
        Assert.That(volumes, Has.All.Matches<(string Name, DateTime? Time)>(x => x.Time is { Kind: DateTimeKind.Utc }));
    }

    [Test]
    [Contract("A 6.5 GetRemoteVolumesDependingOnFilesetsAsync")]
    [Contract("A 12 row 7")]
    public async Task More_ids_than_a_chunk_work_and_no_ids_give_nothing()
    {
        var many = await ListAsync(Db.GetRemoteVolumesDependingOnFilesetsAsync(Enumerable.Range(1, 150).Select(x => (long)x), default));

        Assert.That(many.Select(x => x.Name), Is.EquivalentTo(new[] { "v1", "v2", "v4", "v5", "v6" }));
        Assert.That(await ListAsync(Db.GetRemoteVolumesDependingOnFilesetsAsync([], default)), Is.Empty);
        Assert.That(await ListAsync(Db.GetRemoteVolumesDependingOnFilesetsAsync(null!, default)), Is.Empty);
    }

    [Test]
    [Contract("A 1.4 row 4")]
    public async Task The_locks_can_be_changed_and_committed_while_the_volumes_are_listed()
    {
        var count = 0;
        await foreach (var (name, _) in Db.GetRemoteVolumesDependingOnFilesetsAsync([1], default))
        {
            await Db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Verified, 1, null, default);
            await Db.Transaction.CommitAsync(CancellationToken.None);
            count++;
        }

        Assert.That(count, Is.EqualTo(4));
    }
}
