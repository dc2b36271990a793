// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Find;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Compact;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Operations;

/// <summary>Lists the volumes that a database knows, and what settles those that are on their way. Changes nothing.</summary>
/// <param name="options">The database; of a remote folder only the address is told.</param>
public sealed class VolumesOperation(EngineOptions options)
{
    /// <summary>Reads the volumes. Reads all blocks once, as a compact does, to tell what is waste.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public Task<VolumesReport> RunAsync(VolumesRequest request, CancellationToken token) =>
        DatabaseReading.RunAsync(options.DatabasePath, options.Preset, file => ReadAsync(file, request, token), token);

    private async Task<VolumesReport> ReadAsync(string file, VolumesRequest request, CancellationToken token)
    {
        var database = await LocalListDatabase.CreateAsync(file, null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var usage = await database.Session.ShortAsync(UsageReads.Read, token).ConfigureAwait(false);
        using var reading = new ReadingConnection(file);
        var volumes = VolumeRows.Read(reading.Connection, request, usage);
        return new VolumesReport(volumes, volumes.Exists(IsUnsettled) ? Unsettled() : null);
    }

    private static bool IsUnsettled(ListedVolume volume) => volume.Why is not null && !VolumeRows.IsBegunList(volume.Type, volume.State);

    private CheckFinding Unsettled() => new DatabaseFindings(options.DatabasePath, new CommandWords(options, [])).Interrupted();
}
