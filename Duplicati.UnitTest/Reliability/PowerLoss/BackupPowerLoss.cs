// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

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
