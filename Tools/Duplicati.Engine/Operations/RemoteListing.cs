// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Lists versions and their files straight from the remote folder, without a database.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told which files are left out; null for nobody.</param>
public sealed class RemoteListing(EngineOptions options, IEngineProgress? progress = null) : IVersionListing
{
    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help id <c>EmptyRemoteLocation</c>.</exception>
    public async Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token)
    {
        using var folder = Open();
        var names = await FilelistsAsync(folder, token).ConfigureAwait(false);
        return [.. names.Select((name, version) => new ListedVersion(version, name.Time, null, name.FileName))];
    }

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>InvalidVersion</c>, and those of damaged
    /// volumes.</exception>
    public async Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, IFilter filter, CancellationToken token)
    {
        using var folder = Open();
        var names = await FilelistsAsync(folder, token).ConfigureAwait(false);
        if (version < 0 || version >= names.Count)
            throw VersionList.Missing(version, names.Count);
        var entries = await ReadAsync(folder, names[version], token).ConfigureAwait(false);
        return [.. entries.Where(x => FilterExpression.Matches(filter, x.Path)).OrderBy(x => x.Path, BinaryOrder.Instance)];
    }

    /// <inheritdoc/>
    /// <remarks>Fetches every file list. Memory: paths times versions.</remarks>
    /// <exception cref="UserInformationException">Help id <c>EmptyRemoteLocation</c>, and those of damaged volumes.</exception>
    public async Task<IReadOnlyList<FoundPath>> FindAsync(IFilter filter, CancellationToken token)
    {
        using var folder = Open();
        var names = await FilelistsAsync(folder, token).ConfigureAwait(false);
        folder.Prefetch(names.Select(x => (x.FileName, -1L)));
        var sizes = new SortedDictionary<string, long[]>(BinaryOrder.Instance);
        for (var version = 0; version < names.Count; version++)
        {
            foreach (var entry in await ReadAsync(folder, names[version], token).ConfigureAwait(false))
            {
                if (!FilterExpression.Matches(filter, entry.Path))
                    continue;
                if (!sizes.TryGetValue(entry.Path, out var known))
                    sizes.Add(entry.Path, known = [.. Enumerable.Repeat(-1L, names.Count)]);
                known[version] = entry.Size;
            }
        }

        return
        [
            .. sizes.Select(x => new FoundPath(
                x.Key,
                [.. x.Value.Select((size, version) => new FoundSize(version, names[version].Time, size))]
            )),
        ];
    }

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>InvalidVersion</c>, <c>FolderNotInVersion</c>,
    /// and those of damaged volumes.</exception>
    public async Task<IReadOnlyList<ListedEntry>> FolderAsync(string folder, int version, CancellationToken token) =>
        ListedFolder.Children(await EntriesAsync(version, new FilterExpression(), token).ConfigureAwait(false), folder, version);

    /// <inheritdoc/>
    /// <remarks>Fetches every file list.</remarks>
    /// <exception cref="UserInformationException">Help id <c>EmptyRemoteLocation</c>, and those of damaged volumes.</exception>
    public async Task<IReadOnlyList<PathVersions>> FileVersionsAsync(IReadOnlyList<string> paths, CancellationToken token)
    {
        using var folder = Open();
        var names = await FilelistsAsync(folder, token).ConfigureAwait(false);
        folder.Prefetch(names.Select(x => (x.FileName, -1L)));
        var found = paths.Select(_ => new List<PathVersion>()).ToList();
        for (var version = 0; version < names.Count; version++)
        {
            var entries = (await ReadAsync(folder, names[version], token).ConfigureAwait(false)).ToLookup(
                x => Bare(x.Path),
                StringComparer.Ordinal
            );
            for (var i = 0; i < paths.Count; i++)
                found[i]
                    .AddRange(entries[Bare(paths[i])].Select(x => new PathVersion(version, names[version].Time, x.Type, x.Size, x.Time)));
        }

        return [.. paths.Select((path, i) => new PathVersions(path, found[i]))];
    }

    /// <summary>
    /// What is wrong with a file list; null if it can be read to its end. One that the folder keeps back helps no more than a damaged one.
    /// </summary>
    /// <exception cref="UserInformationException">The file cannot be fetched.</exception>
    internal async Task<VolumeException?> ProblemAsync(string volume, CancellationToken token)
    {
        using var folder = Open();
        try
        {
            await ReadAsync(folder, VolumeName.Parse(volume)!, static x => x.ReadEntries(static _ => { }).Count(), token)
                .ConfigureAwait(false);
            return null;
        }
        catch (VolumeException ex)
        {
            return ex;
        }
        catch (RemoteFileUnreadableException ex)
        {
            return new KeptBackVolumeException(volume, ex);
        }
    }

    /// <summary>The time of a version (UTC) as its list has it, or else that of the name; null if the list cannot be opened.</summary>
    internal async Task<DateTime?> OwnTimeAsync(string volume, CancellationToken token)
    {
        using var folder = Open();
        var name = VolumeName.Parse(volume)!;
        try
        {
            return await ReadAsync(folder, name, x => x.FilesetTime ?? name.Time, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            return null;
        }
    }

    /// <summary>
    /// The first of some versions whose list does not say that the backup did not end; null if there is none. One whose list cannot be
    /// opened is such a one: whoever reads it says what is wrong.
    /// </summary>
    internal async Task<ListedVersion?> FirstFullAsync(IEnumerable<ListedVersion> versions, CancellationToken token)
    {
        using var folder = Open();
        foreach (var version in versions)
        {
            try
            {
                var name = VolumeName.Parse(version.Volume!)!;
                if (await ReadAsync(folder, name, static x => x.IsFullBackup, token).ConfigureAwait(false))
                    return version;
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileException)
            {
                return version;
            }
        }

        return null;
    }

    private static string Bare(string path) => path.TrimEnd('/', '\\') is { Length: > 0 } bare ? bare : path;

    private IRemoteFolder Open() => RemoteFolder.Open(options, progress ?? SilentProgress.Instance);

    private async Task<List<ListedEntry>> ReadAsync(IRemoteFolder folder, VolumeName name, CancellationToken token)
    {
        var refused = new RefusedEntries();
        var entries = await ReadAsync(
                folder,
                name,
                list => list.ReadEntries(problem => refused.Add($"an entry of {name}", problem)).Select(Listed).ToList(),
                token
            )
            .ConfigureAwait(false);
        refused.Tell(progress ?? SilentProgress.Instance);
        return entries;
    }

    private static ListedEntry Listed(FilelistEntry entry) =>
        entry.Type == FilelistEntryType.File
            ? new ListedEntry(entry.Path, ListedEntry.File, entry.Size, entry.Time)
            : new ListedEntry(entry.Path, entry.Type.ToString(), -1, null);

    private async Task<T> ReadAsync<T>(IRemoteFolder folder, VolumeName name, Func<FilelistReader, T> read, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        var downloader = new VolumeDownloader(folder, options.Passphrase, temporary.Path);
        using var download = await downloader.FetchAsync(name.FileName, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, name.FileName);
        return read(filelist);
    }

    private async Task<List<VolumeName>> FilelistsAsync(IRemoteFolder folder, CancellationToken token)
    {
        var files = await folder.ListAsync(token).ConfigureAwait(false);
        var names = files
            .Select(x => VolumeName.OfBackup(x.Name, options.PrefixOrDefault))
            .OfType<VolumeName>()
            .Where(x => x.Type == RemoteVolumeType.Files)
            .OrderByDescending(x => x.Time)
            .ToList();
        return names.Count > 0
            ? names
            : throw new UserInformationException(
                $"No file lists were found at {options.Remote}; check the address.",
                "EmptyRemoteLocation"
            );
    }
}
