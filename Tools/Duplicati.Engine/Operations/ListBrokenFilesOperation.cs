// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Operations;

/// <summary>Lists the files that cannot be restored because volumes are lost. Changes nothing.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class ListBrokenFilesOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the listing.</summary>
    /// <returns>The broken versions, oldest first; none if all volumes are there.</returns>
    /// <exception cref="UserInformationException">Help ids <c>CannotListOnPartialDatabase</c>, <c>CannotListOnDatabaseInRepair</c>,
    /// <c>RemoteFolderEmptyWithPrefix</c>.</exception>
    public async Task<IReadOnlyList<BrokenFilesReport>> RunAsync(CancellationToken token)
    {
        var broken = await DatabaseReading
            .RunAsync(options.DatabasePath, options.Preset, file => ListAsync(file, false, token), token)
            .ConfigureAwait(false);
        // With volumes missing, their blocks are taken out to see what is left.
        broken ??= await DatabaseReading
            .RunAsync(options.DatabasePath, options.Preset, file => ListAsync(file, true, token), token, ReadingMode.PrivateCopy)
            .ConfigureAwait(false);
        return broken!;
    }

    private async Task<List<BrokenFilesReport>?> ListAsync(string file, bool mayWrite, CancellationToken token)
    {
        var database = await LocalListBrokenFilesDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        DatabaseGuard.RequireSettings(file, options.DatabasePath);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException(
                $"The database was recreated for some versions only; what is broken cannot be told. {Advice.RecreateDatabase()}",
                "CannotListOnPartialDatabase"
            );

        using var folder = RemoteFolder.Open(options, progress);
        var finder = new BrokenVersions(database, folder, settings, progress);
        var broken = mayWrite
            ? await finder.FindAsync(token).ConfigureAwait(false)
            : await finder.TryFindReadingAsync(token).ConfigureAwait(false);
        if (broken is null)
            return null;

        var files = await finder.FilesAsync(broken, token).ConfigureAwait(false);
        var result = broken.ConvertAll(version =>
        {
            var (all, lost) = files[version];
            return new BrokenFilesReport(
                version.Version,
                version.Time,
                all.ConvertAll(x => new BrokenFile(x.Item1, x.Item2) { OnlyMetadata = !lost.Contains(x) })
            );
        });
        if (result.Count > 0)
            progress.Warning($"Files of {SizeText.Count(result.Count, "version")} cannot be restored. {finder.Remedy}");
        return [.. result.OrderByDescending(x => x.Version)];
    }
}
