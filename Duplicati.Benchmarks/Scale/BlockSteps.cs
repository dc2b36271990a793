// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Benchmarks.Scale;

/// <summary>The operations on a number of blocks, each in a process of its own.</summary>
internal static class BlockSteps
{
    internal const string FirstBackup = "first-backup";
    internal const string FindOrInsert = "find-or-insert";
    internal const string Check = "check";
    internal const string Delete = "delete";
    internal const string Recreate = "recreate";

    /// <summary>The only word of the command line of such a process, before the case and a folder.</summary>
    internal const string Command = "scale-case";

    // Enough to have everything compiled as it stays; small ones, because the peak of memory is that of the process.
    private const int WarmUpRounds = 10;
    private const long WarmUpBlocks = 20_000;

    private static readonly TimeSpan s_givesBack = TimeSpan.FromSeconds(1);

    /// <summary>All of them.</summary>
    internal static readonly string[] All = [FirstBackup, FindOrInsert, Check, Delete, Recreate];

    /// <summary>Those that one database goes through, in their order.</summary>
    internal static readonly string[] Chain = [FirstBackup, FindOrInsert, Check, Delete];

    /// <summary>The runtime's settings of <c>duplicati-db</c>, whose memory the bounds are for.</summary>
    internal static readonly (string Name, string Value)[] Settings =
    [
        ("DOTNET_GCgen0size", "0x400000"),
        ("DOTNET_GCConserveMemory", "5"),
        ("DOTNET_gcConcurrent", "0"),
        ("DOTNET_TieredPGO", "0"),
    ];

    // The oldest version goes.
    private static readonly AskedFor s_asked = new()
    {
        Newest = 2,
        BlockSize = SyntheticBackup.BlockBytes,
        VolumeSize = 1 << 20,
        Deleted = [BlockBackupRun.Time(0)],
    };

    /// <summary>The file of the database within the folder.</summary>
    internal static string DatabaseIn(string folder) => Path.Combine(folder, "db.sqlite");

    /// <summary>The blocks that the cost of a case is divided by: those added, offered, checked, deleted, or rebuilt.</summary>
    internal static long BlocksOf(ScaleCase item)
    {
        var backup = BackupOf(item);
        var changed = backup.ChangedFiles * backup.BlocksPerFile;
        return item.Operation switch
        {
            FindOrInsert => changed,
            Delete => changed / 2,
            _ => item.Size,
        };
    }

    /// <summary>What <see cref="BlockContent.Count"/> must give after a case.</summary>
    internal static long ExpectedRows(ScaleCase item)
    {
        var backup = BackupOf(item);
        return backup.ExpectedRows + (item.Operation is FindOrInsert or Check ? backup.RowsOfSecond : 0);
    }

    /// <summary>The side of the process: does a case, and writes what it took.</summary>
    /// <param name="text">The case, as JSON.</param>
    /// <param name="folder">An existing folder with the database of the step before.</param>
    /// <param name="output">Gets the cost, as JSON.</param>
    internal static async Task<int> RunAsync(string text, string folder, TextWriter output)
    {
        var item = JsonSerializer.Deserialize<ScaleCase>(text)!;
        using var preset = ConnectionPreset.Use(item.Preset);
        using var memory = item.Preset == ConnectionPreset.Small.Name ? KeepLittleMemory() : null;
        WarmUp(item, folder);
        var written = ProcessWrites.Bytes() ?? 0;
        var cost = Run(item, DatabaseIn(folder));
        using var self = Process.GetCurrentProcess();
        cost = cost with { PeakBytes = self.PeakWorkingSet64, WrittenBytes = (ProcessWrites.Bytes() ?? 0) - written };
        await output.WriteLineAsync(JsonSerializer.Serialize(cost));
        return ExitCodes.Done;
    }

