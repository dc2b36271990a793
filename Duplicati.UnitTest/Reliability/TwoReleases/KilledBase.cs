// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Reliability.TwoReleases;

/// <summary>A backup of a few versions, from which every operation that is killed starts.</summary>
internal sealed class KilledBase : IDisposable
{
    /// <summary>The database that is upgraded.</summary>
    internal const string Old = "downgraded-v18";

    private const int Versions = 4;

    private readonly BackupCase m_backup;

    private KilledBase(BackupCase backup) => m_backup = backup;

    /// <summary>The source of its newest version, changed.</summary>
    internal string Source => m_backup.Source;

    /// <summary>Its versions by time, in seconds: their entries.</summary>
    internal Dictionary<long, string[]> Known { get; private set; } = [];

    internal static async Task<KilledBase> MakeAsync(Random random)
    {
        var backup = new BackupCase(x => KilledOperation.Options(x.Remote, x.DatabasePath));
        SourceTree.Make(backup.Source, random);
        for (var i = 0; i < Versions; i++)
        {
            await backup.BackUpAsync();
            SourceTree.Write(backup.Source, "changing", 60_000, random);
            SourceTree.Write(backup.Source, $"added/{i}", 20_000, random);
        }

        var result = new KilledBase(backup);
        using (var release = PlainRelease.Open(backup.Options.DatabasePath))
            result.Known = release.Versions().ToDictionary(x => x.Key, x => release.Entries(x.Value));

        // What a compact is to do.
        result.CopyTo(backup.File("compacted"), backup.Remote, backup.Options.DatabasePath);
        var options = KilledOperation.Options(
            Path.Combine(backup.File("compacted"), "remote"),
            Path.Combine(backup.File("compacted"), "backup.sqlite")
        );
        await new DeleteOperation(options, backup.Warnings).RunAsync([1, 2], false, default);
        return result;
    }

    /// <summary>Puts a database and its remote folder into an empty folder, in the state in which an operation finds them.</summary>
    internal void CopyTo(string folder, KilledKind kind)
    {
        var from = kind == KilledKind.Compact ? m_backup.File("compacted") : null;
        CopyTo(
            folder,
            from is null ? m_backup.Remote : Path.Combine(from, "remote"),
            from is null ? m_backup.Options.DatabasePath : Path.Combine(from, "backup.sqlite")
        );
        var database = Path.Combine(folder, "backup.sqlite");
        var remote = Path.Combine(folder, "remote");
        if (kind is KilledKind.FirstBackup or KilledKind.Recreate or KilledKind.Upgrade)
            File.Delete(database);
        if (kind == KilledKind.Upgrade)
            File.Move(Databases.UnpackOld(Old, folder), database);
        foreach (
            var file in kind switch
            {
                KilledKind.FirstBackup => Directory.GetFiles(remote),
                KilledKind.Repair => Directory.GetFiles(remote, "*.dindex.*"),
                _ => [],
            }
        )
            File.Delete(file);
    }

    public void Dispose() => m_backup.Dispose();

    private void CopyTo(string folder, string remote, string database)
    {
        VolumeFiles.Copy(remote, Path.Combine(folder, "remote"));
        File.Copy(database, Path.Combine(folder, "backup.sqlite"));
    }
}
