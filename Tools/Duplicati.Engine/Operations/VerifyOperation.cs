// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Operations;

/// <summary>Checks the database in itself, the remote folder against it, and the content of every volume. Changes nothing.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class VerifyOperation(EngineOptions options, IEngineProgress progress)
{
    private LocalDatabase m_database = null!;
    private BackupSettings m_settings = null!;

    /// <summary>Runs the checks.</summary>
    /// <param name="quick">Compare names and sizes only: read neither the volumes nor each index against its table.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>What was checked and every problem found; the operation fails only if it cannot check at all. Nothing else is checked if
    /// pages of the database are damaged.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseIsDamaged</c>,
    /// <c>DatabaseFormatError</c>, …</exception>
    public async Task<VerifyReport> RunAsync(bool quick, CancellationToken token)
    {
        // First: what is read from damaged pages may look like an answer.
        var damage = await DatabaseReading
            .RunAsync(
                options.DatabasePath,
                options.Preset,
                file => DatabaseIntegrity.CheckAsync(file, quick, token),
                token,
                ReadingMode.AnyVersion
            )
            .ConfigureAwait(false);
        if (damage.Count > 0)
            return Report((0, [.. damage.SkipLast(1).Select(x => x.What), $"{damage[^1].What}. {Advice.DamagedDatabase()}"]));
        var rows = await DatabaseReading
            .RunAsync(options.DatabasePath, options.Preset, file => Task.Run(() => FaultsOf(file), token), token)
            .ConfigureAwait(false);
        return Report(Problems(await FindAsync(quick ? CheckDepth.Names : CheckDepth.Contents, token).ConfigureAwait(false), rows));
    }

    /// <summary>Compares the remote folder with the database, which must be sound.</summary>
    internal Task<VolumeFindings> FindAsync(CheckDepth depth, CancellationToken token) =>
        DatabaseReading.RunAsync(options.DatabasePath, options.Preset, file => FindAsync(file, depth, token), token);

    private static List<string> FaultsOf(string file)
    {
        using var reader = new DatabaseDumpReader(file);
        using var reading = new ReadingConnection(file);
        var areLost = LostBlocksMark.AreLost(reading.Connection);
        List<string> lost = areLost ? [$"Versions need blocks that are in no volume. {LostBlocksMark.Remedy(reading.Connection)}"] : [];
        return
        [
            .. lost,
            .. InspectOperation
                .Faults(reading.Connection, reader.SchemaVersion)
                .Where(x => x.Fault.IsRepaired || !areLost)
                .Select(x => $"The database is inconsistent: {x.What}. {Advice.InconsistentDatabase()}"),
        ];
    }

    private async Task<VolumeFindings> FindAsync(string file, CheckDepth depth, CancellationToken token)
    {
        var database = await LocalDatabase.CreateLocalDatabaseAsync(file, "Verify", true, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        DatabaseGuard.RequireSettings(file, options.DatabasePath, forReading: false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        (m_database, m_settings) = (database, settings);
        var inconsistency = await CheckDatabaseAsync(token).ConfigureAwait(false);

        var missingIndexes = MissingIndexes(file);
        // Of its own: volumes are checked several at once, and no snapshot is held meanwhile.
        using var reading = depth == CheckDepth.Contents && missingIndexes == 0 ? new ReadingConnection(file) : null;
        using var folder = RemoteFolder.Open(options, progress);
        var inventory = await new RemoteInventory(database, folder, settings.Prefix, progress) { OnlyReads = true }
            .LookAsync(token)
            .ConfigureAwait(false);
        var newest = await database
            .FilesetTimesAsync(token)
            .Select(x => x.Value.ToUniversalTime())
            .FirstOrDefaultAsync(token)
            .ConfigureAwait(false);
        // One volume that the passphrase does not open, where it opens others, is damaged.
        var isProven =
            depth != CheckDepth.Names
            && await new SettingsProof(database, options.DatabasePath, settings, folder, progress) { Always = true }
                .TryAsync(inventory.Missing, token)
                .ConfigureAwait(false)
                is null;
        var missing = inventory.Missing.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var volumes = await database
            .GetRemoteVolumesAsync(token)
            .Where(x =>
                (x.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified || inventory.Accepted.Contains(x.Name))
                && !missing.Contains(x.Name)
            )
            .ToListAsync(token)
            .ConfigureAwait(false);
        using var temporary = depth == CheckDepth.Names ? null : new TemporaryFolder();
        var downloader = temporary is null ? null : new VolumeDownloader(folder, settings, temporary.Path);
        var empty = downloader is null
            ? []
            : await new EmptyVersions(database, downloader, settings.Format).FindAsync(token).ConfigureAwait(false);
        List<DamagedVolume> damaged = [];
        if (downloader is not null)
        {
            // Fetching may take long; no snapshot is held meanwhile.
            await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
            folder.Prefetch(volumes.Select(x => (x.Name, x.Size)));
            var checker = new VolumeChecker(downloader, settings.Format) { Database = reading?.Connection };
            damaged = await CheckVolumesAsync(checker, volumes, (depth, isProven), token).ConfigureAwait(false);
        }

        // Of a list that is all there is of its version nothing can be made anew.
        damaged.RemoveAll(x => empty.Any(y => y.Volume == x.Volume.Name));
        var sound = volumes.FindAll(x =>
            x.Type == RemoteVolumeType.Files && !damaged.Exists(y => y.Volume.Name == x.Name) && !empty.Any(y => y.Volume == x.Name)
        );
        var different =
            downloader is null || depth != CheckDepth.Contents
                ? []
                : await CompareListsAsync(downloader, sound, token).ConfigureAwait(false);
        return new VolumeFindings(
            volumes.Count,
            missingIndexes,
            inconsistency,
            [.. inventory.Absent, .. inventory.LostIndexes],
            inventory.Resized,
            [.. inventory.GivenUp.Except(inventory.Missing)],
            inventory.Unknown,
            damaged,
            different,
            empty,
            inventory.IsUnsettled,
            VolumeAdvice.Lost(database, inventory.Absent),
            VolumeAdvice.NewestUnknown(inventory.Extra.Where(x => !IsRenamed(x))) > newest
        );

        // A repair finds it, and gives it its name back.
        bool IsRenamed(RemoteFile file) => inventory.Absent.Any(x => x.Type == RemoteVolumeType.Files && file.HasSize(x.Size));
    }

    // Indexes that an operation that did not end has left out; what a running one leaves out is as it should be.
    private static int MissingIndexes(string file)
    {
        using var reader = new DatabaseDumpReader(file);
        return reader.LeftOut is { IsBeingFilled: false } leftOut ? leftOut.Names.Count : 0;
    }

    private (int, List<string>) Problems(VolumeFindings found, List<string> rows)
    {
        var other = found.IsUnknown ? VolumeAdvice.Recreate(found.Lost) : Advice.DifferentFolder();
        // What is advised for lost blocks would forget volumes that nobody has looked for, or through: it is told when somebody has.
        if (found.Lost is null || found.IsUnknown)
            rows.RemoveAll(x => x.Contains(Advice.LostBlocks(), StringComparison.Ordinal));
        // What is wrong with rows comes first, as in a check: it may be what makes lists differ.
        var problems = rows.Concat(
                found.Missing.Select(x => $"{x.Name} is missing. {VolumeAdvice.Missing(x.Type, found.Lost, found.IsUnknown)}")
            )
            .Concat(found.Resized.Select(x => $"{x.Name} has another size than {x.Size} bytes. {Advice.DamagedVolume(x.Name)}"))
            .Concat(found.GivenUp.Select(x => $"{x.Name} is recorded as {x.State}, and complete versions need it. {other}"))
            .Concat(found.Extra.Select(x => $"{x.Name} is not known to the database. {other}"))
            .Concat(found.Damaged.Select(x => x.Problem.Message))
            .Concat(found.Different.Select(x => rows.Count > 0 ? x.What : $"{x.What} {VolumeAdvice.Recreate(found.Lost)}"))
            .Concat(found.EmptyVersions.Select(x => x.Problem))
            .ToList();
        // Faults of rows make it inconsistent, too: that is one problem.
        if (found.Inconsistency is { } inconsistency && rows.Count == 0)
            problems.Add(
                $"The database is inconsistent ({inconsistency.HelpID}): {inconsistency.Message.TrimEnd('.')}. {Advice.InconsistentDatabase()}"
            );
        if (found.MissingIndexes > 0)
            problems.Add(LeftOutText.Interrupted(options.DatabasePath, found.MissingIndexes));
        return (found.Volumes, problems);
    }

    private VerifyReport Report((int Volumes, List<string> Problems) found)
    {
        found.Problems.Sort(StringComparer.Ordinal);
        foreach (var problem in found.Problems)
            progress.Warning(problem);
        return new VerifyReport(found.Volumes, found.Problems);
    }

    private async Task<DatabaseInconsistencyException?> CheckDatabaseAsync(CancellationToken token)
    {
        try
        {
            await m_database.VerifyConsistencyAsync(m_settings.BlockSize, m_settings.DigestSize, true, token).ConfigureAwait(false);
            return null;
        }
        catch (DatabaseInconsistencyException ex)
        {
            return ex;
        }
    }

    // What a list says of its version, and what the database does: a version that lacks entries is consistent in itself.
    private async Task<List<DifferentList>> CompareListsAsync(
        VolumeDownloader downloader,
        List<RemoteVolumeEntry> lists,
        CancellationToken token
    )
    {
        var tests = await LocalTestDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var testsScope = tests.ConfigureAwait(false);
        var comparer = new VolumeComparer(tests, downloader, m_settings) { OnlyUsable = true };
        var different = new List<DifferentList>();
        foreach (var list in lists)
        {
            try
            {
                var found = await comparer.CompareAsync(new RemoteVolume(list.Name, list.Hash, list.Size), token).ConfigureAwait(false);
                await m_database.Transaction.RollBackAsync(token).ConfigureAwait(false);
                if (found.Count > 0 && await RemoteInventory.StillStandsAsync(m_database, list, token).ConfigureAwait(false))
                    different.Add(new DifferentList(list.Name, found.Count, found[0].Key));
            }
            catch (RemoteFileMissingException)
            {
                // It was there when it was checked: others may have deleted its version meanwhile.
                if (await RemoteInventory.StillStandsAsync(m_database, list, token).ConfigureAwait(false))
                    throw;
            }
        }

        return different;
    }

    private async Task<List<DamagedVolume>> CheckVolumesAsync(
        VolumeChecker checker,
        List<RemoteVolumeEntry> volumes,
        (CheckDepth Depth, bool IsProven) how,
        CancellationToken token
    )
    {
        var damaged = new List<DamagedVolume>();
        var done = 0;
        await Parallel
            .ForEachAsync(
                volumes,
                new ParallelOptions { MaxDegreeOfParallelism = options.VolumesAtOnce, CancellationToken = token },
                async (volume, stop) =>
                {
                    try
                    {
                        await (
                            how.Depth == CheckDepth.Contents ? checker.CheckAsync(volume, stop) : checker.FetchAsync(volume, stop)
                        ).ConfigureAwait(false);
                    }
                    catch (Exception ex)
                        when (ex is VolumeException && (how.IsProven || ex is not (WrongPassphraseException or MissingPassphraseException))
                            || ex is RemoteFileException
                        )
                    {
                        lock (damaged)
                            damaged.Add(new DamagedVolume(volume, ex));
                    }

                    progress.Advance("volumes", Interlocked.Increment(ref done), volumes.Count);
                }
            )
            .ConfigureAwait(false);

        var stillDamaged = new List<DamagedVolume>();
        foreach (var found in damaged.OrderBy(x => x.Volume.Name, StringComparer.Ordinal))
        {
            if (await RemoteInventory.StillStandsAsync(m_database, found.Volume, token).ConfigureAwait(false))
                stillDamaged.Add(found);
        }

        return stillDamaged;
    }
}
