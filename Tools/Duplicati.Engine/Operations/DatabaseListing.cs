// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Lists versions and their entries from a local database. Changes nothing.</summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class DatabaseListing(string path, string preset) : IVersionListing
{
    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token) =>
        OpenAsync<IReadOnlyList<ListedVersion>>(async database => await VersionsAsync(database, token).ConfigureAwait(false), token);

    /// <summary>The same with the names of their lists.</summary>
    internal Task<IReadOnlyList<ListedVersion>> VersionsWithListsAsync(CancellationToken token) =>
        OpenAsync<IReadOnlyList<ListedVersion>>(
            async database =>
            {
                var versions = await VersionsAsync(database, token).ConfigureAwait(false);
                var lists = new List<string>();
                foreach (var (id, _) in await database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false))
                    lists.Add((await database.GetRemoteVolumeFromFilesetIDAsync(id, token).ConfigureAwait(false)).Name);
                return versions.ConvertAll(x => x with { Volume = lists[(int)x.Version] });
            },
            token
        );

    private static ValueTask<List<ListedVersion>> VersionsAsync(LocalListDatabase database, CancellationToken token) =>
        database
            .ListFilesetsExtendedAsync(token)
            .Select(x => new ListedVersion(x.Version, x.Time, x.IsFullBackup, null, x.FileCount, x.FileSizes, Label: x.Label))
            .ToListAsync(token);

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NoBackupAtDate</c>,
    /// <c>InvalidVersion</c>.</exception>
    public Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, IFilter filter, CancellationToken token) =>
        OpenAsync<IReadOnlyList<ListedEntry>>(
            async database =>
            {
                var fileset = await VersionList.RequireAsync(database, version, token).ConfigureAwait(false);
                var wanted = filter.Empty ? null : await PathsAsync(database, version, filter, token).ConfigureAwait(false);
                if (wanted is { Count: 0 })
                    return [];

                // The search has other rules for filters, so it is asked for the folders of what was found.
                var found = await database
                    .SearchEntriesAsync(
                        wanted?.SelectMany(FoldersOf).ToHashSet(StringComparer.Ordinal),
                        new FilterExpression(),
                        true,
                        [fileset.Key],
                        false,
                        0,
                        0,
                        token
                    )
                    .ConfigureAwait(false);
                return
                [
                    .. found
                        .Items.Where(x => wanted is null || wanted.Contains(x.Path))
                        .Select(x => ListedEntry.Of(x, x.Path))
                        .OrderBy(x => x.Path, BinaryOrder.Instance),
                ];
            },
            token
        );

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<IReadOnlyList<FoundPath>> FindAsync(IFilter filter, CancellationToken token) =>
        OpenAsync<IReadOnlyList<FoundPath>>(
            async database =>
            {
                var versions = await database
                    .FilesetTimesAsync(token)
                    .Select(x => x.Value.ToUniversalTime())
                    .ToListAsync(token)
                    .ConfigureAwait(false);
                var sets = await database.SelectFileSetsAsync(default, [], token).ConfigureAwait(false);
                await using var setsScope = sets.ConfigureAwait(false);
                var found = new List<FoundPath>();
                await foreach (
                    var file in sets.SelectFilesAsync(filter.Empty ? new FilterExpression("*") : filter, token).ConfigureAwait(false)
                )
                {
                    var sizes = await file.SizesAsync(token).ToListAsync(token).ConfigureAwait(false);
                    found.Add(
                        new FoundPath(file.Path!, [.. sizes.Select((size, version) => new FoundSize(version, versions[version], size))])
                    );
                }

                return found;
            },
            token
        );

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NoBackupAtDate</c>, <c>InvalidVersion</c>,
    /// <c>FolderNotInVersion</c>.</exception>
    public Task<IReadOnlyList<ListedEntry>> FolderAsync(string folder, int version, CancellationToken token) =>
        OpenAsync<IReadOnlyList<ListedEntry>>(
            async database =>
            {
                var fileset = await VersionList.RequireAsync(database, version, token).ConfigureAwait(false);
                if (string.IsNullOrWhiteSpace(folder))
                    return await database
                        .GetMinimalUniquePrefixEntriesAsync(fileset.Key, token)
                        .Select(ListedEntry.Of)
                        .ToListAsync(token)
                        .ConfigureAwait(false);

                var name = ListedFolder.Name(folder);
                if (!ListedFolder.CanBe(folder))
                    throw ListedFolder.Missing(folder, version);
                // A database that was recreated elsewhere than on Windows does not split the paths of Windows: the folder is looked for
                // among the entries.
                if (name[^1] != Path.DirectorySeparatorChar)
                {
                    var all = await database
                        .SearchEntriesAsync(null, new FilterExpression(), true, [fileset.Key], false, 0, 0, token)
                        .ConfigureAwait(false);
                    return ListedFolder.Children(all.Items.Select(x => ListedEntry.Of(x, x.Path)), folder, version);
                }

                var prefixes = await database.GetPrefixIdsAsync([name], token).ToListAsync(token).ConfigureAwait(false);
                var entries = await database.ListFolderAsync(prefixes, fileset.Key, 0, 0, token).ConfigureAwait(false);
                if (
                    entries.TotalCount == 0
                    && (await database.ListFileVersionsAsync([name], [fileset.Key], 0, 0, token).ConfigureAwait(false)).TotalCount == 0
                )
                    throw ListedFolder.Missing(folder, version);
                return [.. entries.Items.Where(x => x.Path != name).Select(ListedEntry.Of)];
            },
            token
        );

    /// <inheritdoc/>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<IReadOnlyList<PathVersions>> FileVersionsAsync(IReadOnlyList<string> paths, CancellationToken token) =>
        OpenAsync<IReadOnlyList<PathVersions>>(
            async database =>
            {
                var result = new List<PathVersions>();
                foreach (var one in paths)
                {
                    if (!ListedFolder.CanBe(one))
                    {
                        result.Add(new PathVersions(one, []));
                        continue;
                    }

                    // One at a time: an answer for several names only the last component of each.
                    var found = await database.ListFileVersionsAsync([one], null, 0, 0, token).ConfigureAwait(false);
                    var versions = found.Items.Select(x => (Item: x, Entry: ListedEntry.Of(x, one))).OrderBy(x => x.Item.Version);
                    result.Add(
                        new PathVersions(
                            one,
                            [
                                .. versions.Select(x => new PathVersion(
                                    x.Item.Version,
                                    x.Item.Time,
                                    x.Entry.Type,
                                    x.Entry.Size,
                                    x.Entry.Time
                                )),
                            ]
                        )
                    );
                }

                return result;
            },
            token
        );

    private static async Task<HashSet<string>> PathsAsync(LocalListDatabase database, int version, IFilter filter, CancellationToken token)
    {
        var sets = await database.SelectFileSetsAsync(default, [version], token).ConfigureAwait(false);
        await using var setsScope = sets.ConfigureAwait(false);
        return await sets.SelectFilesAsync(filter, token)
            .Select(x => x.Path!)
            .ToHashSetAsync(StringComparer.Ordinal, token)
            .ConfigureAwait(false);
    }

    // As a database has it that was made here, and one that was made on Windows.
    private static IEnumerable<string> FoldersOf(string path)
    {
        return [Folder('/'), Folder('/', '\\')];

        string Folder(params char[] separators) => path[..(path.TrimEnd(separators).LastIndexOfAny(separators) + 1)];
    }

    private Task<T> OpenAsync<T>(Func<LocalListDatabase, Task<T>> list, CancellationToken token) =>
        DatabaseReading.RunAsync(
            path,
            preset,
            async file =>
            {
                var database = await LocalListDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
                await using var databaseScope = database.ConfigureAwait(false);
                return await list(database).ConfigureAwait(false);
            },
            token
        );
}
