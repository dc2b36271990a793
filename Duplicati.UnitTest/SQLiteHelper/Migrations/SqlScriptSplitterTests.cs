// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Scripts;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

[TestFixture]
public sealed class SqlScriptSplitterTests
{
    private static readonly string[] s_whole =
    [
        "SELECT ';'",
        "SELECT 'it''s; fine'",
        "SELECT \"a;\"\"b\" FROM \"t;\"",
        "SELECT `a;``b`, [c;d] FROM t",
        "SELECT 1 -- one; two\n+ 1",
        "SELECT 1 /* a; ' \" -- */ + 1",
        "SELECT CASE a WHEN 1 THEN ';' ELSE CASE WHEN b THEN 2 END END FROM t",
        "SELECT x'3B', 1e5, 0x3B, $name",
        "CREATE TABLE \"end\" (\"begin\" TEXT DEFAULT ';')",
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE b SET c = 1; DELETE FROM d; END",
        "create temp trigger t after insert on a when case new.x when 1 then 0 else 1 end begin select case 1 when 2 then 3 end; select 4; end",
        "CREATE TEMPORARY TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; SELECT ';' /* ; END; */ ; END",
        "CREATE INDEX trigger_index ON trigger_table (a)",
        "INSERT INTO t VALUES ('é;ß', '\u4e2d;')",
    ];

    [TestCaseSource(nameof(s_whole))]
    public void Statement_is_not_cut(string statement) =>
        Assert.That(Texts($"{statement};\nSELECT 2;"), Is.EqualTo([statement, "SELECT 2"]));

    [Test]
    public void Statements_are_cut_at_semicolons() =>
        Assert.That(Texts("BEGIN; SELECT 1 ;SELECT 2;END"), Is.EqualTo(["BEGIN", "SELECT 1", "SELECT 2", "END"]));

    [TestCase("")]
    [TestCase("  ;; ; -- nothing; here\n /* ; */ ;")]
    [TestCase("\uFEFF ;")]
    public void Pieces_without_a_token_are_left_out(string script) => Assert.That(Texts(script), Is.Empty);

    [Test]
    public void Comments_in_front_are_left_out_and_the_last_semicolon_may_be_missing() =>
        Assert.That(Texts("-- first; comment\nSELECT 1; /* second; */ SELECT 2 -- third;"), Is.EqualTo(["SELECT 1", "SELECT 2"]));

    [TestCase("SELECT 'open; SELECT 2")]
    [TestCase("SELECT 1 /* open; SELECT 2")]
    [TestCase("SELECT [open; SELECT 2")]
    [TestCase("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2")]
    public void What_is_not_closed_reaches_to_the_end(string script) => Assert.That(SqlScriptSplitter.Split(script), Has.Count.EqualTo(1));

    [TestCase("begin immediate", SqlStatementKind.TransactionControl)]
    [TestCase("COMMIT TRANSACTION", SqlStatementKind.TransactionControl)]
    [TestCase("END", SqlStatementKind.TransactionControl)]
    [TestCase("Vacuum", SqlStatementKind.Vacuum)]
    [TestCase("PRAGMA foreign_keys = OFF", SqlStatementKind.Pragma)]
    [TestCase("\"BEGIN\"", SqlStatementKind.Ordinary)]
    [TestCase("BEGINNING", SqlStatementKind.Ordinary)]
    [TestCase("SELECT 1", SqlStatementKind.Ordinary)]
    public void Kind_is_told_by_the_first_word(string statement, object kind) =>
        Assert.That(SqlScriptSplitter.Split(statement + ";")[0].Kind, Is.EqualTo(kind));

    [Test]
    public void Random_statements_come_back_as_they_went_in()
    {
        var random = new Random(LongRun.Seed());
        string[] space = [" ", "\n", "\t", "-- c; '\n", "/* ; \" */", ""];
        for (var round = 0; round < 500; round++)
        {
            var statements = Enumerable.Range(0, random.Next(1, 8)).Select(_ => s_whole[random.Next(s_whole.Length)]).ToArray();
            var script = string.Concat(
                statements.Select(x => space[random.Next(space.Length)] + x + "\n" + space[random.Next(space.Length)] + ";")
            );
            Assert.That(Texts(script), Is.EqualTo(statements), script);
        }
    }

    [Test]
    public void Random_characters_never_fail_and_lose_nothing_but_space_and_comments()
    {
        var random = new Random(LongRun.Seed());
        const string CHARACTERS = ";;'\"`[]-/* \nabBEGINENDtrigger1";
        for (var round = 0; round < 5000; round++)
        {
            var script = string.Concat(Enumerable.Range(0, random.Next(60)).Select(_ => CHARACTERS[random.Next(CHARACTERS.Length)]));
            Assert.That(Tokens(string.Join(";", Texts(script))), Is.EqualTo(Tokens(script)), script);
        }
    }

    [Test]
    public void Split_statements_do_what_the_whole_script_does()
    {
        const string SCRIPT = """
            CREATE TABLE a (x INTEGER, y TEXT DEFAULT 'a;b'); -- first; table
            CREATE TABLE log (x INTEGER);
            CREATE TRIGGER t AFTER INSERT ON a WHEN CASE new.x WHEN 0 THEN 0 ELSE 1 END BEGIN
                INSERT INTO log VALUES (CASE WHEN new.x > 1 THEN new.x ELSE -1 END);
                INSERT INTO log VALUES (new.x * 2);
            END;
            INSERT INTO a (x) VALUES (0), (1), (2);
            """;
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        foreach (var statement in Texts(SCRIPT))
            Execute(connection, statement);
        using var command = new SqliteCommand("SELECT group_concat(x) FROM log", connection);
        Assert.That(command.ExecuteScalar(), Is.EqualTo("-1,2,2,4"));
    }

    private static void Execute(SqliteConnection connection, string sql)
    {
        using var command = new SqliteCommand(sql, connection);
        command.ExecuteNonQuery();
    }

    private static string[] Texts(string script) => [.. SqlScriptSplitter.Split(script).Select(x => x.Text)];

    /// <summary>The tokens without semicolons that separate statements, some of which are doubled or missing.</summary>
    private static List<string> Tokens(string script)
    {
        var result = new List<string>();
        var tokens = new SqlTokenizer(script);
        while (tokens.Read())
            if (tokens.Kind != SqlTokenKind.Semicolon)
                result.Add(tokens.Text.ToString().TrimEnd());
        return result;
    }
}
