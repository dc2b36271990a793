// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Reliability.PowerLoss;

namespace Duplicati.UnitTest.Reliability.TwoReleases;

/// <summary>What is killed.</summary>
internal enum KilledKind
{
    FirstBackup,
    Backup,
    Delete,
    Compact,
    Purge,
    Repair,
    Recreate,
    Upgrade,

    /// <summary>A backup of <see cref="PlainRelease"/>.</summary>
    Plain,
}

/// <summary>
/// One operation in a process of its own. Arguments: the operation, the remote folder, the database, the source, a file in which
/// <see cref="PlainRelease"/> notes what it has committed, a number of its own, and after how many steps on the files of the database
/// it kills itself; 0 for never. If it ends, it writes how many there were.
/// </summary>
internal sealed class KilledOperation : IChildProgram
{
    /// <summary>What a purge removes.</summary>
    internal const string Purged = "*added/*";

    // More than it comes to before it is killed.
    private const int Files = 100_000;

    public static int Run(string[] args)
    {
        var deadly = int.Parse(args[6], CultureInfo.InvariantCulture);
        using var recorder = new DiskRecorder(Path.GetDirectoryName(args[2])!) { After = step => Die(step == deadly) };
        RunAsync(
                Enum.Parse<KilledKind>(args[0]),
                Options(args[1], args[2]),
                args[3],
                args[4],
                int.Parse(args[5], CultureInfo.InvariantCulture)
            )
            .GetAwaiter()
            .GetResult();
        Console.WriteLine(recorder.Steps.Count);
        return 0;
    }

    private static void Die(bool now)
    {
        if (now)
            ChildProgram.Die();
    }

    internal static EngineOptions Options(string remote, string database) =>
        new()
        {
            Remote = remote,
            DatabasePath = database,
            BlockSize = PlainRelease.Blocksize,
            VolumeSize = 50 * 1024,
            Parallelism = 2,
            NoAutoCompact = true,
            CompactThreshold = 1,
        };

    private static async Task RunAsync(KilledKind kind, EngineOptions options, string source, string notes, int number)
    {
        switch (kind)
        {
            case KilledKind.FirstBackup or KilledKind.Backup:
                await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);
                break;
            case KilledKind.Delete:
                await new DeleteOperation(options, SilentProgress.Instance).RunAsync([1, 2], false, default);
                break;
            case KilledKind.Compact:
                await new CompactOperation(options, SilentProgress.Instance).RunAsync(default);
                break;
            case KilledKind.Purge:
                await new PurgeOperation(options, SilentProgress.Instance).RunAsync([Purged], [], default);
                break;
            case KilledKind.Repair:
                await new RepairOperation(options, new RepairChoices(), SilentProgress.Instance).RunAsync(default);
                break;
            case KilledKind.Recreate:
                await new RecreateOperation(options with { BlockSize = null, VolumeSize = null }, SilentProgress.Instance).RunAsync(
                    default
                );
                break;
            case KilledKind.Upgrade:
                await using (await LocalDatabase.CreateLocalDatabaseAsync(options.DatabasePath, "Upgrade", true, null, default))
                    break;
            case KilledKind.Plain:
                KilledChild.Begin();
                BackUp(options.DatabasePath, notes, number);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(kind), kind, "Not known");
        }
    }

    private static void BackUp(string database, string notes, int number)
    {
        using var file = new FileStream(notes, FileMode.Append, FileAccess.Write, FileShare.Read, 1);
        using var release = PlainRelease.Open(database);
        release.BackUp(number, Files, path => file.Write(System.Text.Encoding.ASCII.GetBytes(path + "\n")));
    }
}
