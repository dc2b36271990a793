using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Purge;
using Duplicati.Engine.Remote;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Lists the files that cannot be restored because volumes are lost. Changes nothing.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class ListBrokenFilesOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the listing.</summary>
    /// <returns>The broken versions, oldest first; none if all volumes are there.</returns>
    /// <exception cref="UserInformationException">Help ids <c>CannotListOnPartialDatabase</c>, <c>CannotListOnDatabaseInRepair</c>, <c>CannotPurgeWithNoRemoteVolumes</c>.</exception>
    public async Task<IReadOnlyList<BrokenFilesReport>> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        var database = await LocalListBrokenFilesDatabase.CreateAsync(options.DatabasePath, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        if (await database.PartiallyRecreatedAsync(token).ConfigureAwait(false))
            throw new UserInformationException($"The database was recreated for some versions only; what is broken cannot be told. {Advice.RecreateDatabase()}", "CannotListOnPartialDatabase");

        using var folder = RemoteFolder.Open(options, progress);
        var result = new List<BrokenFilesReport>();
        foreach (var version in await new BrokenVersions(database, folder, settings, progress) { OnlyLooks = true }.FindAsync(token).ConfigureAwait(false))
        {
            var files = await database.GetBrokenFilenamesAsync(version.FilesetId, token).Select(x => new BrokenFile(x.Item1, x.Item2)).ToListAsync(token).ConfigureAwait(false);
            result.Add(new BrokenFilesReport(version.Version, version.Time, files));
        }

        // What was assumed to find out must not stay.
        await database.Transaction.RollBackAsync(token).ConfigureAwait(false);
        return [.. result.OrderByDescending(x => x.Version)];
    }
}
