using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main;

/// <summary>
/// Prepares every SQL constant (a <c>const string</c> in a class whose name ends in <c>Sql</c>) against a real schema and looks at
/// the plan: no scan of a big table unless it is on <see cref="QueryPlanExceptions"/> with a reason, and no automatic index.
/// </summary>
[TestFixture]
public sealed partial class QueryPlanTests
{
    private static readonly string[] s_bigTables = ["Block", "BlocksetEntry", "FilesetEntry", "FileLookup", "Blockset", "BlocklistHash", "DeletedBlock", "DuplicateBlock", "Metadataset"];

    private TestFolder m_folder = null!;
    private LocalDatabase m_empty = null!;
    private LocalDatabase? m_filled;
    private SqliteConnection m_sync = null!;
    private StatementCache m_syncStatements = null!;

    private static IEnumerable<TestCaseData> Constants =>
        from assembly in new[] { typeof(LocalDatabase).Assembly, typeof(SQLiteLoader).Assembly }
        from type in assembly.GetTypes()
        where type.Name.EndsWith("Sql", StringComparison.Ordinal)
        from field in type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
        where field is { IsLiteral: true } && field.FieldType == typeof(string) && IsStatement((string)field.GetRawConstantValue()!)
        orderby type.FullName, field.Name
        select new TestCaseData(type, $"{type.Name}.{field.Name}", (string)field.GetRawConstantValue()!).SetArgDisplayNames($"{type.Name}.{field.Name}");

    [OneTimeSetUp]
    public async Task Open()
    {
        m_folder = new TestFolder();
        m_empty = await OpenWithTempTables(m_folder.File("empty.sqlite"));
        if (GoldenData.RootOrNull is not null)
            m_filled = await OpenWithTempTables(GoldenData.UnpackDatabase("a-plain-1k", m_folder.Path));
        m_filled?.Connection.Execute("ANALYZE");

        m_sync = new SqliteConnection($"Data Source={m_folder.File("sync.sqlite")};Pooling=false");
        m_sync.Open();
        DatabaseUpgrader.UpgradeDatabase(m_sync, m_folder.File("sync.sqlite"), typeof(Library.Main.Database.Sync.DatabaseSchemaMarker));
        m_syncStatements = new StatementCache(m_sync);
    }

    [OneTimeTearDown]
    public void Close()
    {
        m_syncStatements.Dispose();
        m_sync.Dispose();
        m_filled?.Dispose();
        m_empty.Dispose();
        m_folder.Dispose();
    }

    [TestCaseSource(nameof(Constants))]
    public void A_statement_uses_indices(Type type, string name, string sql)
    {
        Assert.That(BadSteps(type, name, sql), Is.Empty);
    }

    [Test]
    public void Exceptions_are_needed_and_have_a_reason()
    {
        var needed = new List<string>();
        foreach (var constant in Constants)
        {
            var (type, name, sql) = ((Type)constant.Arguments[0]!, (string)constant.Arguments[1]!, (string)constant.Arguments[2]!);
            if (Plan(type, sql).Any(step => ScannedBigTable(step, sql) is not null))
                needed.Add(name);
        }

        Assert.That(QueryPlanExceptions.Scans.Keys.Except(needed), Is.Empty, "exceptions that are not needed, or whose statement is gone");
        Assert.That(QueryPlanExceptions.Scans.Values, Has.All.Matches<string>(reason => reason.Length > 10));
    }

    [Test]
    public void An_unindexed_statement_is_noticed()
    {
        const string scan = """SELECT 1 FROM "BlocklistHash" AS "L" WHERE "L"."Hash" = 'x'""";
        const string join = """SELECT 1 FROM "BlocklistHash" AS "A" JOIN "BlocklistHash" AS "B" ON "A"."Hash" = "B"."Hash" """;

        Assert.That(BadSteps(typeof(QueryPlanTests), "none", scan), Has.Some.Contains("BlocklistHash"));
        Assert.That(BadSteps(typeof(QueryPlanTests), "none", join), Has.Some.Contains("AUTOMATIC"));
    }

    [Test]
    public void Every_temporary_table_is_declared_in_one_place()
    {
        var names = TempTables.All.Select(x => x.Name).Concat(TempTables.Templates.Select(x => x.Prefix)).ToList();

        Assert.That(names, Is.Unique);
        Assert.That(TempTables.All, Has.All.Matches<TempTable>(x => x.Create.Contains($"\"{x.Name}\"", StringComparison.Ordinal) && x.Clear.Contains($"\"{x.Name}\"", StringComparison.Ordinal)));
    }

    private static async Task<LocalDatabase> OpenWithTempTables(string path)
    {
        var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, CancellationToken.None);
        await db.Session.ShortAsync(
            session =>
            {
                foreach (var table in TempTables.All)
                    table.Reset(session);
                foreach (var template in TempTables.Templates)
                    session.Statements.Execute(WithDigits(template.Create));
            },
            CancellationToken.None);
        return db;
    }

    private static string WithDigits(string sql) => sql.Replace("{0}", new string('0', 32), StringComparison.Ordinal);

    private static bool IsStatement(string sql) => StatementStart().IsMatch(sql);

    private List<string> BadSteps(Type type, string name, string sql) => [.. Plan(type, sql)
        .Where(step => step.Contains("AUTOMATIC", StringComparison.Ordinal) || (ScannedBigTable(step, sql) is not null && !QueryPlanExceptions.Scans.ContainsKey(name)))
        .Distinct()];

    private IEnumerable<string> Plan(Type type, string sql)
    {
        if (type.Namespace!.EndsWith(".Sync", StringComparison.Ordinal))
            return Plan(m_syncStatements, sql);

        return m_filled is null ? Plan(m_empty.Session.Statements, sql) : Plan(m_empty.Session.Statements, sql).Concat(Plan(m_filled.Session.Statements, sql));
    }

    private static List<string> Plan(StatementCache statements, string sql)
    {
        var result = new List<string>();
        foreach (var statement in WithDigits(sql).Split(';', StringSplitOptions.RemoveEmptyEntries).Where(IsStatement))
        {
            using var explain = statements.Prepare("EXPLAIN QUERY PLAN " + statement);
            while (explain.Step())
                result.Add(explain.GetString(3)!);
        }

        return result;
    }

    /// <summary>The big table a step reads from start to end, by its own name or by its alias in the text.</summary>
    private static string? ScannedBigTable(string step, string sql)
    {
        if (ScanStep().Match(step) is not { Success: true } scan)
            return null;

        var name = scan.Groups["name"].Value;
        var alias = Regex.Match(sql, $"\"(?<table>\\w+)\"\\s+AS\\s+\"{Regex.Escape(name)}\"", RegexOptions.IgnoreCase);
        var table = alias.Success ? alias.Groups["table"].Value : name;
        return Array.Find(s_bigTables, x => x.Equals(table, StringComparison.OrdinalIgnoreCase));
    }

    [GeneratedRegex(@"^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s", RegexOptions.IgnoreCase)]
    private static partial Regex StatementStart();

    [GeneratedRegex(@"^SCAN (TABLE )?(?<name>\w+)")]
    private static partial Regex ScanStep();
}
