// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Restores without a local database: makes a temporary one of the chosen entries from their file lists and as many index volumes as it
/// takes to find all their blocks, restores, and removes it. Block volumes are read for their directory only where index volumes are
/// missing.
/// </summary>
/// <param name="options">What the operation works on; its database is not used.</param>
/// <param name="progress">Told what happens.</param>
public sealed class DirectRestoreOperation(EngineOptions options, IEngineProgress progress)
{
    private RestoreChoices m_choices = null!;
    private string m_folder = "";
    private IReadOnlyList<ListedVersion> m_all = [];
    private int m_readings;

    // Of a restore that is to be made again: what the next one is from, and what was made for it.
    private Reading? m_next;
    private TargetFolders? m_folders;

    /// <summary>Runs the restore.</summary>
    /// <param name="target">The folder to restore into; made if missing.</param>
    /// <param name="choices">What to restore.</param>
    /// <param name="token">Cancels; files that are not complete go.</param>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>InvalidVersion</c>, <c>EmptyRestoreOperation</c>,
    /// <c>MissingPassphrase</c>, …</exception>
    public async Task<RestoreReport> RunAsync(string target, RestoreChoices choices, CancellationToken token)
    {
        TargetFolders.RefuseRemote(target, options);
        using var temporary = new TemporaryFolder();
        (m_choices, m_folder) = (choices, temporary.Path);
        m_all = await new RemoteListing(options).VersionsAsync(token).ConfigureAwait(false);
        var read = await ChooseAsync(token).ConfigureAwait(false) is { } versions
            ? await ReadAsync(versions, token).ConfigureAwait(false)
            : await ReadNewestFullAsync(token).ConfigureAwait(false);
        while (true)
        {
            try
            {
                return await RestoreAsync(read, target, token).ConfigureAwait(false);
            }
            catch (UserInformationException ex) when (ex.Message.Contains(read.Local.DatabasePath, StringComparison.Ordinal))
            {
                // Nobody has named this database.
                throw new UserInformationException(
                    ex.Message.Replace(read.Local.DatabasePath, options.Remote, StringComparison.Ordinal),
                    ex.HelpID,
                    ex
                );
            }
            catch (RestoreOperation.AgainException)
            {
                read = m_next!;
            }
        }
    }

    // What was read of some versions: the database of them, and what was in the folder then.
    private sealed record Reading(
        EngineOptions Local,
        IReadOnlyList<ListedVersion> Versions,
        IReadOnlyList<ListedVersion> Known,
        IReadOnlySet<string> Listed,
        IReadOnlyList<VolumeException> Problems,
        long Refused
    );

    private async Task<RestoreReport> RestoreAsync(Reading read, string target, CancellationToken token)
    {
        var restore = new RestoreOperation(read.Local, progress)
        {
            Folders = m_folders,
            OnLoss = async (folder, stop) =>
            {
                var files = await folder.ListAsync(stop).ConfigureAwait(false);
                if (!read.Listed.Except(files.Select(x => x.Name)).Any())
                    return false;
                progress.Message("Another operation has removed volumes meanwhile; the remote folder is read again");
                m_next = await ReadAsync(read.Versions, stop).ConfigureAwait(false);
                return true;
            },
        };
        RestoreReport restored;
        try
        {
            restored = await restore
                .RunAsync(target, m_choices with { Versions = [.. read.Known.Select(x => x.Version)], Time = null }, token)
                .ConfigureAwait(false);
        }
        finally
        {
            m_folders = restore.Folders;
        }

        var version = Of(read.Versions, read.Known.First(x => x.Version == restored.Version));
        var problems = read.Problems.Select(x => x.Message).ToList();
        if (read.Refused > 0)
            problems.Add(
                new CorruptVolumeException(
                    version.Volume!,
                    $"Left out, because it cannot be so: {SizeText.Count(read.Refused, "entry")}."
                ).Message
            );
        return restored with { Version = version.Version, ListProblems = problems };
    }

    // By the name of its list, which need not be of the second of the version.
    private static ListedVersion Of(IReadOnlyList<ListedVersion> versions, ListedVersion known) =>
        versions.First(x => x.Volume == known.Volume);

    private async Task<Reading> ReadNewestFullAsync(CancellationToken token)
    {
        var newest = await ReadAsync([m_all[0]], token).ConfigureAwait(false);
        if (newest.Known.Count == 0 || newest.Known[0].IsFull != false)
            return newest;
        // Lists are enough to choose by: a database of each version would take as much time and space as one of the chosen.
        if (await new RemoteListing(options, progress).FirstFullAsync(m_all.Skip(1), token).ConfigureAwait(false) is not { } version)
            return newest;
        var read = await ReadAsync([version], token).ConfigureAwait(false);
        progress.Warning(VersionList.PassedOver(m_all[0].Time, version.Version, version.Time));
        return read;
    }

