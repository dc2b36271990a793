// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Gives a version a label. The remote folder gets it with the next list that is uploaded.</summary>
public sealed class LabelOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Sets the label of a version, or removes it if it is blank.</summary>
    /// <param name="version">0 = newest.</param>
    /// <param name="label">The text.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>SchemaHasNoLabels</c>, <c>NoBackupAtDate</c>,
    /// <c>InvalidVersion</c>, <c>VersionsHaveChanged</c>.</exception>
    public async Task<LabelReport> RunAsync(long version, string label, CancellationToken token)
    {
        DatabaseFile.RequireExists(options.DatabasePath);
        using var preset = ConnectionPreset.Use(options.Preset);
        var shown = new ShownVersions();
        using var turn = await OperationTurn
            .TakeAsync(options.DatabasePath, progress, () => VersionList.NoteAsync(options, [version], shown, token), token)
            .ConfigureAwait(false);
        DatabaseGuard.RequireSchema(options.DatabasePath);
        var database = await LocalListDatabase.CreateAsync(options.DatabasePath, null, token).ConfigureAwait(false);
        await using var scope = database.ConfigureAwait(false);
        await VersionLabels.RequireAsync(database, options.DatabasePath, token).ConfigureAwait(false);
        var (id, time) = await VersionList.RequireAsync(database, version, token).ConfigureAwait(false);
        shown.Require([time]);
        await database.UpdateFilesetLabelAsync(id, label, token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitLabel", true, token).ConfigureAwait(false);
        return new LabelReport(time.ToUniversalTime(), string.IsNullOrWhiteSpace(label) ? null : label);
    }
}
