// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Main.Delete;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

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
