// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Main.Delete;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>Something that is done to a database while the power fails.</summary>
internal abstract class PowerLossCase : IDisposable
{
    /// <summary>The name of the database file.</summary>
    internal const string Database = "backup.sqlite";

    /// <summary>What is done, in a few words.</summary>
    internal abstract string Name { get; }

    /// <summary>Whether what was marked has to be there.</summary>
    internal virtual bool IsDurable => false;

    /// <summary>Makes what is there before.</summary>
    internal abstract Task PrepareAsync(string folder, Random random);

    /// <summary>Does it.</summary>
    internal abstract Task RunAsync(string folder, DiskRecorder recorder);

    /// <summary>Whether a database without any promise is one that nobody takes for a whole one.</summary>
    internal virtual bool MayDamage(string folder) => false;

    /// <summary>What else has to hold; may change the files.</summary>
    /// <param name="folder">Where the state is.</param>
    /// <param name="where">Which state it is.</param>
    /// <param name="number">The number of the state, for checks that are too slow for each.</param>
    internal virtual Task CheckAsync(string folder, string where, int number) => Task.CompletedTask;

    public virtual void Dispose()
    {
        // Most hold nothing.
    }
}

/// <summary>Two backups write rows and commit; the log is often moved into the file.</summary>
/// <param name="preset">How the connections are opened.</param>
/// <param name="commits">How often each of the backups commits, apart from what the layer commits by itself.</param>
internal sealed class BackupPowerLoss(string preset, int commits) : PowerLossCase
{
    private const int Backups = 2;
    private const int FilesACommit = 3;
    private const int PagesOfLog = 60;

    internal override string Name => $"backup, preset {preset}";

    internal override bool IsDurable => preset == ConnectionPreset.Durable.Name;

    // What the other presets promise shows only if this one is seen to break it.
    internal override bool MayDamage(string folder) => preset == ConnectionPreset.Rebuild.Name;

    internal override Task PrepareAsync(string folder, Random random) => Task.CompletedTask;

    internal override async Task RunAsync(string folder, DiskRecorder recorder)
    {
        using var scope = TestOptions.Of(preset, ("wal_autocheckpoint", PagesOfLog)).Use();
        for (var backup = 0; backup < Backups; backup++)
        {
            await using var database = await LocalBackupDatabase.CreateAsync(Path.Combine(folder, Database), new Options([]), default);
            var volume = await BackupRows.BeginAsync(database, backup);
            for (var commit = 0; commit < commits; commit++)
            {
                for (var file = 0; file < FilesACommit; file++)
                    await BackupRows.AddAsync(
                        database,
                        volume,
                        string.Create(CultureInfo.InvariantCulture, $"/{backup}-{commit}/{file}"),
                        (((backup * commits) + commit) * FilesACommit) + file
                    );
                await database.CommitAsync(default);
                recorder.Mark();
            }
        }
    }
}

/// <summary>
/// A share of the versions is deleted, with indexes dropped meanwhile where much goes; the log is often moved into the file. All of it is
/// done or nothing.
/// </summary>
internal sealed class DeletionPowerLoss(string preset, int versions) : PowerLossCase
{
    private const int PagesOfLog = 60;
    private const string Schema = """SELECT "type", "name", "tbl_name", "sql" FROM "sqlite_master" ORDER BY "name" """;

    private const string Counts = """
        SELECT (SELECT COUNT(*) FROM "Fileset"), (SELECT COUNT(*) || ' ' || SUM("ID") FROM "Block"),
            (SELECT COUNT(*) || ' ' || SUM("Size") FROM "DeletedBlock"), (SELECT COUNT(*) FROM "BlocksetEntry")
        """;

    private string[] m_before = [];
    private string[] m_after = [];
    private string[] m_schema = [];

    internal override string Name => string.Create(CultureInfo.InvariantCulture, $"deletion of {versions} versions, preset {preset}");

    internal override bool IsDurable => preset == ConnectionPreset.Durable.Name;

    internal override async Task PrepareAsync(string folder, Random random)
    {
        using var sample = RandomBackup.OfManyVersions(random.Next());
        File.Copy(sample.Path, Path.Combine(folder, Database));
        (m_before, m_schema) = (sample.Database.Rows(Counts), sample.Database.Rows(Schema));
        await DeleteAsync(sample.Path);
        m_after = sample.Database.Rows(Counts);
        Assert.That(m_after, Is.Not.EqualTo(m_before));
    }