    private async Task<Reading> ReadAsync(IReadOnlyList<ListedVersion> versions, CancellationToken token)
    {
        var local = options with
        {
            DatabasePath = Path.Combine(m_folder, $"restore-{++m_readings}.sqlite"),
            BlockSize = null,
            VolumeSize = null,
            BlockHash = null,
            FileHash = null,
        };
        var filter = PathFilter.Trees(new IncludedPaths(m_choices.Include), m_choices.Exclude);
        var names = versions.Select(x => x.Volume!).ToHashSet(StringComparer.Ordinal);
        ChosenVersionsFolder? through = null;
        var refused = 0L;
        try
        {
            // Paths of Windows may be of streams, which go with their files: the restore chooses among all of them.
            var report = await new RecreateOperation(local, progress)
            {
                StandsFor = options.Remote,
                Through = folder => through = new ChosenVersionsFolder(folder, names),
                IsWanted = path => filter.Empty || !path.StartsWith('/') || FilterExpression.Matches(filter, path),
            }
                .RunAsync(token)
                .ConfigureAwait(false);
            refused = report.RefusedEntries;
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseIsBrokenConsiderPurge")
        {
            progress.Warning("Some blocks are in no volume that was found; the files that need them will fail, all others are restored");
        }
        catch (VolumeException ex) when (IsDamage(ex) && names.Contains(ex.Volume))
        {
            throw await OtherVersionAsync(versions.First(x => x.Volume == ex.Volume), ex, token).ConfigureAwait(false);
        }

        // A file list that cannot be read is not among them.
        var known = await new DatabaseListing(local.DatabasePath, options.Preset).VersionsWithListsAsync(token).ConfigureAwait(false);
        var partial = known.Where(x => x.IsFull == false).Select(x => Of(versions, x)).ToList();
        var listing = new RemoteListing(options, progress);
        var problems = new List<VolumeException>();
        foreach (var version in partial)
        {
            if (await listing.ProblemAsync(version.Volume!, token).ConfigureAwait(false) is { } problem)
                problems.Add(problem);
        }

        // Whoever named no version takes what comes for the whole one.
        return m_choices.Versions.Count == 0 && problems.Count > 0
            ? throw await OtherVersionAsync(partial[0], problems[0], token).ConfigureAwait(false)
            : new Reading(local, versions, known, through!.Listed, problems, refused);
    }

    // What no other list would change.
    private static bool IsDamage(VolumeException failure) => failure is not (MissingPassphraseException or UnsupportedVolumeException);

    // The failure, with the newest version whose list can be read; the failure itself if there is none.
    private async Task<UserInformationException> OtherVersionAsync(ListedVersion damaged, VolumeException failure, CancellationToken token)
    {
        var listing = new RemoteListing(options);
        foreach (var other in m_all.Where(x => x.Version != damaged.Version))
        {
            if (await listing.ProblemAsync(other.Volume!, token).ConfigureAwait(false) is not null)
                continue;
            var (time, otherTime) = (damaged.Time.ToUniversalTime(), other.Time.ToUniversalTime());
            return new UserInformationException(
                $"The file list of version {damaged.Version} of {time:u} {(failure is KeptBackVolumeException ? "cannot be read" : "is damaged")}: {failure.Problem} The newest version whose list can be read is {other.Version}, of {otherTime:u}. {Advice.OtherVersion(other.Version)} ({failure.Message})",
                failure.HelpID
            );
        }

        return failure;
    }

    // A repair may have given a list another name. Its version has kept its time, which is in the list; what it made of the same version
    // beside one that was put back since is partial.
    private async Task<ListedVersion?> OfTimeAsync(DateTime time, CancellationToken token)
    {
        var listing = new RemoteListing(options, progress);
        var near = m_all.Where(x => (x.Time.ToUniversalTime() - time).Duration() <= FreeFilelistName.FarthestMove).ToList();
        if (near is [var only] && only.Time.ToUniversalTime() <= time)
            return only;
        var candidates = new List<(ListedVersion Version, DateTime Time)>();
        foreach (var version in near)
        {
            var own = await listing.OwnTimeAsync(version.Volume!, token).ConfigureAwait(false) ?? version.Time.ToUniversalTime();
            if (own <= time)
                candidates.Add((version, own));
        }

        if (candidates.Count == 0)
            return m_all.FirstOrDefault(x => x.Time.ToUniversalTime() < time - FreeFilelistName.FarthestMove);
        var last = candidates.Max(x => x.Time);
        var newest = candidates.FindAll(x => x.Time == last).ConvertAll(x => x.Version);
        return await listing.FirstFullAsync(newest, token).ConfigureAwait(false) ?? newest[0];
    }

    // Null for the newest complete one, which only its file list tells.
    private async Task<IReadOnlyList<ListedVersion>?> ChooseAsync(CancellationToken token)
    {
        if (m_choices.Time is { } time)
        {
            if (await OfTimeAsync(time.ToUniversalTime(), token).ConfigureAwait(false) is { } found)
                return [found];
            progress.Warning(
                $"No version is as old as {time.ToUniversalTime():u}; the newest, of {m_all[0].Time.ToUniversalTime():u}, is taken"
            );
            return [m_all[0]];
        }

        if (m_choices.Versions.Count == 0)
            return null;
        foreach (var version in m_choices.Versions.Where(x => x < 0 || x >= m_all.Count))
            throw VersionList.Missing(version, m_all.Count);
        return [.. m_all.Where(x => m_choices.Versions.Contains(x.Version))];
    }
}
