// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Operations;

/// <summary>Versions as users count them: 0 is the newest.</summary>
internal static class VersionList
{
    /// <summary>Finds the fileset of a version.</summary>
    /// <returns>Its id and its time (local).</returns>
    /// <exception cref="UserInformationException">Help ids <c>NoBackupAtDate</c> (there are no versions),
    /// <c>InvalidVersion</c>.</exception>
    internal static async Task<KeyValuePair<long, DateTime>> RequireAsync(LocalDatabase database, long version, CancellationToken token)
    {
        var filesets = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (filesets.Count == 0)
            throw new UserInformationException("The database holds no versions.", "NoBackupAtDate");
        if (version < 0 || version >= filesets.Count)
            throw Missing(version, filesets.Count);
        return filesets[(int)version];
    }

    /// <summary>The error of a version that is none of so many.</summary>
    internal static UserInformationException Missing(long version, int count) =>
        new($"There is no version {version}; versions 0 (newest) to {count - 1} exist.", "InvalidVersion");

    /// <summary>Finds the versions of exact times.</summary>
    /// <param name="versions">Times of all versions, newest first.</param>
    /// <param name="wanted">Those that are looked for, local or UTC.</param>
    /// <returns>Times (UTC) of versions, and of none. Local ones would not do: in autumn an hour comes twice.</returns>
    /// <exception cref="UserInformationException">Help id <c>SeveralVersionsOfTime</c>: a time does not say which one is meant.</exception>
    internal static (HashSet<DateTime> Found, List<DateTime> Unknown) Named(
        IReadOnlyCollection<DateTime> versions,
        IReadOnlyCollection<DateTime> wanted
    )
    {
        var times = wanted.Select(x => x.ToUniversalTime()).ToHashSet();
        var numbers = versions
            .Select((time, number) => (Time: time.ToUniversalTime(), Number: number))
            .ToLookup(x => x.Time, x => x.Number);
        if (times.FirstOrDefault(x => numbers[x].Count() > 1) is var time && time != default)
            throw new UserInformationException(
                $"Versions {string.Join(" and ", numbers[time])} are both of {time:u}. `duplicati-db list` shows them, and --version says which is meant.",
                "SeveralVersionsOfTime"
            );
        var found = versions.Select(x => x.ToUniversalTime()).Where(times.Contains).ToHashSet();
        times.ExceptWith(found);
        return (found, [.. times.Order()]);
    }

    /// <summary>Versions in a message.</summary>
    internal static string Times(IReadOnlyCollection<DateTime> versions) =>
        $"{(versions.Count == 1 ? "the version" : "the versions")} of {string.Join(", ", versions.Select(x => $"{x.ToUniversalTime():u}"))}";

    /// <summary>
    /// Notes which versions are meant by their numbers, before a wait for an operation that may change the list. A dry run tells what it
    /// has chosen.
    /// </summary>
    internal static async Task NoteAsync(
        EngineOptions options,
        IReadOnlyCollection<long> versions,
        ShownVersions shown,
        CancellationToken token
    )
    {
        if (options.DryRun || shown.IsKnown || versions.Count == 0)
            return;

        var listed = await new DatabaseListing(options.DatabasePath, options.Preset).VersionsAsync(token).ConfigureAwait(false);
        shown.Require(listed.Where(x => versions.Contains(x.Version)).Select(x => x.Time));
    }

    /// <summary>What is said of a version that is not complete.</summary>
    internal const string Partial = "is partial: its backup runs, was stopped or could not read all, or a part of it was lost";

    /// <summary>Finds the newest complete version: that of a backup that runs, was killed or could not read all is a part of one.</summary>
    /// <returns>Its number, which is told if there are newer ones; without one that of the newest.</returns>
    /// <exception cref="UserInformationException">Help id <c>NoBackupAtDate</c> (there are no versions).</exception>
    internal static async Task<long> NewestFullAsync(LocalDatabase database, IEngineProgress progress, CancellationToken token)
    {
        var newest = await RequireAsync(database, 0, token).ConfigureAwait(false);
        var filesets = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        for (var version = 0; version < filesets.Count; version++)
        {
            if (!await database.IsFilesetFullBackupAsync(filesets[version].Key, token).ConfigureAwait(false))
                continue;
            if (version > 0)
                progress.Warning(PassedOver(newest.Value, version, filesets[version].Value));
            return version;
        }

        return 0;
    }

    /// <summary>Says that a version is passed over.</summary>
    internal static string PassedOver(DateTime newest, long version, DateTime time) =>
        $"The newest version, of {newest.ToUniversalTime():u}, {Partial}. Version {version}, of {time.ToUniversalTime():u}, is restored; --version 0 takes the partial one";

    /// <summary>Finds the newest version that is not younger than a time.</summary>
    /// <returns>Its number. If all are younger: that of the newest, with a warning, as upstream.</returns>
    /// <exception cref="UserInformationException">Help id <c>NoBackupAtDate</c> (there are no versions).</exception>
    internal static async Task<long> FindAsync(LocalDatabase database, DateTime time, IEngineProgress progress, CancellationToken token)
    {
        var id = await database.GetFilesetIDsAsync(time.ToUniversalTime(), null, false, token).FirstAsync(token).ConfigureAwait(false);
        var filesets = await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false);
        var version = filesets.FindIndex(x => x.Key == id);
        var found = filesets[version].Value.ToUniversalTime();
        if (found > time.ToUniversalTime())
            progress.Warning($"No version is as old as {time.ToUniversalTime():u}; the newest, of {found:u}, is taken");
        return version;
    }
}
