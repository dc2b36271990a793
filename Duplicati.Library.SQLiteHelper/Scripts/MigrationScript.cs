// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>A script made ready to run in a transaction it does not control.</summary>
/// <remarks>
/// Scripts come from several schemas. Their own BEGIN and COMMIT are left out because the enclosing transaction is the stronger
/// promise, VACUUM because it cannot run in one and only saves space. Pragmas at either end run outside the transaction: some,
/// like foreign_keys, have no effect inside one.
/// </remarks>
internal sealed class MigrationScript
{
    /// <summary>The version of the engine. Reads no table.</summary>
    private const string READ_ENGINE_VERSION = "SELECT sqlite_version()";

    private MigrationScript(string[] before, string[] body, string[] after) => (Before, Body, After) = (before, body, after);

    /// <summary>Runs before the transaction.</summary>
    public string[] Before { get; }

    /// <summary>Runs in the transaction.</summary>
    public string[] Body { get; }

    /// <summary>Runs after the commit.</summary>
    public string[] After { get; }

    /// <summary>Resolves the directives of a script and splits it.</summary>
    /// <param name="sql">The script as embedded.</param>
    /// <param name="variables">What its conditions compare with.</param>
    /// <returns>The statements in the order they run.</returns>
    public static MigrationScript Prepare(string sql, IDictionary<string, IComparable> variables)
    {
        var statements = SqlScriptSplitter.Split(SqlPreprocessor.Process(sql, variables));
        statements.RemoveAll(x => x.Kind is SqlStatementKind.TransactionControl or SqlStatementKind.Vacuum);
        var first = statements.FindIndex(x => x.Kind != SqlStatementKind.Pragma);
        if (first < 0)
            return new MigrationScript(Texts(statements), [], []);
        var last = statements.FindLastIndex(x => x.Kind != SqlStatementKind.Pragma);
        return new MigrationScript(Texts(statements[..first]), Texts(statements[first..(last + 1)]), Texts(statements[(last + 1)..]));
    }

    /// <summary>What conditions of a script may ask for.</summary>
    /// <param name="connection">An open database.</param>
    /// <param name="version">The version it is at.</param>
    /// <returns>Values by name.</returns>
    public static Dictionary<string, IComparable> Variables(IDbConnection connection, int version)
    {
        var variables = new Dictionary<string, IComparable>(StringComparer.OrdinalIgnoreCase) { ["db_version"] = version };
        if (Version.TryParse(SchemaVersion.Scalar(connection, READ_ENGINE_VERSION) as string, out var engine))
            variables["sqlite_version"] = engine;
        return variables;
    }

    private static string[] Texts(List<SqlStatement> statements) => statements.ConvertAll(x => x.Text).ToArray();
}
