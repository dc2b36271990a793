// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable

using System;
using System.Collections.Generic;
using System.Data;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Library.SQLiteHelper.Scripts;

namespace Duplicati.Library.SQLiteHelper;

/// <summary>Creates databases and brings older ones to the newest version of their schema.</summary>
/// <remarks>Stateless. One call uses its connection alone; calls for the same file from several processes wait for each
/// other, as long as the connection waits for a lock.</remarks>
public static class DatabaseUpgrader
{
    /// <summary>Resolves the <c>{#if}</c>, <c>{#else}</c> and <c>{#endif}</c> directives of a script.</summary>
    /// <param name="sql">The script.</param>
    /// <param name="vars">The values that conditions ask for, by name.</param>
    /// <returns>The script with the chosen parts only. Linear in its length for each level of nesting.</returns>
    /// <exception cref="ArgumentException">A condition is malformed, or a block has no end.</exception>
    /// <exception cref="KeyNotFoundException">A condition asks for a variable that <paramref name="vars"/> lacks.</exception>
    /// <exception cref="FormatException">A literal is not of its variable's type; the cause is the inner exception.</exception>
    public static string PreparseSQL(string sql, IDictionary<string, IComparable> vars) => SqlPreprocessor.Process(sql, vars);

    /// <summary>
    /// Creates the schema in an empty database, or runs the scripts an older one lacks. Each version is one immediate
    /// transaction with the version row in it, so a process that dies leaves the old version or a newer one. Before the
    /// first script a verified copy of the file is put next to it.
    /// </summary>
    /// <param name="connection">The database; opened if it is closed, closed if an upgrade fails.</param>
    /// <param name="sourcefile">The path of the database file; names and places the copy.</param>
    /// <param name="eltype">A type beside whose namespace the schema is embedded as resources.</param>
    /// <exception cref="Interface.UserInformationException">
    /// <c>DatabaseFormatError</c>: not a database of this kind; <c>DatabaseVersionNotSupportedError</c>: made by a newer release.
    /// </exception>
    /// <exception cref="DatabaseUpgradeException">The copy or a script failed; the file is at the version it had before that
    /// script.</exception>
    public static void UpgradeDatabase(IDbConnection connection, string sourcefile, Type eltype) =>
        new SchemaMigrator(connection, sourcefile, SchemaResources.Of(eltype)).Run();
}
