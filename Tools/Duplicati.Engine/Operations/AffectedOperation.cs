// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Paths;

namespace Duplicati.Engine.Operations;

/// <summary>Tells what would be lost with some remote volumes. Needs the local database only and changes nothing.</summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class AffectedOperation(string path, string preset)
{
    /// <summary>Looks the volumes up.</summary>
    /// <param name="volumes">Names of volumes, as they are in the remote folder.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<AffectedReport> RunAsync(IReadOnlyCollection<string> volumes, CancellationToken token) =>
        DatabaseReading.RunAsync(path, preset, file => ReadAsync(file, volumes, token), token);

    private static async Task<AffectedReport> ReadAsync(string file, IReadOnlyCollection<string> volumes, CancellationToken token)
    {
        var database = await LocalListAffectedDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var names = volumes.Distinct(StringComparer.Ordinal).ToArray();
        var unknown = new List<string>();
        foreach (var name in names)
        {
            if (await database.GetRemoteVolumeIDAsync(name, token).ConfigureAwait(false) < 0)
                unknown.Add(name);
        }

        return new AffectedReport(
            await database
                .GetFilesetsAsync(names, token)
                .Select(x => new AffectedVersion(x.Version, x.Time.ToUniversalTime()))
                .OrderBy(x => x.Version)
                .ToListAsync(token)
                .ConfigureAwait(false),
            await database.GetFilesAsync(names, token).Select(x => x.Path).ToListAsync(token).ConfigureAwait(false),
            await database
                .GetLogLinesAsync(names, token)
                .Select(x => new LogMessage(x.Timestamp.ToUniversalTime(), x.Message))
                .OrderBy(x => x.Time)
                .ToListAsync(token)
                .ConfigureAwait(false),
            await database
                .GetVolumesAsync(names, token)
                .Select(x => x.Name)
                .Order(BinaryOrder.Instance)
                .ToListAsync(token)
                .ConfigureAwait(false),
            unknown
        );
    }
}
