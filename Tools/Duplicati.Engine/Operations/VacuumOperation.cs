// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>Writes a database anew without its free pages.</summary>
public static class VacuumOperation
{
    /// <summary>Rewrites the whole file.</summary>
    private const string VACUUM = "VACUUM";

    /// <summary>Moves the rewritten pages from the log into the file, so that it shrinks at once.</summary>
    private const string EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)";

    /// <summary>
    /// Runs the vacuum. Needs free space of the size of the file, once beside it and once among the temporary files; a failure leaves the
    /// file as it was.
    /// </summary>
    /// <param name="path">The database.</param>
    /// <param name="progress">Told of a wait for another operation.</param>
    /// <param name="token">Ends that wait.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>.</exception>
    /// <exception cref="SqliteException">The file is no database of a backup, is in use, or there is no space left.</exception>
    public static VacuumReport Run(string path, IEngineProgress progress, CancellationToken token)
    {
        DatabaseFile.RequireExists(path);
        using var turn = OperationTurn.Take(path, progress, token);
        DatabaseGuard.RequireSchema(path);
        // A file that is no database of a backup is not written to.
        using (var reader = new DatabaseDumpReader(path))
            _ = reader.SchemaVersion;

        var before = DatabaseFile.Length(path);
        using (var connection = SQLiteLoader.LoadConnection(path))
        {
            DeferredIndexes.RestoreAfterInterruption(connection, CancellationToken.None);
            using (var statements = new StatementCache(connection))
            using (TemporaryStorage.ForVacuum(statements))
                DumpQuery.Execute(connection, VACUUM);
            DumpQuery.Execute(connection, EMPTY_LOG);
        }

        return new VacuumReport(before, DatabaseFile.Length(path));
    }
}
