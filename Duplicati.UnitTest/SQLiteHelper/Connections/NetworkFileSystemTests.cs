// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Connections;

[TestFixture]
public class NetworkFileSystemTests : ConnectionTestBase
{
    private static readonly string[] Mounts =
    [
        "/dev/sda1 / ext4 rw 0 0",
        "server:/data /mnt/data nfs4 rw 0 0",
        "/dev/sdb1 /mnt/data/local xfs rw 0 0",
        @"//server/share /mnt/with\040blank cifs rw 0 0",
        "user@host: /mnt/ssh fuse.sshfs rw 0 0",
        "/dev/sda2 /mnt/over ext4 rw 0 0",
        "other:/x /mnt/over nfs rw 0 0",
        "malformed",
    ];

    [TestCase("/home/user", "ext4")]
    [TestCase("/mnt/data", "nfs4")]
    [TestCase("/mnt/data/a/b", "nfs4")]
    [TestCase("/mnt/database", "ext4")]
    [TestCase("/mnt/data/local/x", "xfs")]
    [TestCase("/mnt/with blank/x", "cifs")]
    [TestCase("/mnt/ssh", "fuse.sshfs")]
    [TestCase("/mnt/over/x", "nfs")]
    public void The_longest_mount_point_names_the_file_system(string folder, string type) =>
        Assert.That(FileSystemProbe.TypeFromMounts(folder, Mounts), Is.EqualTo(type));

    [TestCase("nfs", true)]
    [TestCase("nfs4", true)]
    [TestCase("cifs", true)]
    [TestCase("smb3", true)]
    [TestCase("fuse.sshfs", true)]
    [TestCase("fuse.rclone", true)]
    [TestCase("ext4", false)]
    [TestCase("btrfs", false)]
    [TestCase("tmpfs", false)]
    [TestCase("overlay", false)]
    [TestCase("fuseblk", false)]
    [TestCase("fuse.mergerfs", false)]
    [TestCase("", false)]
    public void Network_file_systems_are_told_from_local_ones(string type, bool network) =>
        Assert.That(FileSystemProbe.IsNetworkType(type), Is.EqualTo(network));

    [TestCase("9p", true)]
    [TestCase("fuse.grpcfuse", true)]
    [TestCase("fuse", true)]
    [TestCase("vboxsf", true)]
    [TestCase("fuse.rclone", false)]
    [TestCase("fuseblk", false)]
    [TestCase("fuse.mergerfs", false)]
    [TestCase("virtiofs", false)]
    [TestCase("nfs", false)]
    [TestCase("ext4", false)]
    public void File_systems_whose_name_says_too_little_are_tried(string type, bool doubtful) =>
        Assert.That(FileSystemProbe.IsDoubtfulType(type), Is.EqualTo(doubtful));

    [Test]
    [Platform("Linux")]
    public void A_folder_with_locks_and_shared_memory_passes_the_trial_and_stays_as_it_is()
    {
        Assert.That(SharingProbe.Works(Folder.Path), Is.True);
        Assert.That(Directory.GetFileSystemEntries(Folder.Path), Is.Empty);
        Assert.That(SharingProbe.Works(Folder.File("missing")), Is.False);
        Assert.That(SharingProbe.Works("/proc"), Is.False, "no file can be made there");
    }

    [Test]
    public void A_temp_folder_is_local_and_a_missing_one_cannot_be_told()
    {
        Assert.That(FileSystemProbe.NetworkFileSystemOf(Folder.File("local.sqlite")), Is.Null);
        Assert.That(FileSystemProbe.NetworkFileSystemOf(Path.Combine(Folder.Path, "missing", "local.sqlite")), Is.Null);
    }

    [Test]
    public void Over_a_network_the_journal_is_deleted_flushes_are_full_and_nothing_is_mapped()
    {
        using var connection = Open(Folder.File("local.sqlite"), ConnectionOptions.Default);

        Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("delete"));
        Assert.That(connection.Pragma("synchronous"), Is.EqualTo("2"));
        Assert.That(connection.Pragma("mmap_size"), Is.EqualTo("0"));
        Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-65536"));
        Assert.That(Logged.WarningsAndErrors, Is.Empty);
    }

    [Test]
    public void A_database_with_a_log_gives_it_up_over_a_network()
    {
        var path = Folder.File("local.sqlite");
        using (var local = ConnectionOpener.Standard.Open(path, ConnectionOptions.Default))
            local.Execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)");

        using (var connection = Open(path, ConnectionOptions.Default))
        {
            Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("delete"));
            Assert.That(connection.Scalar("SELECT x FROM t"), Is.EqualTo("7"));
        }
    }

    [Test]
    public void A_log_that_the_environment_asks_for_stays()
    {
        using var variable = new EnvironmentVariable("CUSTOMSQLITEOPTIONS_DUPLICATI", "journal_mode=WAL");
        using var connection = Open(Folder.File("local.sqlite"), ConnectionOptions.Default);
        Assert.That(connection.Pragma("journal_mode"), Is.EqualTo("wal"));
    }

    private static SqliteConnection Open(string path, ConnectionOptions options) =>
        new ConnectionOpener(static _ => "nfs", EngineVersionGuard.OfProcess).Open(path, options);
}
