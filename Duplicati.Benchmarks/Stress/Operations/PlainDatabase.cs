// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>
/// A double of the replaced layer: every operation, also one that only reads, is recorded when it begins, in a deferred transaction; each
/// statement runs through the provider, which tries again for 30 seconds what finds the database busy.
/// </summary>
internal sealed class PlainDatabase : ICoreDatabase
{
    private readonly SqliteConnection m_connection;
    private readonly long m_operation;
    private SqliteTransaction m_transaction;

    private PlainDatabase(SqliteConnection connection, string operation)
    {
        m_connection = connection;
        m_transaction = connection.BeginTransaction(deferred: true);
        Run(PlainSql.BeginOperation, operation, Now());
        m_operation = (long)Scalar(PlainSql.LastId)!;
    }

    /// <summary>Begins an operation.</summary>
    public static Task<ICoreDatabase> OpenAsync(string path, string operation)
    {
        var connection = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ToString());
        connection.Open();
        try
        {
            using (var settings = connection.CreateCommand())
            {
                settings.CommandText = PlainSql.Settings;
                settings.ExecuteNonQuery();
            }

            return Task.FromResult<ICoreDatabase>(new PlainDatabase(connection, operation));
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task<List<CoreVolume>> VolumesAsync()
    {
        var volumes = new List<CoreVolume>();
        using var command = Command(PlainSql.Volumes);
        using var reader = command.ExecuteReader();
        while (reader.Read())
            volumes.Add(
                new CoreVolume(
                    reader.GetString(0),
                    Enum.Parse<RemoteVolumeState>(reader.GetString(1)),
                    reader.GetInt64(2),
                    reader.IsDBNull(3) ? null : reader.GetString(3)
                )
            );
        return Task.FromResult(volumes);
    }

    /// <inheritdoc/>
    public Task<long> VersionsAsync() => Task.FromResult((long)Scalar(PlainSql.Versions)!);

    /// <inheritdoc/>
    public Task SetStateAsync(CoreVolume volume, RemoteVolumeState state)
    {
        var rows = Run(PlainSql.SetState, m_operation, state.ToString(), (object?)volume.Hash ?? DBNull.Value, volume.Size, volume.Name);
        return rows == 1
            ? Task.CompletedTask
            : Task.FromException(
                new InvalidOperationException(
                    $"Expected one remote volume named {volume.Name}, changed {rows.ToString(CultureInfo.InvariantCulture)} rows."
                )
            );
    }

    /// <inheritdoc/>
    public Task CountTestAsync(string name)
    {
        Run(PlainSql.CountTest, name);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task LogAsync(string operation, string name)
    {
        Run(PlainSql.Log, m_operation, Now(), operation, name);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task CommitAsync()
    {
        m_transaction.Commit();
        return BeginAsync();
    }

    /// <inheritdoc/>
    public Task RollBackAsync()
    {
        m_transaction.Rollback();
        return BeginAsync();
    }

    private Task BeginAsync()
    {
        m_transaction.Dispose();
        m_transaction = m_connection.BeginTransaction(deferred: true);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        m_transaction.Dispose();
        m_connection.Dispose();
        return ValueTask.CompletedTask;
    }

    private int Run(string sql, params object[] values)
    {
        using var command = Command(sql, values);
        return command.ExecuteNonQuery();
    }

    private object? Scalar(string sql)
    {
        using var command = Command(sql);
        return command.ExecuteScalar();
    }

    private SqliteCommand Command(string sql, params object[] values)
    {
        var command = m_connection.CreateCommand();
        command.CommandText = sql;
        for (var i = 0; i < values.Length; i++)
            command.Parameters.AddWithValue($"@{i.ToString(CultureInfo.InvariantCulture)}", values[i]);
        return command;
    }

    private static long Now() => DateTimeOffset.UtcNow.ToUnixTimeSeconds();
}

internal static class PlainSql
{
    // No table.
    internal const string Settings =
        "PRAGMA busy_timeout=10000; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; PRAGMA journal_mode=WAL";

    // Appends by row id.
    internal const string BeginOperation = """INSERT INTO "Operation" ("Description", "Timestamp") VALUES (@0, @1)""";

    // No table.
    internal const string LastId = "SELECT last_insert_rowid()";

    // Reads the whole table, one row a volume.
    internal const string Volumes = """SELECT "Name", "State", COALESCE("Size", -1), "Hash" FROM "Remotevolume" ORDER BY "ID" """;

    // Small table, one row a version.
    internal const string Versions = """SELECT COUNT(*) FROM "Fileset" """;

    // Index RemotevolumeNameOnly.
    internal const string SetState =
        """UPDATE "Remotevolume" SET "OperationID" = @0, "State" = @1, "Hash" = @2, "Size" = @3 WHERE "Name" = @4""";

    // Index RemotevolumeNameOnly.
    internal const string CountTest = """UPDATE "Remotevolume" SET "VerificationCount" = "VerificationCount" + 1 WHERE "Name" = @0""";

    // Appends by row id.
    internal const string Log =
        """INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path") VALUES (@0, @1, @2, @3)""";
}
