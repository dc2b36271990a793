// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Compacts the remote folder on its own.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class CompactOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>
    /// Runs the compact. A dry run works on a copy of the database and changes nothing; it reads the volumes it would rewrite.
    /// </summary>
    /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help ids <c>DatabaseDoesNotExist</c>,
    /// <c>MissingRemoteFiles</c>, <c>ExtraRemoteFiles</c>, <c>VersionsAreNotKnown</c>.</exception>
    public async Task<CompactReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        DatabaseGuard.Require(options);
        using var space = new WorkSpace(options, progress);
        var database = await LocalDeleteDatabase.CreateAsync(space.DatabasePath, "Compact", null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        await OperationBegin.BeginAsync(database, token).ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        await RowFaults.RefuseLostBlocksAsync(database, token).ConfigureAwait(false);
        RowFaults.Refuse(database, RowFaults.EntriesWithoutFile);
        var folder = space.Folder;
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        await new SettingsProof(database, options.DatabasePath, settings, folder, progress)
            .RequireAsync(inventory.Missing, token)
            .ConfigureAwait(false);
        await inventory.SettleAsync(token).ConfigureAwait(false);
        return await new Compactor(options, settings, database, folder, progress).RunAsync(token).ConfigureAwait(false);
    }
}
