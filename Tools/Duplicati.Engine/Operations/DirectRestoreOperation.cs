using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Restores without a local database: makes a temporary one of the chosen entries from their file lists and as many index volumes as it takes
/// to find all their blocks, restores, and removes it. Block volumes are read for their directory only where index volumes are missing.
/// </summary>
/// <param name="options">What the operation works on; its database is not used.</param>
/// <param name="progress">Told what happens.</param>
public sealed class DirectRestoreOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the restore.</summary>
    /// <param name="target">The folder to restore into; made if missing.</param>
    /// <param name="choices">What to restore.</param>
    /// <param name="token">Cancels; files that are not complete go.</param>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>InvalidVersion</c>, <c>EmptyRestoreOperation</c>, <c>MissingPassphrase</c>, …</exception>
    public async Task<RestoreReport> RunAsync(string target, RestoreChoices choices, CancellationToken token)
    {
        var versions = await ChooseAsync(choices, token).ConfigureAwait(false);
        using var temporary = new TemporaryFolder();
        var local = options with { DatabasePath = Path.Combine(temporary.Path, "restore.sqlite"), BlockSize = null, VolumeSize = null, BlockHash = null, FileHash = null };
        await ReadAsync(local, versions, choices, token).ConfigureAwait(false);

        // A file list that cannot be read is not among them.
        var known = await new DatabaseListing(local.DatabasePath, options.Preset).VersionsAsync(token).ConfigureAwait(false);
        var restored = await new RestoreOperation(local, progress)
            .RunAsync(target, choices with { Versions = [.. known.Select(x => x.Version)], Time = null }, token).ConfigureAwait(false);
        var time = known.First(x => x.Version == restored.Version).Time.ToUniversalTime();
        return restored with { Version = versions.First(x => x.Time.ToUniversalTime() == time).Version };
    }

    private async Task ReadAsync(EngineOptions local, IReadOnlyList<ListedVersion> versions, RestoreChoices choices, CancellationToken token)
    {
        var filter = PathFilter.Trees(new IncludedPaths(choices.Include), choices.Exclude);
        var names = versions.Select(x => x.Volume!).ToHashSet(StringComparer.Ordinal);
        try
        {
            // Paths of Windows may be of streams, which go with their files: the restore chooses among all of them.
            await new RecreateOperation(local, progress)
            {
                Through = folder => new ChosenVersionsFolder(folder, names),
                IsWanted = path => filter.Empty || !path.StartsWith('/') || FilterExpression.Matches(filter, path),
            }.RunAsync(token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == "DatabaseIsBrokenConsiderPurge")
        {
            progress.Warning("Some blocks are in no volume that was found; the files that need them will fail, all others are restored");
        }
    }

    private async Task<IReadOnlyList<ListedVersion>> ChooseAsync(RestoreChoices choices, CancellationToken token)
    {
        var all = await new RemoteListing(options).VersionsAsync(token).ConfigureAwait(false);
        if (choices.Time is { } time)
        {
            if (all.FirstOrDefault(x => x.Time.ToUniversalTime() <= time.ToUniversalTime()) is { } found)
                return [found];
            progress.Warning($"No version is as old as {time.ToUniversalTime():u}; the newest, of {all[0].Time.ToUniversalTime():u}, is taken");
            return [all[0]];
        }

        if (choices.Versions.Count == 0)
            return [all[0]];
        foreach (var version in choices.Versions.Where(x => x < 0 || x >= all.Count))
            throw new UserInformationException($"There is no version {version}; versions 0 (newest) to {all.Count - 1} exist.", "InvalidVersion");
        return [.. all.Where(x => choices.Versions.Contains(x.Version))];
    }
}
