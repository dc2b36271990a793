#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.IO;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.DBSchemaUpgrades;
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
    private int m_version;

    /// <summary>Does what is needed; two tiny statements if that is nothing.</summary>
    public void Run()
    {
        EnsureOpen();
        m_version = ReadVersion();
        if (m_version == SchemaVersion.EMPTY)
        {
            CreateBaseSchema();
            m_version = ReadVersion();
        }
        if (m_version > schema.NewestVersion)
            throw new UserInformationException(
                Strings.DatabaseUpgrader.InvalidVersionError(m_version, schema.NewestVersion, Path.GetDirectoryName(sourceFile) ?? ""),
                "DatabaseVersionNotSupportedError");
        if (m_version < schema.NewestVersion)
            Upgrade();
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
            throw new UserInformationException(Strings.DatabaseUpgrader.DatabaseFormatError(ex.Message), "DatabaseFormatError", ex);
        }
    }

    /// <summary>All or nothing: a file whose creation was interrupted is still empty and is created again.</summary>
    private void CreateBaseSchema()
    {
        var script = MigrationScript.Prepare(schema.ReadBaseSchema(), Variables(SchemaVersion.EMPTY));
        Execute(script.Before);
        using (var transaction = new ImmediateTransaction(connection))
        {
            if (SchemaVersion.Read(connection) == SchemaVersion.EMPTY)
                Execute(script.Body);
            if (SchemaVersion.Read(connection) == SchemaVersion.EMPTY)
                throw new InvalidOperationException("The base schema has no version table");
            transaction.Commit();
        }
        Execute(script.After);
    }

    private void Upgrade()
    {
        var from = m_version;
        try
        {
            Log.WriteVerboseMessage(s_logTag, "UpgradingDatabase", "Upgrading {0} from version {1} to {2}", sourceFile, from, schema.NewestVersion);
            while (m_version < schema.NewestVersion)
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
        var script = MigrationScript.Prepare(schema.ReadScript(next), Variables(m_version));
        Execute(script.Before);
        using (var transaction = new ImmediateTransaction(connection))
        {
            var current = SchemaVersion.Read(connection);
            m_safetyCopy ??= current < schema.NewestVersion ? SafetyCopy.Make(sourceFile, current) : null;
            if (current == m_version)
            {
                RunInTransaction(script, next);
                transaction.Commit();
                current = next;
            }
            m_version = current; // another process may have been faster
        }
        Execute(script.After);
    }

    private void RunInTransaction(MigrationScript script, int version)
    {
        DbUpgradesRegistry.CodeChanges.TryGetValue(version, out var code);
        code?.BeforeSql(connection);
        Execute(script.Body);
        code?.AfterSql(connection);
        SchemaVersion.Write(connection, version);
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

    private Dictionary<string, IComparable> Variables(int version)
    {
        var variables = new Dictionary<string, IComparable>(StringComparer.OrdinalIgnoreCase) { ["db_version"] = version };
        if (Version.TryParse(SchemaVersion.Scalar(connection, MigrationsSql.READ_ENGINE_VERSION) as string, out var engine))
            variables["sqlite_version"] = engine;
        return variables;
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
        var message = m_safetyCopy == null && m_statement == null
            ? $"Failed to make the safety copy that an upgrade needs: {cause.Message}"
            : Strings.DatabaseUpgrader.UpgradeFailure(m_statement ?? "", cause.Message);
        return new DatabaseUpgradeException(message, m_version, m_safetyCopy, cause);
    }
}
