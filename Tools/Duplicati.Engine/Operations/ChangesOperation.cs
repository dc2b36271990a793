// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Tells how one version differs from another. Needs the local database only and changes nothing.</summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class ChangesOperation(string path, string preset)
{
    /// <summary>Compares two versions. Memory: the changes; linear in the entries of both.</summary>
    /// <param name="from">The version to start from, 0 = newest.</param>
    /// <param name="to">The version to compare with.</param>
    /// <param name="filter">The paths to look at; an empty filter wants all.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NeedTwoBackupsToStartDiff</c>,
    /// <c>InvalidVersion</c>.</exception>
    public Task<ChangesReport> RunAsync(long from, long to, IFilter filter, CancellationToken token) =>
        DatabaseReading.RunAsync(path, preset, file => ReadAsync(file, from, to, filter, token), token);

    private static async Task<ChangesReport> ReadAsync(string file, long from, long to, IFilter filter, CancellationToken token)
    {
        var database = await LocalListChangesDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        if (await database.FilesetTimesAsync(token).CountAsync(token).ConfigureAwait(false) is < 2 and var count)
            throw new UserInformationException(
                $"There is nothing to compare: the database holds {SizeText.Count(count, "version")}, and two are needed.",
                "NeedTwoBackupsToStartDiff"
            );
        var before = await VersionList.RequireAsync(database, from, token).ConfigureAwait(false);
        var after = await VersionList.RequireAsync(database, to, token).ConfigureAwait(false);

        var storage = await database.CreateStorageHelperAsync(token).ConfigureAwait(false);
        await using var storageScope = storage.ConfigureAwait(false);
        await storage.AddFromDbAsync(before.Key, false, filter, token).ConfigureAwait(false);
        await storage.AddFromDbAsync(after.Key, true, filter, token).ConfigureAwait(false);
        var counts = await storage.CreateChangeCountReportAsync(token).ConfigureAwait(false);
        var changed = await storage.CreateChangeSizeReportAsync(token).ConfigureAwait(false);
        var (bytesBefore, bytesAfter) = await ((ChangesStorage)storage).FileSizesAsync(token).ConfigureAwait(false);
        return new ChangesReport(
            new ComparedVersion(from, before.Value.ToUniversalTime(), bytesBefore),
            new ComparedVersion(to, after.Value.ToUniversalTime(), bytesAfter),
            new ChangeCounts(counts.AddedFolders, counts.AddedSymlinks, counts.AddedFiles),
            new ChangeCounts(counts.DeletedFolders, counts.DeletedSymlinks, counts.DeletedFiles),
            new ChangeCounts(counts.ModifiedFolders, counts.ModifiedSymlinks, counts.ModifiedFiles),
            changed.AddedSize + counts.AddedFolders + counts.AddedSymlinks,
            changed.DeletedSize + counts.DeletedFolders + counts.DeletedSymlinks,
            await storage
                .CreateChangedFileReportAsync(token)
                .Select(x => new ListedChange(x.Item1, x.Item2, x.Item3))
                .ToListAsync(token)
                .ConfigureAwait(false)
        );
    }
}
