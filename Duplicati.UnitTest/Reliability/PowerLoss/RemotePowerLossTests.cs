// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Engine.Operations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>
/// What a remote folder has done stays done, whatever becomes of the machine. So nothing in it is deleted, renamed or replaced before all
/// that was committed is on the disk.
/// </summary>
[TestFixture]
[NonParallelizable]
[Platform("Linux")]
internal sealed class RemotePowerLossTests
{
    private const string VOLUMES = """SELECT "Name", "State", "Size" FROM "Remotevolume" """;

    private const string Damage = "repair of a damaged block volume";

    private static readonly Dictionary<string, Func<BackupCase, Task>> s_operations = new()
    {
        ["delete"] = x => x.DeleteAsync(1),
        ["retention"] = x => x.DeleteAsync(new DeleteChoices { KeepVersions = 1 }),
        ["compact"] = x =>
            new CompactOperation(x.Options with { SmallFileSize = x.Options.VolumeSize * 2, SmallFileMaxCount = 0 }, x.Warnings).RunAsync(
                default
            ),
        ["purge"] = x => x.PurgeAsync("*small*"),
        ["purge-broken-files"] = x =>
        {
            File.Delete(x.Volumes("dblock")[0]);
            return x.PurgeBrokenAsync();
        },
        [Damage] = x => RepairAsync(x, Damaged(x, "dblock")),
        [Damage + " in part"] = x =>
        {
            SourceTree.Write(x.Source, "first", 10, new Random(1));
            SourceTree.Write(x.Source, "second", 10, new Random(1));
            return RepairAsync(x, Damaged(x, "dblock", from: 20_000));
        },
        ["repair of a damaged index volume"] = x => RepairAsync(x, Damaged(x, "dindex")),
        ["repair of a damaged list"] = x => RepairAsync(x, Damaged(x, "dlist")),
        ["repair of a volume under another name"] = x =>
        {
            File.Move(x.Volumes("dblock")[0], Path.Combine(x.Remote, $"duplicati-b{Guid.NewGuid():N}.dblock.zip"));
            return x.RepairAsync();
        },
        ["repair after a killed deletion"] = async x =>
        {
            var list = x.Volumes("dlist")[0];
            Assert.That(await x.StopAsync(() => x.DeleteAsync(1), "^Deleting "));
            Assert.That(list, Does.Exist);
            await x.RepairAsync();
        },
    };

    private static IEnumerable<string> Operations => s_operations.Keys;

    // After the others a repair has nothing to make whole.
    private static IEnumerable<string> Repairable => Operations.Where(x => x is not ("purge-broken-files" or Damage + " in part"));

    private static IEnumerable<string> OtherPresets => ["small", "throughput", "durable", "stock"];

    [TearDown]
    public void TearDown() => RemoteFolder.Through.Value = null;

    [TestCaseSource(nameof(Operations))]
    public Task Nothing_in_the_folder_goes_before_what_was_committed_is_on_the_disk(string operation) =>
        AssertDurableAtStepsAsync(operation, "default");

    [TestCaseSource(nameof(OtherPresets))]
    public Task It_is_so_with_every_preset_that_flushes(string preset) => AssertDurableAtStepsAsync(Damage, preset);

    // The step reaches the folder; of the files of the database only what was flushed is left.
    [TestCaseSource(nameof(Repairable))]
    public async Task A_loss_of_power_right_behind_a_step_that_stays_costs_nothing(string operation)
    {
        for (var step = 1; ; step++)
        {
            using var backup = await MakeAsync("default");
            var whole = (await backup.RestoredVersionsAsync(1))[0];
            if (await LosePowerAsync(backup, operation, step) is not { } left)
            {
                Assert.That(step, Is.GreaterThan(1));
                return;
            }

            foreach (var path in Directory.GetFiles(Path.GetDirectoryName(backup.Options.DatabasePath)!, "backup.sqlite*"))
                File.Delete(path);
            foreach (var (name, content) in left.Where(x => x.Key.StartsWith("backup.sqlite", StringComparison.Ordinal)))
                File.WriteAllBytes(backup.File(name), content);

            await backup.RepairAsync(new RepairChoices { CheckVolumes = [RepairChoices.ALL], RebuildMissingBlockVolumes = true });
            // A repair leaves volumes that a compact was to delete: while anything is missing, they may hold the only copy.
            await backup.CompactAsync();
            var where = $"after {operation}, step {step}: {string.Join("; ", backup.Rows(VOLUMES))}";
            await backup.AssertSoundAsync(where);
            await backup.AssertRecreateEqualsAsync(where);
            Assert.That((await backup.RestoredVersionsAsync(1))[0], operation == "purge" ? Is.Not.Empty : Is.EqualTo(whole), where);
        }
    }

