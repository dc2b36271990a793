// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

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