    internal override async Task RunAsync(string folder, DiskRecorder recorder)
    {
        using var scope = TestOptions.Of(preset, ("wal_autocheckpoint", PagesOfLog)).Use();
        await DeleteAsync(Path.Combine(folder, Database));
        recorder.Mark();
    }

    internal override Task CheckAsync(string folder, string where, int number)
    {
        var path = Path.Combine(folder, Database);
        Assert.That(SampleDatabase.Rows(path, Schema), Is.EqualTo(m_schema), where);
        Assert.That(SampleDatabase.Rows(path, Counts), Is.EqualTo(m_before).Or.EqualTo(m_after), where);
        return Task.CompletedTask;
    }

    private async Task DeleteAsync(string path)
    {
        await using var db = await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default);
        db.Session.Execute("PRAGMA cache_size = 10");
        await db.Session.LongAsync(
            session => FilesetDeletion.Run(session, RandomBackup.Times(versions), new DeletionLimits { FewestRows = 1 }),
            default
        );
        await db.Transaction.CommitAsync();
    }
}

/// <summary>A database of an old version is upgraded; before it changes, a whole copy of it has its name.</summary>
internal sealed class UpgradePowerLoss(string old, string preset) : PowerLossCase
{
    // Golden comparisons are slow.
    private const int Compared = 8;

    internal override string Name => $"upgrade of {old}, preset {preset}";

    internal override bool IsDurable => preset == ConnectionPreset.Durable.Name;

    internal override Task PrepareAsync(string folder, Random random)
    {
        File.Move(Databases.UnpackOld(old, folder), Path.Combine(folder, Database));
        return Task.CompletedTask;
    }

    internal override async Task RunAsync(string folder, DiskRecorder recorder)
    {
        using var scope = ConnectionPreset.Use(preset);
        await using (await LocalDatabase.CreateLocalDatabaseAsync(Path.Combine(folder, Database), "Upgrade", true, null, default))
            recorder.Mark();
    }

    internal override Task CheckAsync(string folder, string where, int number)
    {
        var path = Path.Combine(folder, Database);
        var before = Databases.VersionIn(old);
        if (Databases.VersionOf(path) > before)
        {
            var copies = Directory.GetFiles(folder, "backup *.sqlite");
            Assert.That(copies, Has.Length.EqualTo(1), $"the copy of the old version: {where}");
            Assert.That(
                (Databases.VersionOf(copies[0]), Databases.Query(copies[0], "PRAGMA integrity_check")),
                Is.EqualTo((before, "ok")),
                where
            );
        }

        if (number % Compared != 0)
            return Task.CompletedTask;
        Databases.Upgrade(path);
        Assert.That(Databases.DifferencesFromExpected(path, old), Is.Empty, where);
        return Task.CompletedTask;
    }
}

/// <summary>A database half of which is free is written anew; no row changes.</summary>
internal sealed class VacuumPowerLoss(string preset) : PowerLossCase
{
    private const int Blocks = 4000;
    private const string Left = """SELECT COUNT(*) || ' ' || SUM("ID") || ' ' || MAX("Hash") FROM "Block" """;

    private string[] m_rows = [];

    internal override string Name => $"vacuum, preset {preset}";

    internal override Task PrepareAsync(string folder, Random random)
    {
        using var sample = new SampleDatabase();
        var volume = sample.Volume("blocks");
        for (var i = 0; i < Blocks; i++)
            sample.Block($"{random.Next()} {i}", 1024, volume);
        sample.Insert("""DELETE FROM "Block" WHERE "ID" % 2 = 0""");
        File.Copy(sample.Close(), Path.Combine(folder, Database));
        m_rows = SampleDatabase.Rows(Path.Combine(folder, Database), Left);
        return Task.CompletedTask;
    }

    internal override Task RunAsync(string folder, DiskRecorder recorder)
    {
        using var scope = ConnectionPreset.Use(preset);
        var report = VacuumOperation.Run(Path.Combine(folder, Database), SilentProgress.Instance, default);
        Assert.That(report.BytesAfter, Is.LessThan(report.BytesBefore));
        return Task.CompletedTask;
    }

    internal override Task CheckAsync(string folder, string where, int number)
    {
        Assert.That(SampleDatabase.Rows(Path.Combine(folder, Database), Left), Is.EqualTo(m_rows), where);
        return Task.CompletedTask;
    }
}
