// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

/// <summary>
/// Duplicati's database tool reads the same resources, and runs a whole script as one command in a transaction of its own.
/// </summary>
[TestFixture]
public sealed class DatabaseToolRulesTests
{
    private const string PREFIX = "Duplicati.Library.Main.Database.Local.Database_schema.";

    /// <summary>Back from 19 to 12, acting on the names of the objects.</summary>
    private static readonly string[] s_downgrade =
    [
        """ALTER TABLE "Metadataset" DROP COLUMN "Content" """,
        """DROP INDEX "RemotevolumeName"; DROP INDEX "RemotevolumeNameOnly"; ALTER TABLE "Remotevolume" DROP COLUMN "LockExpirationTime" """,
        """DROP INDEX "BlocksetEntry_BlocksetID" """,
        """DROP INDEX "FileLookupMetadataID" """,
        """ALTER TABLE "Remotevolume" DROP COLUMN "ArchiveTime" """,
        """DROP INDEX "DeletedBlockHashSize"; DROP INDEX "DeletedBlockHashVolumeID" """,
        """DROP INDEX "UniqueBlockVolumeDuplicateBlock" """,
    ];

    [Test]
    [Contract("A 4.1 names")]
    public void Resource_names_begin_with_the_number_of_the_version()
    {
        var names = typeof(DatabaseSchemaMarker)
            .Assembly.GetManifestResourceNames()
            .Where(x => x.StartsWith(PREFIX, StringComparison.Ordinal) && x.EndsWith(".sql", StringComparison.OrdinalIgnoreCase))
            .Select(x => x[PREFIX.Length..])
            .Where(x => x != "Schema.sql")
            .ToArray();
        Assert.That(names.Select(x => int.Parse(x[..x.IndexOf('.')])).Order(), Is.EqualTo(Enumerable.Range(1, 19)));
    }

    [Test]
    [Contract("A 4.1 whole scripts")]
    [Contract("A 12 row 2")]
    public void Scripts_leave_transactions_parameters_and_directives_alone([Range(1, 19)] int version)
    {
        var script = SchemaResources.Of(typeof(DatabaseSchemaMarker)).ReadScript(version);
        Assert.Multiple(() =>
        {
            Assert.That(script, Does.Not.Contain("?").And.Not.Contain("@"));
            Assert.That(script.Contains("{#", StringComparison.Ordinal), Is.EqualTo(version is 5 or 6));
            Assert.That(SqlScriptSplitter.Split(script).Select(x => x.Kind), Is.All.EqualTo(SqlStatementKind.Ordinary));
            Assert.That(Regex.Matches(script, "--.*;"), Is.Empty, "a semicolon in a comment");
        });
    }

    [Test]
    [Contract("A 4.1 whole scripts")]
    [Contract("A 12 row 2")]
    public void Scripts_13_to_19_run_as_whole_commands_without_a_row_and_again_after_a_downgrade()
    {
        using var folder = new TestFolder();
        var path = Databases.UnpackOld("downgraded-v12", folder.Path);
        using (var connection = Databases.Open(path))
            for (var round = 0; round < 2; round++)
            {
                using var transaction = connection.BeginTransaction();
                if (round > 0)
                    foreach (var sql in s_downgrade)
                        Assert.That(Run(connection, transaction, sql), Is.Null);
                for (var version = 13; version <= 19; version++)
                    Assert.That(
                        Run(connection, transaction, SchemaResources.Of(typeof(DatabaseSchemaMarker)).ReadScript(version)),
                        Is.Null
                    );
                Run(connection, transaction, """UPDATE "Version" SET "Version" = 19""");
                transaction.Commit();
            }
        Assert.That(Databases.DifferencesFromExpected(path, "downgraded-v12"), Is.Empty);
    }

    private static object? Run(SqliteConnection connection, SqliteTransaction transaction, string sql)
    {
        using var command = new SqliteCommand(sql, connection, transaction);
        return command.ExecuteScalar();
    }
}
