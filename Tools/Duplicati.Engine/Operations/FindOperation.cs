// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Find;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Finds from a block, a file, a volume or a version all others that have to do with it. Needs the local database only and changes nothing.
/// </summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
/// <param name="progress">Told how far a table is that has to be read whole.</param>
public sealed class FindOperation(string path, string preset, IEngineProgress progress)
{
    /// <summary>Looks up what the request names.</summary>
    /// <param name="request">Where to begin.</param>
    /// <param name="write">Gets what was found and its uses, of any number; they are read as they are enumerated. Called once more if
    /// another program has written to the database meanwhile: what it got before does not count then.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>What <paramref name="write"/> returned.</returns>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>BlockNotInDatabase</c>,
    /// <c>ContentNotInDatabase</c>, <c>VolumeNotInDatabase</c>, <c>PathNotInDatabase</c>, <c>InvalidVersion</c>.</exception>
    public Task<T> RunAsync<T>(FindRequest request, Func<FindReport, IEnumerable<FoundUse>, T> write, CancellationToken token) =>
        DatabaseReading.RunAsync(
            path,
            preset,
            file =>
            {
                using var reading = new ReadingConnection(file);
                var names = new KnownNames(reading.Connection);
                var uses = new BlockUses(reading.Connection, names, progress, token);
                var (report, found) = new FindStart(reading.Connection, names, uses).Find(request);
                return write(report, found);
            },
            token
        );
}
