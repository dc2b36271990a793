// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>Completes one file whose filling was interrupted. See <see cref="LeftOutIndexes.Complete"/>.</summary>
internal sealed class IndexCompletion(SqliteConnection connection, SchemaResources schema, CancellationToken token)
{
    private const string Begin = "BEGIN IMMEDIATE";

    private const string Commit = "COMMIT";

    private static readonly string s_logTag = Log.LogTagFromType<IndexCompletion>();

    private int m_version;
    private int m_failed;

    /// <summary>Builds what is missing; one tiny statement if nothing is.</summary>
    /// <param name="isMarked">True if the version is known to be marked, so that there is work also without a table of missing
    /// indexes.</param>
    /// <returns>True if something was missing, built or not.</returns>
    /// <exception cref="UserInformationException">Help id <c>DatabaseFormatError</c>: the file cannot be read.</exception>
    internal bool Run(bool isMarked)
    {
        using var statements = new StatementCache(connection);
        _ = statements.CancelWaitsBy(token);
        if (!IsNeeded(statements, isMarked))
            return false;

        try
        {
            Complete(statements);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode != ResultCode.Interrupt)
        {
            Report(ex);
        }

        return true;
    }

    // Who opens a file asks this before its version: what cannot be read is told in the same way.
    private bool IsNeeded(StatementCache statements, bool isMarked)
    {
        try
        {
            var exists = LeftOutIndexes.Exist(statements);
            return (exists || isMarked)
                && IsOurs()
                && !(exists && m_version >= schema.NewestVersion && LeftOutIndexes.IsOwnerAlive(statements));
        }
        catch (Exception ex) when (ex is not (OperationCanceledException or SqliteException { SqliteErrorCode: ResultCode.Interrupt }))
        {
            throw SchemaVersion.Unreadable(ex);
        }
    }

    // A file of a newer schema is refused as it is.
    private bool IsOurs()
    {
        try
        {
            m_version = LeftOutIndexes.SchemaOf(SchemaVersion.Read(connection));
            return m_version >= 0 && m_version <= schema.NewestKnown;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    private void Complete(StatementCache statements)
    {
        using (IndexSort.Begin(statements))
        {
            if (LeftOutIndexes.Exist(statements))
                BuildRemembered(statements);
            token.ThrowIfCancellationRequested();
            Transact(statements, End);
        }

        if (m_failed == 0)
            Log.WriteInformationMessage(
                s_logTag,
                "DeferredIndexesRestored",
                "The indexes that were left out while the database was filled have been completed"
            );
    }

    private void BuildRemembered(StatementCache statements)
    {
        var later = MadeByLaterScripts();
        foreach (var name in IndexBuilding.ListRemembered(statements, null))
        {
            token.ThrowIfCancellationRequested();
            try
            {
                Transact(statements, x => BuildOne(x, name, later));
            }
            catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Constraint)
            {
                m_failed++;
                Log.WriteWarningMessage(
                    s_logTag,
                    "DeferredIndexesNotRestored",
                    ex,
                    "The database lacks the index {0}, and building it failed: {1}",
                    name,
                    ex.Message
                );
            }
            catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Error)
            {
                // Its table or columns are not those of this version; what the version itself has is made at the end.
                Log.WriteWarningMessage(
                    s_logTag,
                    "DeferredIndexIsForeign",
                    ex,
                    "The index {0} does not fit the database and is left out: {1}",
                    name,
                    ex.Message
                );
                Transact(statements, x => Forget(x, name));
            }
        }
    }

    private static void Forget(StatementCache statements, string name)
    {
        if (LeftOutIndexes.Exist(statements))
            IndexBuilding.Forget(statements, name);
    }

    private static void BuildOne(StatementCache statements, string name, HashSet<string> later)
    {
        // Another process may have completed the file meanwhile.
        if (!LeftOutIndexes.Exist(statements))
            return;

        if (later.Contains(name))
            IndexBuilding.Forget(statements, name);
        else
            IndexBuilding.Build(statements, name);
    }

    // What an upgrade makes is not of this version, and is left to it.
    private HashSet<string> MadeByLaterScripts()
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        for (var version = m_version + 1; version <= schema.NewestVersion; version++)
        {
            foreach (var (name, _) in IndexDefinition.In(Prepare(schema.ReadScript(version))))
                names.Add(name);
        }

        return names;
    }

    // The mark goes only when all indexes of the schema are there; for older versions than the newest one, all that were remembered.
    private void End(StatementCache statements)
    {
        if (LeftOutIndexes.Exist(statements) && LeftOutIndexes.Any(statements, null))
        {
            LeftOutIndexes.Mark(statements);
            return;
        }

        if (m_version >= schema.NewestVersion)
        {
            foreach (var (name, sql) in IndexDefinition.In(Prepare(schema.ReadBaseSchema())))
                IndexBuilding.Create(statements, name, sql);
        }

        LeftOutIndexes.End(statements);
    }

    private string[] Prepare(string script) => MigrationScript.Prepare(script, MigrationScript.Variables(connection, m_version)).Body;

    private static void Transact(StatementCache statements, Action<StatementCache> work)
    {
        statements.Execute(Begin);
        try
        {
            work(statements);
            statements.Execute(Commit);
        }
        catch
        {
            if (!statements.IsAutoCommit)
                statements.Execute(LeftOutIndexes.Rollback);
            throw;
        }
    }

    private static void Report(SqliteException ex)
    {
        if (ex.SqliteErrorCode is ResultCode.Busy or ResultCode.Locked or ResultCode.ReadOnly)
            Log.WriteVerboseMessage(
                s_logTag,
                "DeferredIndexesNotRestored",
                ex,
                "The database lacks indexes and cannot be written at present"
            );
        else
            Log.WriteWarningMessage(
                s_logTag,
                "DeferredIndexesNotRestored",
                ex,
                "The database lacks indexes, and completing them failed: {0}",
                ex.Message
            );
    }
}
