// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using System.IO;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.DBSchemaUpgrades;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>Creates the schema of one database, or upgrades it.</summary>
/// <remarks>
/// Every version is one transaction that holds the write lock from its begin and sets the version itself. The version is read again
/// under the lock, so two processes that open the same old file do not collide.
/// </remarks>
internal sealed class SchemaMigrator(IDbConnection connection, string sourceFile, SchemaResources schema)
{
    private const int SQLITE_FULL = 13;

    private static readonly string s_logTag = Log.LogTagFromType<SchemaMigrator>();

    private string? m_safetyCopy;
    private string? m_statement;
    private bool m_isCopying;
    private int m_version;

    /// <summary>True if indexes that were left out need not be tried once more.</summary>
    public bool WasCompletionTried { get; init; }

    /// <summary>The version that is led to, if it is not the newest; a database that is beyond it is left alone.</summary>
    public int? Version { get; init; }

    private int Target => Version ?? schema.NewestVersion;

    /// <summary>Does what is needed; three tiny statements if that is nothing.</summary>
    public void Run()
    {
        EnsureOpen();
        m_version = ReadVersion();
        if (m_version == SchemaVersion.EMPTY)
        {
            CreateBaseSchema();
            m_version = ReadVersion();
        }
        if (LeftOutIndexes.SchemaOf(m_version) > schema.NewestKnown)
            throw new UserInformationException(
                Strings.DatabaseUpgrader.InvalidVersionError(m_version, schema.NewestKnown, Path.GetDirectoryName(sourceFile) ?? ""),
                "DatabaseVersionNotSupportedError"
            );
        CompleteIndexes();
        if (m_version < Target)
            Upgrade();
    }

    // Before any script: scripts expect all indexes of their version, and make and drop some.
    private void CompleteIndexes()
    {
        if (!WasCompletionTried && connection is SqliteConnection sqlite)
            new IndexCompletion(sqlite, schema, CancellationToken.None).Run(LeftOutIndexes.IsMarked(m_version));
        m_version = LeftOutIndexes.SchemaOf(m_version);
    }

    private void EnsureOpen()
    {
        if (connection.State == ConnectionState.Open)
            return;
        if (string.IsNullOrWhiteSpace(connection.ConnectionString))
            connection.ConnectionString = new SqliteConnectionStringBuilder { DataSource = sourceFile, Pooling = false }.ToString();
        connection.Open();
    }

    private int ReadVersion()
    {
        try
        {
            return SchemaVersion.Read(connection);
        }
        catch (Exception ex)
        {
            throw SchemaVersion.Unreadable(ex);
        }
    }

    /// <summary>All or nothing: a file whose creation was interrupted is still empty and is created again.</summary>
    private void CreateBaseSchema()
    {
        var script = MigrationScript.Prepare(schema.ReadBaseSchema(), MigrationScript.Variables(connection, SchemaVersion.EMPTY));
        Execute(script.Before);
        using (var transaction = new ImmediateTransaction(connection))
        {
            if (SchemaVersion.Read(connection) == SchemaVersion.EMPTY)
            {
                Execute(script.Body);
                if (SchemaVersion.Read(connection) == SchemaVersion.EMPTY)
                    throw new InvalidOperationException("The base schema has no version table");
                AddLaterVersions();
            }
            transaction.Commit();
        }
        Execute(script.After);
    }

    // Nothing is in the database yet that a copy could save. A script with statements for outside of the transaction, and those after it,
    // are left to the upgrade.
    private void AddLaterVersions()
    {
        for (var version = SchemaVersion.Read(connection) + 1; version <= Target; version++)
        {
            var script = MigrationScript.Prepare(schema.ReadScript(version), MigrationScript.Variables(connection, version - 1));
            if (script.Before.Length > 0 || script.After.Length > 0)
                return;
            RunInTransaction(script, version, mark: 0);
        }
    }

    private void Upgrade()
    {
        var from = m_version;
        try
        {
            Log.WriteVerboseMessage(s_logTag, "UpgradingDatabase", "Upgrading {0} from version {1} to {2}", sourceFile, from, Target);
            while (m_version < Target)
                UpgradeOnce(m_version + 1);
        }
        catch (Exception ex)
        {
            connection.Close();
            if (m_version == from)
                GiveBackSpace(ex);
            throw Failure(ex);
        }
    }

    private void UpgradeOnce(int next)
    {
        var script = MigrationScript.Prepare(schema.ReadScript(next), MigrationScript.Variables(connection, m_version));
        Execute(script.Before);
        using (var transaction = new ImmediateTransaction(connection))
        {
            var stored = SchemaVersion.Read(connection);
            var current = LeftOutIndexes.SchemaOf(stored);
            if (m_safetyCopy == null && current < Target)
            {
                m_isCopying = true;
                m_safetyCopy = SafetyCopy.Make(sourceFile, stored);
                m_isCopying = false;
            }

            if (current == m_version)
            {
                // The mark stays if an index could not be built.
                RunInTransaction(script, next, LeftOutIndexes.IsMarked(stored) ? LeftOutIndexes.VersionMark : 0);
                transaction.Commit();
                current = next;
            }
            m_version = current; // another process may have been faster
        }
        Execute(script.After);
    }

    private void RunInTransaction(MigrationScript script, int version, int mark)
    {
        DbUpgradesRegistry.CodeChanges.TryGetValue(version, out var code);
        code?.BeforeSql(connection);
        Execute(script.Body);
        code?.AfterSql(connection);
        SchemaVersion.Write(connection, version + mark);
    }

    private void Execute(string[] statements)
    {
        using var command = connection.CreateCommand();
        foreach (var statement in statements)
        {
            m_statement = statement;
            command.CommandText = statement;
            command.ExecuteNonQuery();
        }
    }

    /// <summary>On a full disk a copy that differs in nothing from the database only keeps it full.</summary>
    private void GiveBackSpace(Exception cause)
    {
        if (m_safetyCopy == null || cause is not SqliteException { SqliteErrorCode: SQLITE_FULL })
            return;
        File.Delete(m_safetyCopy);
        m_safetyCopy = null;
    }

    private DatabaseUpgradeException Failure(Exception cause)
    {
        var message = m_isCopying
            ? $"Failed to make the safety copy that an upgrade needs: {cause.Message}"
            : Strings.DatabaseUpgrader.UpgradeFailure(m_statement ?? ImmediateTransaction.BEGIN, cause.Message);
        return new DatabaseUpgradeException(message, m_version, m_safetyCopy, cause);
    }
}

/// <summary>An upgrade that failed. The script was rolled back, the connection is closed, the inner exception is the cause.</summary>
public sealed class DatabaseUpgradeException : Exception
{
    internal DatabaseUpgradeException(string message, int version, string? safetyCopy, Exception cause)
        : base(message, cause) => (Version, SafetyCopy) = (version, safetyCopy);

    /// <summary>The version of the schema the database is at.</summary>
    public int Version { get; }

    /// <summary>Path of the copy from before the upgrade, or null if there is none.</summary>
    public string? SafetyCopy { get; }
}