    [Test]
    public async Task A_disk_that_cannot_flush_ends_the_operation_before_anything_goes()
    {
        using var backup = await MakeAsync("default");
        var before = Directory.GetFiles(backup.Remote);
        using var files = new FileSteps(
            (step, path) =>
            {
                if (step == FileSteps.File && path.EndsWith("-wal", StringComparison.Ordinal))
                    throw new IOException("Input/output error");
            }
        ).OfAll();

        var error = Assert.ThrowsAsync<SqliteException>(() => s_operations["delete"](backup))!;

        Assert.That(error.SqliteExtendedErrorCode, Is.EqualTo(SQLitePCL.raw.SQLITE_IOERR_FSYNC));
        Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before));
    }

    // What is left of the files when it has taken so many steps; null if it has ended before.
    private static async Task<Dictionary<string, byte[]>?> LosePowerAsync(BackupCase backup, string operation, int steps)
    {
        Dictionary<string, byte[]>? left = null;
        using var recorder = new DiskRecorder(Path.GetDirectoryName(backup.Options.DatabasePath)!);
        RemoteFolder.Through.Value = folder => new FinalSteps(
            folder,
            async (_, act) =>
            {
                if (left is null)
                    await act();
                if (--steps > 0)
                    return;
                left ??= DiskOf(recorder).Flushed();
                throw new OperationCanceledException("The power fails here.");
            }
        );
        try
        {
            await s_operations[operation](backup);
            Assert.That(left, Is.Null);
        }
        catch (OperationCanceledException) when (left is not null)
        {
            // Nothing is done any more.
        }
        finally
        {
            RemoteFolder.Through.Value = null;
        }

        return left;
    }

    private static async Task<BackupCase> MakeAsync(string preset)
    {
        var backup = new BackupCase(x => x with { NoAutoCompact = true, Preset = preset });
        SourceTree.Write(backup.Source, "first", 60_000, new Random(1));
        SourceTree.Write(backup.Source, "small", 3_000, new Random(4));
        await backup.BackUpAsync();
        SourceTree.Write(backup.Source, "second", 60_000, new Random(2));
        SourceTree.Write(backup.Source, "small", 3_000, new Random(5));
        await backup.BackUpAsync();
        return backup;
    }

    private static Task<RepairReport> RepairAsync(BackupCase backup, string volume) =>
        backup.RepairAsync(new RepairChoices { CheckVolumes = [volume] });

    private static string Damaged(BackupCase backup, string type, int from = 0)
    {
        // Of the newer version, the largest: of the older one the sources do not have all any more.
        var older = File.GetLastWriteTimeUtc(backup.Volumes("dlist")[0]);
        var path = backup.Volumes(type).Where(x => File.GetLastWriteTimeUtc(x) > older).MaxBy(x => new FileInfo(x).Length)!;
        var content = File.ReadAllBytes(path);
        content.AsSpan(from).Clear();
        File.WriteAllBytes(path, content);
        return Path.GetFileName(path);
    }

    private static SimulatedDisk DiskOf(DiskRecorder recorder)
    {
        var disk = new SimulatedDisk(recorder.Before);
        EngineFiles.Do(() =>
        {
            foreach (var step in recorder.Steps)
                disk.Apply(step);
        });
        return disk;
    }

    private static async Task AssertDurableAtStepsAsync(string operation, string preset)
    {
        using var backup = await MakeAsync(preset);
        using var recorder = new DiskRecorder(Path.GetDirectoryName(backup.Options.DatabasePath)!);
        var steps = new List<string>();
        RemoteFolder.Through.Value = folder => new FinalSteps(
            folder,
            (step, act) =>
            {
                steps.Add(step);
                AssertDurable(recorder, step);
                return act();
            }
        );

        await s_operations[operation](backup);

        Assert.That(steps, Is.Not.Empty);
    }

    // What a loss of power leaves holds all that others see.
    private static void AssertDurable(DiskRecorder recorder, string where)
    {
        var disk = DiskOf(recorder);
        using var folder = new TestFolder();
        DatabaseState.Write(folder.Path, disk.Seen());
        var seen = DatabaseState.Open(folder.File("backup.sqlite"));
        DatabaseState.Write(folder.Path, disk.Flushed());
        Assert.That(DatabaseState.Open(folder.File("backup.sqlite")), Is.EqualTo(seen), where);
    }

    /// <summary>Stands before the steps that cannot be undone.</summary>
    private sealed class FinalSteps(IRemoteFolder folder, Func<string, Func<Task>, Task> before) : WatchedFolder(folder, _ => { })
    {
        public override Task DeleteAsync(string name, CancellationToken token) =>
            before($"deletion of {name}", () => base.DeleteAsync(name, token));

        public override Task MoveAsync(string from, string to, CancellationToken token) =>
            before($"renaming of {from}", () => base.MoveAsync(from, to, token));

        public override async Task PutAsync(string name, string localPath, CancellationToken token)
        {
            if ((await base.ListAsync(token)).Any(x => x.Name == name))
                await before($"replacement of {name}", () => base.PutAsync(name, localPath, token));
            else
                await base.PutAsync(name, localPath, token);
        }
    }
}
