// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.UnitTest.SQLiteHelper.Migrations.Schemas.Awkward;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

/// <summary>Scripts of other schemas, such as the server's: triggers, transactions of their own, several files for one version.</summary>
[TestFixture]
public sealed class AwkwardScriptTests : FolderTestBase
{
    private string DatabasePath => Folder.File("awkward.sqlite");

    [Test]
    [Contract("A 3.3 step 5")]
    public void Base_schema_of_an_older_version_is_upgraded_at_once()
    {
        Databases.Upgrade(DatabasePath, typeof(SchemaMarker));
        Assert.Multiple(() =>
        {
            Assert.That(Databases.VersionOf(DatabasePath), Is.EqualTo(3));
            Assert.That(Databases.SafetyCopies(Folder), Has.Length.EqualTo(1));
        });
    }

    [Test]
    public void Trigger_of_a_script_is_whole_and_the_files_of_a_version_run_in_the_order_of_their_names()
    {
        Databases.Upgrade(DatabasePath, typeof(SchemaMarker));
        Assert.That(Databases.Query(DatabasePath, """SELECT group_concat("Text", ' ') FROM "Log" """), Is.EqualTo("two; second"));
    }

    [Test]
    public void Script_with_its_own_transaction_and_pragmas_keeps_the_rows_that_refer_to_a_rebuilt_table()
    {
        using var connection = Databases.Open(DatabasePath);
        connection.Execute("PRAGMA foreign_keys = ON");
        DatabaseUpgrader.UpgradeDatabase(connection, DatabasePath, typeof(SchemaMarker));
        Assert.Multiple(() =>
        {
            Assert.That(
                connection.Scalar("""SELECT group_concat("Name" || "More", ' ') FROM "Parent" """),
                Is.EqualTo("a;bmore secondmore")
            );
            Assert.That(connection.Scalar("""SELECT COUNT(*) FROM "Child" """), Is.EqualTo("1"));
            Assert.That(connection.Pragma("foreign_keys"), Is.EqualTo("1"));
            Assert.That(connection.Scalar("PRAGMA foreign_key_check"), Is.Null);
        });
    }

    [Test]
    [Contract("A 3.3 resource discovery")]
    public void Resources_without_a_number_are_no_scripts() =>
        Assert.That(SchemaResources.Of(typeof(SchemaMarker)).NewestVersion, Is.EqualTo(3));
}
