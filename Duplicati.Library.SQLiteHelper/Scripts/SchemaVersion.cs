// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Data;
using System.Globalization;
using System.IO;
using Duplicati.Library.Interface;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>Reads and writes the version of a database's schema.</summary>
internal static class SchemaVersion
{
    /// <summary>Objects of any type that are named like the version table. Scans the schema table, a few dozen rows.</summary>
    private const string COUNT_VERSION_OBJECTS = """SELECT COUNT(*) FROM "sqlite_master" WHERE "name" LIKE 'Version'""";

    /// <summary>The version of the schema. Scans the version table, one row.</summary>
    private const string READ_VERSION = """SELECT MAX("Version") FROM "Version" """;

    /// <summary>Records a version. Scans the version table, one row.</summary>
    private const string SET_VERSION = """UPDATE "Version" SET "Version" = $version""";

    /// <summary>The version of a database without a version table.</summary>
    public const int EMPTY = -1;

    /// <summary>Reads the version. Two tiny statements, no transaction of its own.</summary>
    /// <param name="connection">An open database.</param>
    /// <returns>The version, or <see cref="EMPTY"/>.</returns>
    /// <exception cref="InvalidDataException">Several objects have the name of the version table, or it has no row.</exception>
    public static int Read(IDbConnection connection) =>
        Convert.ToInt64(Scalar(connection, COUNT_VERSION_OBJECTS), CultureInfo.InvariantCulture) switch
        {
            0 => EMPTY,
            1 => Scalar(connection, READ_VERSION) is { } version and not DBNull
                ? Convert.ToInt32(version, CultureInfo.InvariantCulture)
                : throw new InvalidDataException("The version table has no row"),
            _ => throw new InvalidDataException(Strings.DatabaseUpgrader.TableLayoutError),
        };

    /// <summary>Records a version in every row of the version table.</summary>
    /// <param name="connection">An open database, in the transaction of the upgrade.</param>
    /// <param name="version">The version reached.</param>
    public static void Write(IDbConnection connection, int version)
    {
        using var command = connection.CreateCommand();
        command.CommandText = SET_VERSION;
        var parameter = command.CreateParameter();
        parameter.ParameterName = "$version";
        parameter.Value = (long)version;
        command.Parameters.Add(parameter);
        command.ExecuteNonQuery();
    }

    /// <summary>What whoever opens a file is told if it cannot be read that far.</summary>
    /// <param name="cause">Why not.</param>
    /// <returns>An error with the help id <c>DatabaseFormatError</c>.</returns>
    public static UserInformationException Unreadable(Exception cause) =>
        new(Strings.DatabaseUpgrader.DatabaseFormatError(cause.Message), "DatabaseFormatError", cause);

    /// <summary>The first column of the first row of a statement.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="sql">The statement.</param>
    /// <returns>The value; null without a row.</returns>
    public static object? Scalar(IDbConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }
}
