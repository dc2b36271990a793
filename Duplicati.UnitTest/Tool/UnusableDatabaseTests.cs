// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool.Following;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// What is at the path of a database and is none, or no whole one: every command leaves it as it is, and says what it is and what helps.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnusableDatabaseTests
{
    private const int MostSteps = 3;
    private const string CHECK = "check $REMOTE --dbpath $DB --no-encryption --json";

    private static readonly string[] s_needing = [.. ToolReadingCase.OfOneDatabase, .. ToolReadingCase.Writing];

    private ToolReadingCase m_case = null!;

    private static IEnumerable<string> Tables
    {
        get
        {
            using var schema = new SqliteConnection("Data Source=:memory:");
            schema.Open();
            SchemaUpgrade.To(schema, "", typeof(DatabaseSchemaMarker), (int)SchemaState.Newest);
            return [.. schema.Lines("""SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT GLOB 'sqlite_*'""")];
        }
    }

    [OneTimeSetUp]
    public async Task MakeAsync() => m_case = await ToolReadingCase.MakeAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public void Every_command_is_tried() =>
        Assert.That(
            s_needing
                .Concat(ToolReadingCase.Making)
                .Select(x => x.Split(' ')[0])
                .Concat(["databases", "generate", "completion", "help"])
                .Distinct(),
            Is.EquivalentTo(ToolRoot.Of().Subcommands.Select(x => x.Name))
        );

    [TestCaseSource(nameof(s_needing))]
    public async Task An_empty_file_stays_empty_and_is_no_database(string command)
    {
        m_case.Put(Found.Empty);
        var run = await m_case.LineAsync(command);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), run.Error + run.Output);
        Assert.That(run.Error, Does.Contain("Help id: DatabaseFormatError").And.Contain($"{m_case.Database} is empty"));
        Assert.That(run.Error, Does.Contain("Run: duplicati-db recreate ").And.Contain(" --overwrite"));
        Assert.That(Directory.GetFiles(m_case.Folder), Is.EqualTo(new[] { m_case.Database }));
        Assert.That(new FileInfo(m_case.Database).Length, Is.Zero);
    }

    [TestCase("check $REMOTE --dbpath $DB --no-encryption")]
    [TestCase("backup $REMOTE $SOURCE --dbpath $DB --no-encryption")]
    [TestCase("recreate $REMOTE --dbpath $DB --no-encryption")]
    [TestCase("repair $REMOTE --dbpath $DB --no-encryption")]
    public async Task What_is_advised_for_an_empty_file_makes_the_database(string command)
    {
        m_case.Put(Found.Empty);
        await AssertMendedAsync(command);
    }

    [Test]
    public async Task A_schema_that_no_backup_has_begun_in_is_a_finding_that_is_mended()
    {
        m_case.Put(Found.Empty);
        Databases.Upgrade(m_case.Database);
        foreach (var command in new[] { "check --dbpath $DB --json", CHECK })
        {
            var check = await m_case.LineAsync(command);
            Assert.That(check.Code, Is.EqualTo(ExitCode.Found), check.Error);
            Assert.That(check.Kinds, Is.EqualTo(new[] { "EmptyDatabase" }));
        }

        await AssertMendedAsync(CHECK);
    }

    [Test]
    [CancelAfter(300_000)]
    public async Task What_is_no_file_is_refused_at_once(
        [Values(Found.IsFolder, Found.IsPipe, Found.IsLinkToPipe)] Found state,
        CancellationToken token
    )
    {
        m_case.Put(state);
        foreach (
            var command in s_needing.Concat(ToolReadingCase.Making).Append("recreate $REMOTE --dbpath $DB --no-encryption --overwrite")
        )
        {
            var run = await m_case.LineAsync(command).WaitAsync(token);
            Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), command + run.Error + run.Output);
            Assert.That(
                run.Error,
                Does.Contain(state == Found.IsFolder ? "is a folder; name the database file in it" : "is a pipe, a socket or a device")
                    .And.Contain("Help id: DatabaseFormatError")
                    .And.Not.Contain("Run: ")
                    .And.Not.Contain("same command"),
                command
            );
            Assert.That(Directory.GetFileSystemEntries(m_case.Folder), Is.EqualTo(new[] { m_case.Database }), command);
        }

        var databases = await m_case.LineAsync("databases $FOLDER --json").WaitAsync(token);
        Assert.That((databases.Code, databases.Items("databases").Count), Is.EqualTo((0, 0)), databases.Error);
    }

    [TestCaseSource(nameof(Tables))]
    public async Task A_table_that_is_missing_is_damage_with_a_remedy_that_ends(string table)
    {
        var first = await DropAsync(Found.Normal, table);
        m_case.Put(Found.Normal);
        Databases.Execute(m_case.Database, $"DROP TABLE \"{table}\"");
        await AssertMendedAsync(first ?? CHECK);
    }

    [TestCase("FilesetEntry")]
    [TestCase("Remotevolume")]
    [TestCase("FileLookup")]
    public Task A_table_that_is_missing_in_an_old_version_is_damage_as_well(string table) => DropAsync(Found.OldSchema, table);

    [TestCase(raw.SQLITE_ERROR, false)]
    [TestCase(raw.SQLITE_SCHEMA, false)]
    [TestCase(raw.SQLITE_MISMATCH, false)]
    [TestCase(raw.SQLITE_CONSTRAINT, false)]
    [TestCase(raw.SQLITE_BUSY, true)]
    [TestCase(raw.SQLITE_FULL, true)]
    [TestCase(raw.SQLITE_IOERR, true)]
    public void A_command_is_run_again_only_where_that_can_help(int code, bool isPassing)
    {
        var failure = new SqliteException("It failed.", code, code);
        Assert.That(Failure.Of(failure).IsPassing, Is.EqualTo(isPassing));
        Assert.That(Failure.Of(new DatabaseUpgradeException("It failed.", 18, null, failure)).IsPassing, Is.EqualTo(isPassing));
    }

    // All commands that need a table say so. Gives one of them that names the remote folder.
    private async Task<string?> DropAsync(Found state, string table)
    {
        m_case.Put(state);
        Databases.Execute(m_case.Database, $"DROP TABLE \"{table}\"");
        string? refused = null;
        foreach (var command in ToolReadingCase.OfOneDatabase)
        {
            var run = await m_case.LineAsync(command);
            Assert.That(run.Code, Is.AnyOf(ExitCode.Ok, ExitCode.Found, ExitCode.Failed), command + run.Error);
            Assert.That(run.Error, Does.Not.Contain("same command").And.Not.Contain("Help id: DatabaseError"), command);
            if (run.Code != ExitCode.Failed)
                continue;
            Assert.That(run.Error, Does.Contain("Help id: DatabaseIsDamaged").And.Contain(m_case.Database).And.Contain("Run: "), command);
            if (command.Contains("$REMOTE", StringComparison.Ordinal))
                refused = command;
        }

        return refused;
    }

    private async Task AssertMendedAsync(string command)
    {
        var chain = await FollowedAdvice.FollowAsync(m_case.Line(command), MostSteps);
        var check = await m_case.LineAsync(CHECK);
        Assert.That(check.Code, Is.Zero, FollowedAdvice.Text(chain) + check.Error + check.Output);
        Assert.That((await m_case.LineAsync("list --dbpath $DB --json")).Json.GetArrayLength(), Is.EqualTo(2), FollowedAdvice.Text(chain));
    }
}