    /// <summary>Makes a database anew in a way, under the preset in force; making the hashes is not counted.</summary>
    internal static void Rebuild(SyntheticBackup backup, string way, string path, ScaleClock clock)
    {
        var rebuild = clock.Time(() =>
            new SyntheticRebuild(
                way == ScaleWays.Api
                    ? new LayerRecreateCalls(path, RecordedBackup.Empty)
                    : new PlainRecreateCalls(path, RecordedBackup.Empty, SQLiteLoader.LoadConnection(path))
            )
        );
        clock.Time(() => rebuild.RegisterVolumes(backup.Volumes), "filelist");
        for (var number = 0L; number < backup.Files; number++)
        {
            var file = backup.File(number);
            clock.Time(() => rebuild.AddFile(file), "filelist");
        }

        clock.Time(rebuild.Calls.Commit, "filelist");
        for (var volume = 0L; volume < backup.Volumes; volume++)
        {
            var (index, number) = (backup.Index(volume), volume + 1);
            clock.Time(() => rebuild.AddIndex(index, number), "index files");
        }

        clock.Time(rebuild.Calls.Commit, "index files");
        clock.Time(rebuild.Calls.Resolve, "resolve");
        clock.Time(rebuild.Calls.Clean, "cleanup");
        clock.Time(rebuild.Calls.Dispose, "close");
    }

    // What is rebuilt has files of any length, unlike what is to be changed.
    private static SyntheticBackup BackupOf(ScaleCase item) =>
        item.Operation == Recreate
            ? new(item.Size, Math.Min(item.BlocksPerFile, item.Size))
            : SyntheticBackup.OfTwoVersions(item.Size, item.BlocksPerFile);

    // One of a chain needs the database that the one before it left. Opening and closing belong to it.
    private static ScaleCost Run(ScaleCase item, string path)
    {
        var clock = new ScaleClock();
        var backup = BackupOf(item);
        switch (item.Operation)
        {
            case FirstBackup:
                BlockBackupRun.Run(backup, 0, path, clock);
                break;
            case FindOrInsert:
                BlockBackupRun.Run(backup, 1, path, clock);
                break;
            case Check:
                clock.Time(() => DatabaseWay.Layer.Ask(path, s_asked, [Question.Consistency]));
                break;
            case Delete:
                clock.Time(() => DatabaseWay.Layer.Ask(path, s_asked, [Question.Delete]));
                break;
            default:
                Rebuild(backup, item.Way, path, clock);
                break;
        }

        return clock.Cost;
    }

    // As duplicati-db does under this preset.
    private static Timer KeepLittleMemory()
    {
        NativeHeap.KeepLittle();
        return new Timer(static _ => NativeHeap.GiveBack(), null, s_givesBack, s_givesBack);
    }

    private static void WarmUp(ScaleCase item, string folder)
    {
        string[] steps = item.Operation == Recreate ? [Recreate] : Chain[..(Array.IndexOf(Chain, item.Operation) + 1)];
        var place = Directory.CreateDirectory(Path.Combine(folder, "warm-up"));
        // Who asks for less only tries it out.
        for (var round = 0; round < (item.Size > WarmUpBlocks ? WarmUpRounds : 1); round++)
        {
            var path = Path.Combine(place.FullName, FormattableString.Invariant($"{round}.sqlite"));
            foreach (var step in steps)
                Run(item with { Operation = step, Size = Math.Min(WarmUpBlocks, item.Size) }, path);
        }

        place.Delete(recursive: true);
        GC.Collect();
    }
}

/// <summary>Backs up one version as a backup does, but for the volumes; a commit after each full volume.</summary>
/// <param name="backup">What is backed up.</param>
/// <param name="calls">The database.</param>
/// <param name="version">0 for the first, 1 for the second, which is a day later.</param>
internal sealed class BlockBackupRun(SyntheticBackup backup, IBackupCalls calls, int version)
{
    private long m_fileset;
    private long m_previous;
    private long m_prefix;
    private long m_volume;
    private int m_volumes;
    private int m_inVolume;

    /// <summary>Time of a version, seconds since 1970.</summary>
    internal static long Time(int version) => new DateTimeOffset(2024, 1, 1, 0, 0, 0, TimeSpan.Zero).AddDays(version).ToUnixTimeSeconds();

