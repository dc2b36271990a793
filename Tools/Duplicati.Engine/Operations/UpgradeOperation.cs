// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Library.SQLiteHelper.Scripts;

namespace Duplicati.Engine.Operations;

/// <summary>Upgrades a database to a newer schema, and completes indexes that an interrupted operation has left out.</summary>
public static class UpgradeOperation
{
    /// <summary>Versions that can be asked for.</summary>
    public static IEnumerable<int> Versions => Enumerable.Range((int)SchemaState.Newest, (int)(SchemaState.Known - SchemaState.Newest) + 1);

    /// <summary>Runs the upgrade.</summary>
    /// <param name="path">The database.</param>
    /// <param name="version">The version to lead to; null is the usual one. A database that is beyond it stays as it is.</param>
    /// <param name="progress">Told of a wait for another operation.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>,
    /// <c>DatabaseVersionNotSupportedError</c>, <c>DatabaseIsBeingFilled</c>, <c>DatabaseLacksIndexes</c>.</exception>
    public static UpgradeReport Run(string path, int? version, IEngineProgress progress, CancellationToken token)
    {
        DatabaseFile.RequireExists(path);
        using var turn = OperationTurn.Take(path, progress, token);
        DatabaseGuard.RequireSchema(path);
        var (before, missing) = State(path);
        using (var connection = SQLiteLoader.LoadConnection(path))
        {
            PlannerStatistics.RefreshAtOpen(connection);
            DeferredIndexes.RestoreAndUpgrade(connection, path, token);
            if (version is { } number)
                SchemaUpgrade.To(connection, path, typeof(DatabaseSchemaMarker), number);
        }

        LeftOutText.RequireComplete(path);
        return new UpgradeReport(before, State(path).Version, missing);
    }

    internal static (int Version, int Missing) State(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        return (reader.SchemaVersion, reader.LeftOut?.Names.Count ?? 0);
    }
}
