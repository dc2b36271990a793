// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// A whole write-ahead log that does not belong to the file beside it. SQLite cannot tell and takes it over, so what can be promised
/// is that a verify does not call the result sound.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ForeignLogTests
{
    [Test]
    public async Task The_log_of_another_backup_is_noticed_by_a_verify()
    {
        using var backup = await BackupAsync(1);
        using var other = await BackupAsync(2);
        foreach (var log in await LogsAsync(other))
            await AssertNoticedAsync(backup, log);
    }

    [Test]
    public async Task A_log_older_than_the_last_checkpoint_is_noticed_by_a_verify()
    {
        using var backup = await BackupAsync(1);
        var logs = await LogsAsync(backup);
        SourceTree.Change(backup.Source, new Random(3));
        await backup.BackUpAsync();
        foreach (var log in logs)
            await AssertNoticedAsync(backup, log);
    }

    private static Task<BackupCase> BackupAsync(int seed) => BackupCase.MadeAsync(seed, x => x with { VolumeSize = 400 * 1024 });

    /// <summary>Commits volumes that no backup needs, copies the log after each commit, and takes them back.</summary>
    private static async Task<List<byte[]>> LogsAsync(BackupCase backup)
    {
        var logs = new List<byte[]>();
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(backup.Options.DatabasePath, "Test", true, null, default);
        string[] names = ["duplicati-b1.dblock.zip", "duplicati-b2.dblock.zip", "duplicati-b3.dblock.zip"];
        foreach (var name in names)
        {
            await database.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
            await database.CommitAsync(default);
            logs.Add(Databases.Read(backup.Options.DatabasePath + "-wal"));
        }

        foreach (var name in names)
            await database.RemoveRemoteVolumeAsync(name, default);
        await database.CommitAsync(default);
        return logs;
    }

    private static async Task AssertNoticedAsync(BackupCase backup, byte[] log)
    {
        var copy = backup.File("copy.sqlite");
        File.Copy(backup.Options.DatabasePath, copy, overwrite: true);
        await File.WriteAllBytesAsync(copy + "-wal", log);
        File.Delete(copy + "-shm");
        Assert.That(await IsNoticedAsync(backup, copy), Is.True, $"a log of {log.Length} bytes");
    }

    private static async Task<bool> IsNoticedAsync(BackupCase backup, string copy)
    {
        try
        {
            var report = await new VerifyOperation(backup.Options with { DatabasePath = copy }, SilentProgress.Instance).RunAsync(
                false,
                default
            );
            return report.Problems.Count > 0 || Databases.Compare(backup.Options.DatabasePath, copy).Count == 0;
        }
        catch (UserInformationException ex)
        {
            // With the volumes of another backup it is the folder that looks like another one.
            return ex.HelpID == "RemoteFolderEmptyWithPrefix" || ex.Message.Contains(copy, StringComparison.Ordinal);
        }
    }
}