    /// <summary>Backs the version up, from opening to closing; making the files is not timed.</summary>
    internal static void Run(SyntheticBackup backup, int version, string path, ScaleClock clock)
    {
        var calls = clock.Time(() => new LayerBackupCalls(path, RecordedBackup.Empty));
        try
        {
            new BlockBackupRun(backup, calls, version).Run(clock);
        }
        finally
        {
            clock.Time(calls.Dispose);
        }
    }

    private void Run(ScaleClock clock)
    {
        clock.Time(Begin);
        for (var number = 0L; number < backup.Files; number++)
        {
            var isChanged = version > 0 && backup.IsChanged(number);
            if (version > 0 && !isChanged)
            {
                var name = SyntheticBackup.Name(number);
                clock.Time(() => calls.AddKnown(calls.Find(m_prefix, name, m_previous), Ticks(0)));
                continue;
            }

            var file = backup.File(number, isChanged);
            clock.Time(() => Add(file));
        }

        clock.Time(End);
    }

    private static long Ticks(int version) => DateTimeOffset.FromUnixTimeSeconds(Time(version)).Ticks;

    private void Begin()
    {
        m_previous = calls.NewestVersion();
        var list = Register(FormattableString.Invariant($"large-{version}.dlist.zip"), RemoteVolumeType.Files);
        m_fileset = calls.CreateVersion(list, Time(version));
        m_prefix = calls.Prefix(SyntheticBackup.Prefix);
        OpenVolume();
    }

    private void OpenVolume()
    {
        m_volume = Register(FormattableString.Invariant($"large-{version}-{++m_volumes}.dblock.zip"), RemoteVolumeType.Blocks);
        m_inVolume = 0;
        calls.Commit();
    }

    private long Register(string name, RemoteVolumeType type)
    {
        var volume = new RecordedVolume(name, type, 1 << 20, "");
        var id = calls.RegisterVolume(volume);
        calls.FinishVolume(volume);
        return id;
    }

    private void Add(RecordedFile file)
    {
        var content = AddContent(file.Content!);
        var metadata = calls.AddMetadata(file.Metadata, AddContent(file.Metadata));
        calls.AddFile(m_prefix, file.Name, Ticks(version), content, metadata);
    }

    private long AddContent(RecordedBlockset content)
    {
        foreach (var block in content.Blocks)
            AddBlock(block);
        foreach (var list in content.Lists)
            AddBlock(list);
        return calls.AddBlockset(content);
    }

    private void AddBlock(RecordedBlock block)
    {
        if (calls.AddBlock(block, m_volume) && ++m_inVolume == SyntheticBackup.BlocksPerVolume)
            OpenVolume();
    }

    // As the end of a backup does.
    private void End()
    {
        // With the last volume.
        calls.Commit();
        calls.BuildIndexes();
        calls.SetFull(m_fileset);
        calls.Commit();
    }
}

/// <summary>Tells the calls of a recreate what a made-up backup says.</summary>
internal sealed class SyntheticRebuild(IRecreateCalls calls)
{
    internal IRecreateCalls Calls => calls;

    // Of no volume: new ones get ids above all that are named.
    private readonly long m_version = calls.CreateVersion(0, DateTimeOffset.UtcNow.ToUnixTimeSeconds());
    private readonly long m_prefix = calls.Prefix(SyntheticBackup.Prefix);

    internal void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
        {
            var volume = new RecordedVolume($"dup-b{i}.dblock.zip", RemoteVolumeType.Blocks, 1 << 20, "");
            calls.RegisterVolume(volume);
            calls.FinishVolume(volume);
        }
    }

    internal void AddFile(RecordedFile file)
    {
        var (blockset, metadata) = (calls.AddBlockset(file.Content!), calls.AddMetadata(file.Metadata));
        calls.AddEntry(m_version, m_prefix, file, DateTime.UnixEpoch.Ticks, blockset, metadata);
        calls.AddSmall(file.Metadata);
    }

    internal void AddIndex(SyntheticIndex index, long volume)
    {
        for (var i = 0; i < index.Hashes.Count; i++)
            calls.AddBlock(new RecordedBlock(index.Hashes[i], index.Sizes[i], null!), volume);
        foreach (var list in index.Lists)
            calls.AddList(list.Hash, list.Entries);
    }
}
