// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Operations;

/// <summary>Finds entries by their path in some or all versions of a local database. Changes nothing.</summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class SearchOperation(string path, string preset)
{
    /// <summary>Runs the search. Memory: the page.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NoBackupAtDate</c>, <c>InvalidVersion</c>,
    /// <c>FilterTypeNotSupported</c>.</exception>
    /// <exception cref="ArgumentException">There is an offset without a limit.</exception>
    public Task<SearchReport> RunAsync(SearchRequest request, CancellationToken token) =>
        DatabaseReading.RunAsync(path, preset, file => ReadAsync(file, request, token), token);

    private static async Task<SearchReport> ReadAsync(string file, SearchRequest request, CancellationToken token)
    {
        var database = await LocalListDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var filesets = new List<long>();
        foreach (var version in request.Versions)
            filesets.Add((await VersionList.RequireAsync(database, version, token).ConfigureAwait(false)).Key);

        var found = await database
            .SearchEntriesAsync(
                request.Folders.Select(ListedFolder.Name),
                PathFilter.Of(request.Patterns, request.Exclusions),
                request.CaseSensitive,
                [.. filesets],
                request.Metadata,
                request.Offset,
                request.Limit,
                token
            )
            .ConfigureAwait(false);
        return new SearchReport(found.TotalCount, request.Offset, [.. found.Items.Select(Describe)]);
    }

    private static FoundEntry Describe(ISearchFileVersion item)
    {
        var entry = ListedEntry.Of(item, item.Path);
        return new FoundEntry(entry.Path, item.Version, item.Time, entry.Type, entry.Size, entry.Time);
    }
}
