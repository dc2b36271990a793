// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

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
