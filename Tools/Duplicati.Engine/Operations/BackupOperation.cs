// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Threading.Channels;
using Duplicati.Engine.Access;
using Duplicati.Engine.Backup;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Backs up sources into the remote folder: one new version, and only the blocks no earlier version has.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class BackupOperation(EngineOptions options, IEngineProgress progress)
{
    private const int BatchesInFlight = 32;
    private const int MostBytesInFlight = 64 * 1024 * 1024;
    private const int FewestBytesInFlight = 4 * 1024 * 1024;

    private static readonly TimeSpan s_usualLead = TimeSpan.FromSeconds(60);

    private readonly BackupCounters m_counters = new();
    private SharedDatabase<LocalBackupDatabase> m_shared = null!;
    private BackupSettings m_settings = null!;

    // Of a volume that waits for its upload the list of blocks is in memory, and the rest in a file.
    private int VolumesInFlight(IRemoteFolder folder) =>
        options.IsSmall ? 1 : Math.Max(Math.Max(2, options.Parallelism), folder.Concurrency);

    private SourceScanner Scanner(Action<string, string, Exception?> report, OwnFiles own) =>
        new(report, PathFilter.Exclusions(options.Exclusions), own);

    /// <summary>Runs the backup.</summary>
    /// <exception cref="UserInformationException">Help ids <c>SourceIsMissing</c>, <c>AllSourcesAreExcluded</c>, <c>MissingRemoteFiles</c>,
    /// <c>ExtraRemoteFiles</c>, and those of the settings.</exception>
    public async Task<BackupReport> RunAsync(IReadOnlyList<string> sources, CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireFile(options.DatabasePath);
        // Disks may go while this waits.
        var read = new BackupSources(sources, Scanner(static (_, _, _) => { }, new OwnFiles(options)));
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        // A version that is begun for nothing would be the newest one.
        read.RequireThere(hasFailed: false);
        DatabaseGuard.Require(options, acceptsEmpty: true);
        using var folder = RemoteFolder.Open(options, progress);
        if (DatabaseFile.Length(options.DatabasePath) == 0)
        {
            SettingsStore.RequireSizes(options);
            await OtherFolder.RefuseTakenAsync(folder, options.PrefixOrDefault, token).ConfigureAwait(false);
        }

        if (options.Schema is { } schema)
            SchemaState.Make(options.DatabasePath, schema);
        var database = await LocalBackupDatabase.CreateAsync(options.DatabasePath, options.ToCoreOptions(), token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = m_settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        // Releases that did not look have stored what was given.
        RemoteName.RequirePrefix(settings.Prefix);
        await OtherFolder.RefuseAsync(database, folder, token).ConfigureAwait(false);
        await folder.CreateAsync(token).ConfigureAwait(false);
        await SettingsStore.StoreAsync(database, settings, options.IsEncrypted, token).ConfigureAwait(false);
        await RefuseUnfinishedRepairAsync(database, token).ConfigureAwait(false);
        if (!string.IsNullOrWhiteSpace(options.VersionName))
            await VersionLabels.RequireAsync(database, options.DatabasePath, token).ConfigureAwait(false);
        RowFaults.Refuse(database, RowFaults.BlocksWithoutVolume, RowFaults.FilesWithoutMetadata);

        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress)
        {
            KeepsIncomplete = !options.DisableSyntheticFilelist,
        };
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        await new SettingsProof(database, options.DatabasePath, settings, folder, progress)
            .RequireAsync(inventory.Missing, token)
            .ConfigureAwait(false);
        await inventory.SettleAsync(token).ConfigureAwait(false);
        await RowFaults.VerifyAsync(database, settings, true, token).ConfigureAwait(false);

        BackupReport report;
        using (m_shared = new SharedDatabase<LocalBackupDatabase>(database))
            report = await BackUpAsync(read, folder, token).ConfigureAwait(false);
        await VerifyUploadsAsync(database, folder, token).ConfigureAwait(false);
        return report;
    }

    // What was uploaded must be in the listing now; later backups trust it.
    private async Task VerifyUploadsAsync(LocalBackupDatabase database, IRemoteFolder folder, CancellationToken token)
    {
        var inventory = new RemoteInventory(database, folder, m_settings.Prefix, progress)
        {
            Purpose = "Listing remote folder for what has arrived",
        };
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        await inventory.SettleAsync(token).ConfigureAwait(false);
    }

    private static async Task RefuseUnfinishedRepairAsync(LocalDatabase database, CancellationToken token)
    {
        if (await database.RepairInProgressAsync(token).ConfigureAwait(false))
            throw new UserInformationException(LostBlocksMark.ProblemOfRecreate(database), "DatabaseRepairInProgress");
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The database was recreated for some versions only and cannot be backed up to. {Advice.RecreateDatabase()}",
                "DatabaseIsPartiallyRecreated"
            );
    }

    private async Task<BackupReport> BackUpAsync(BackupSources sources, IRemoteFolder folder, CancellationToken token)
    {
        var database = m_shared.Database;
        using var temporary = new TemporaryFolder();
        var uploader = new VolumeUploader<LocalBackupDatabase>(m_shared, folder, progress);
        var filelist = new FilelistPublisher(m_settings, m_shared, uploader, temporary.Path);
        var wasInterrupted = await database.TerminatedWithActiveUploadsAsync(token).ConfigureAwait(false);
        await database.TerminatedWithActiveUploadsAsync(token, true).ConfigureAwait(false);
        var isContinued = await new SyntheticFilelist(filelist, database, progress).PublishAsync(token).ConfigureAwait(false);
        var versions = await database.FilesetTimesAsync(token).Take(2).ToListAsync(token).ConfigureAwait(false);
        var previousId = versions.Count > 0 ? versions[0].Key : -1;
        var fileset = await filelist
            .BeginAsync(TimeAfter(versions.ConvertAll(x => x.Value.ToUniversalTime()), database.OperationTimestamp), token)
            .ConfigureAwait(false);
        if (!string.IsNullOrWhiteSpace(options.VersionName))
            await database.UpdateFilesetLabelAsync(fileset.FilesetId, options.VersionName, token).ConfigureAwait(false);

        var publisher = new IndexPublisher<LocalBackupDatabase>(m_settings, options.IndexPolicy, m_shared, uploader, temporary.Path);
        using var recorder = new BlockRecorder(
            m_settings,
            options.IndexPolicy,
            m_shared,
            publisher,
            temporary.Path,
            VolumesInFlight(folder)
        );
        var unread = await RecordAsync(sources, recorder, previousId, token).ConfigureAwait(false);
        if (wasInterrupted || isContinued)
            await UnusedRows.DropAsync(database, token).ConfigureAwait(false);
        if (options.IndexPolicy != IndexPolicy.None)
            await MakeMissingIndexesAsync(publisher, token).ConfigureAwait(false);

        // Using the connection would build the indexes that were left out too, but all in one transaction and without an end by a cancel.
        await database.CommitAsync(token).ConfigureAwait(false);
        await database.BuildLeftOutIndexesAsync(token).ConfigureAwait(false);
        var changes = new BackupResults();
        // Against the newest version, not the newest before this second: two backups may begin within one.
        using (var command = database.Connection.CreateCommand())
            await ChangeStatistics
                .UpdateChangeStatisticsAsync(command, changes, fileset.FilesetId, previousId, token)
                .ConfigureAwait(false);
        await RowFaults.VerifyAsync(database, m_settings, false, token).ConfigureAwait(false);
        var isNew = await filelist
            .PublishAsync(fileset, versions.Count > 0 ? versions[0] : null, changes, unread is null, token)
            .ConfigureAwait(false);
        if (unread is not null)
            progress.Warning(
                $"{(isNew ? "The new version is marked partial, so that no rule of a deletion counts it" : "No version was made, as it would be partial and hold no more than the newest")}: {unread} could not be had from its disk. {Advice.UnreadSource(unread)}"
            );
        await database.TerminatedWithActiveUploadsAsync(token, false).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitFinalBackup", true, token).ConfigureAwait(false);
        return new BackupReport(
            isNew,
            m_counters.Files,
            m_counters.Folders,
            m_counters.Symlinks,
            m_counters.Bytes,
            m_counters.SkippedEntries,
            recorder.NewBlocks,
            recorder.NewBytes,
            uploader.UploadedVolumes,
            uploader.UploadedBytes
        );
    }

    // An earlier backup was killed between the two uploads. When everything is recorded: what a blocklist holds is only known as long as a
    // file that uses it is.
    private async Task MakeMissingIndexesAsync(IndexPublisher<LocalBackupDatabase> publisher, CancellationToken token)
    {
        var database = m_shared.Database;
        foreach (var name in await database.GetMissingIndexFilesAsync(token).ToListAsync(token).ConfigureAwait(false))
        {
            var volume = await database.GetRemoteVolumeAsync(name, token).ConfigureAwait(false);
            if (await RecordedVolume.IsOfAsync(database, volume.ID, token).ConfigureAwait(false))
                await publisher
                    .MakeAsync(new RecordedVolume(volume.ID, volume.Name, volume.Hash, volume.Size), token)
                    .ConfigureAwait(false);
        }
    }

    // Versions are told apart and ordered by their times, whatever the clock says: two may have begun within a second, and the times
    // of rewritten ones move forward.
    private DateTime TimeAfter(List<DateTime> versions, DateTime now)
    {
        if (versions.Count == 0 || versions[0] < now)
            return now;
        var last = versions[0];
        if (last > DateTime.MaxValue - s_usualLead)
            throw new UserInformationException(
                $"The newest version is of {last:u}, and no later time is left for another one. {(versions.Count == 1 ? Advice.NothingLeft() : Advice.LastTime(last))}",
                "NoFreeFilelistName"
            );
        if (last > now + s_usualLead)
            progress.Warning(
                $"The newest version is of {last:u}, the clock says {now:u}; the new version is given a time one second later than that"
            );
        return last.AddSeconds(1);
    }

    /// <returns>The first path that its disk did not give, so that the version is partial; null if all were had.</returns>
    private async Task<string?> RecordAsync(BackupSources sources, BlockRecorder recorder, long previous, CancellationToken token)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(token);
        var capacity = Math.Clamp(
            (options.IsSmall ? FewestBytesInFlight : MostBytesInFlight) / BlockBatch.CapacityFor(m_settings.BlockSize),
            2,
            BatchesInFlight
        );
        var blocks = Channel.CreateBounded<BlockBatch>(new BoundedChannelOptions(capacity) { SingleReader = true });
        var entries = Channel.CreateBounded<SourceEntry>(1024);
        var size = new SourceSize(sources.Paths, Scanner(static (_, _, _) => { }, new OwnFiles(options)));
        await using var sizeScope = size.ConfigureAwait(false);

        var scanning = Pipeline.GuardAsync(
            stop,
            () => ScanAsync(sources.Paths, entries.Writer, stop.Token),
            () => entries.Writer.TryComplete()
        );
        var readers = Enumerable
            .Range(0, options.Parallelism * 2)
            .Select(_ => Pipeline.GuardAsync(stop, () => ReadAsync(entries.Reader, blocks.Writer, previous, size, stop.Token)))
            .ToArray();
        var reading = Pipeline.GuardAsync(stop, () => Task.WhenAll(readers), () => blocks.Writer.TryComplete());
        var recording = Pipeline.GuardAsync(stop, () => recorder.RunAsync(blocks.Reader, stop.Token));
        try
        {
            await Pipeline.WhenAllAsync([scanning, reading, recording], token).ConfigureAwait(false);
        }
        finally
        {
            while (blocks.Reader.TryRead(out var left))
                left.Stream.Dispose();
        }

        sources.RequireThere(m_counters.FirstFailed is not null);
        var gone = sources.Gone();
        foreach (var path in gone)
            Skip(path, "what was mounted there went away during the backup");
        return m_counters.FirstFailed ?? (gone.Count > 0 ? gone[0] : null);
    }

    private void Skip(string path, string reason, Exception? failure = null)
    {
        m_counters.Skipped(path, failure);
        progress.Warning($"Skipped {path}: {reason}");
    }

    private async Task ScanAsync(IReadOnlyList<string> sources, ChannelWriter<SourceEntry> output, CancellationToken token)
    {
        await Task.Yield();
        var own = new OwnFiles(options);
        foreach (var entry in Scanner(Skip, own).Scan(sources))
            await output.WriteAsync(entry, token).ConfigureAwait(false);
        if (own.Count > 0)
            progress.Message(
                $"Left out what this backup itself writes: {own.First}{(own.Count > 1 ? $", and {own.Count - 1} others" : "")}"
            );
    }

    private async Task ReadAsync(
        ChannelReader<SourceEntry> input,
        ChannelWriter<BlockBatch> output,
        long previous,
        SourceSize size,
        CancellationToken token
    )
    {
        using var recorder = new EntryRecorder(m_settings, m_shared, output, m_counters, progress, previous, options.DisableFiletimeCheck);
        await foreach (var entry in input.ReadAllAsync(token).ConfigureAwait(false))
        {
            await recorder.RecordAsync(entry, token).ConfigureAwait(false);
            progress.Advance("bytes", m_counters.Bytes, Math.Max(0, size.Bytes));
        }
    }
}
