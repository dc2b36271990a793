// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main;

/// <summary>
/// Prepares every SQL constant (see <see cref="SqlConstants"/>) against a real schema and looks at the plan: no scan of a big table
/// unless it is on <see cref="QueryPlanExceptions"/> with a reason, no automatic index, and no list that is made again for every row.
/// </summary>
[TestFixture]
public sealed partial class QueryPlanTests
{
    // The numbers of a database of a million files in ten versions; the planner believes them although the tables are empty.
    private const string LARGE = """
        DELETE FROM sqlite_stat1;
        INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
            ('Block', 'BlockHashSize', '10000000 1 1'), ('Block', 'Block_IndexByVolumeId', '10000000 5000'), ('Block', 'BlockSize', '10000000 100000'), ('Block', 'BlockHashVolumeID', '10000000 1 1'),
            ('BlocksetEntry', 'BlocksetEntry', '12000000 10 1'), ('BlocksetEntry', 'nnc_BlocksetEntry', '12000000 1000000 1 1'), ('BlocksetEntry', 'BlocksetEntry_IndexIdsBackwards', '12000000 2'), ('BlocksetEntry', 'BlocksetEntry_BlocksetID', '12000000 10'),
            ('Blockset', 'BlocksetFullHash', '1200000 1 1'), ('BlocklistHash', 'BlocklistHashBlocksetIDIndex', '300000 3 1'),
            ('FilesetEntry', 'FilesetEntry', '10000000 1000000 1'), ('FilesetEntry', 'FilesetentryFileIdIndex', '10000000 8'), ('FilesetEntry', 'nn_FilesetentryFile', '10000000 1000000 1'),
            ('FileLookup', 'FileLookupPath', '1300000 13 2 1 1'), ('FileLookup', 'nn_FileLookup_BlockMeta', '1300000 2 1'), ('FileLookup', 'FileLookupMetadataID', '1300000 3'),
            ('Metadataset', 'MetadatasetBlocksetID', '400000 1'), ('Metadataset', 'nnc_Metadataset', '400000 1 1'), ('PathPrefix', 'PathPrefixPrefix', '100000 1'),
            ('DeletedBlock', 'DeletedBlockHashSize', '500000 1 1'), ('DeletedBlock', 'DeletedBlockHashVolumeID', '500000 1 1 1'), ('DuplicateBlock', 'UniqueBlockVolumeDuplicateBlock', '100000 1 1'),
            ('Remotevolume', 'RemotevolumeNameOnly', '4000 1'), ('Remotevolume', 'RemotevolumeName', '4000 1 1'), ('IndexBlockLink', NULL, '2000'), ('Fileset', NULL, '10')
        """;

    private static readonly string[] s_bigTables =
    [
        "Block",
        "BlocksetEntry",
        "FilesetEntry",
        "FileLookup",
        "Blockset",
        "BlocklistHash",
        "DeletedBlock",
        "DuplicateBlock",
        "Metadataset",
    ];

    private TestFolder m_folder = null!;
    private LocalDatabase m_plain = null!;
    private LocalDatabase m_large = null!;
    private SqliteConnection m_sync = null!;
    private StatementCache m_syncStatements = null!;

    private static IEnumerable<TestCaseData> Constants =>
        from text in Texts
        where IsStatement(text.Sql)
        orderby text.Type.FullName, text.Name
        select new TestCaseData(text.Type, text.Name, text.Sql).SetArgDisplayNames(text.Name);

    private static IEnumerable<(Type Type, string Name, string Sql)> Texts =>
        SqlConstants.In(typeof(LocalDatabase).Assembly, typeof(SQLiteLoader).Assembly);

    [OneTimeSetUp]
    public async Task Open()
    {
        m_folder = new TestFolder();
        m_plain = await OpenWithAllTables(m_folder.File("plain.sqlite"));
        SetStatistics(m_plain, "DELETE FROM sqlite_stat1");
        m_large = await OpenWithAllTables(m_folder.File("large.sqlite"));
        SetStatistics(m_large, LARGE);

        m_sync = Databases.Open(m_folder.File("sync.sqlite"));
        DatabaseUpgrader.UpgradeDatabase(m_sync, m_folder.File("sync.sqlite"), typeof(Library.Main.Database.Sync.DatabaseSchemaMarker));
        m_syncStatements = new StatementCache(m_sync);
        m_syncStatements.Execute(
            """CREATE TEMP TABLE "local" ("RelativePath" TEXT NOT NULL UNIQUE, "AbsolutePath" TEXT NOT NULL, "Size" INTEGER NOT NULL, "LastModified" TEXT NOT NULL)"""
        );
    }

    [OneTimeTearDown]
    public void Close()
    {
        m_syncStatements.Dispose();
        m_sync.Dispose();
        m_large.Dispose();
        m_plain.Dispose();
        m_folder.Dispose();
    }

    [TestCaseSource(nameof(Constants))]
    [Contract("A 11 indices")]
    public void A_statement_uses_indices(Type type, string name, string sql)
    {
        var hint = $"""
            {name} reads a large table from start to end. Use an index, or add the table to QueryPlanExceptions.cs as
            ["{name}/TABLE"] = "the reason".
            {sql}
            """;
        Assert.That(BadSteps(type, name, sql), Is.Empty, hint);
    }

    [Test]
    public void Exceptions_are_needed_and_have_a_reason()
    {
        var needed = new HashSet<string>(StringComparer.Ordinal);
        foreach (var constant in Constants)
        {
            var (type, name, sql) = ((Type)constant.Arguments[0]!, (string)constant.Arguments[1]!, (string)constant.Arguments[2]!);
            foreach (var table in Plan(type, sql).Select(step => ScannedBigTable(step, sql)).Where(x => x is not null))
                needed.Add($"{name}/{table}");
        }

        Assert.That(QueryPlanExceptions.Scans.Keys.Except(needed), Is.Empty, "exceptions that are not needed, or whose statement is gone");
        Assert.That(QueryPlanExceptions.Scans.Values, Has.All.Matches<string>(reason => reason.Length > 10));
    }

    [TestCase("""SELECT 1 FROM "BlocklistHash" WHERE "Hash" = 'x'""")]
    [TestCase("SELECT 1 FROM BlocklistHash WHERE Hash = 'x'")]
    [TestCase("SELECT 1 FROM BlocklistHash b WHERE b.Hash = 'x'")]
    [TestCase("SELECT 1 FROM BlocklistHash AS b WHERE b.Hash = 'x'")]
    [TestCase("-- by hash\nSELECT 1 FROM \"BlocklistHash\" \"b\" WHERE \"b\".\"Hash\" = 'x'")]
    [TestCase("SELECT Hash FROM BlocklistHash")]
    public void A_scan_is_noticed_however_it_is_written(string sql)
    {
        Assert.That(SqlConstants.IsStatement(sql) && IsStatement(sql));
        Assert.That(BadSteps(typeof(QueryPlanTests), "none", sql), Is.Not.Empty);
    }

    // Elsewhere it is not found. Where the name of a table is put in, it cannot be a constant.
    [Test]
    public void A_statement_is_a_constant_of_its_class()
    {
        var found =
            from project in new[] { "Duplicati.Library.Main.Database", "Duplicati.Library.SQLiteHelper" }
            from file in Directory.GetFiles(Repository.File(project), "*.cs", SearchOption.AllDirectories)
            let text = File.ReadAllText(file)
            from Match match in Literal().Matches(text)
            let begin = text.AsSpan(0, match.Index).LastIndexOfAny(";{}")
            where !Regex.IsMatch(text[(begin + 1)..match.Index], @"^ {4}\w.*\bconst string", RegexOptions.Multiline)
            select $"{Path.GetFileName(file)}: {match.Value}";
        Assert.That(found, Is.Empty, "SQL belongs into a constant of the class that uses it");
    }

    [Test]
    public void An_unindexed_statement_is_noticed()
    {
        const string scan = """SELECT 1 FROM "BlocklistHash" AS "L" WHERE "L"."Hash" = 'x'""";
        const string join = """SELECT 1 FROM "BlocklistHash" AS "A" JOIN "BlocklistHash" AS "B" ON "A"."Hash" = "B"."Hash" """;

        Assert.That(
            BadSteps(typeof(QueryPlanTests), "none", scan),
            Has.Some.Contains("BlocklistHash").Or.Some.Contains("SCAN L"),
            "newer engines name the alias only"
        );
        Assert.That(BadSteps(typeof(QueryPlanTests), "none", join), Has.Some.Contains("AUTOMATIC"));
    }

    [Test]
    public void Unused_blocks_of_a_recreate_are_found_in_one_pass_over_two_ordered_sequences()
    {
        var plan = Plan(typeof(RecreateCleanup), RecreateCleanup.ListUnusedBlocks).ToList();
        Assert.That(plan, Has.Some.Contains("MERGE (EXCEPT)"));
        Assert.That(plan, Has.None.Contains("TEMP B-TREE"));
    }

    [TestCase(DeletionTables.UnusedMetadata)]
    [TestCase(DeletionTables.UnusedBlocksets)]
    public void Unused_rows_of_a_deletion_are_found_in_one_pass_over_ordered_sequences(string sql)
    {
        var plan = Plan(typeof(UnusedTables), sql).ToList();
        Assert.That(plan, Has.Some.Contains("MERGE (EXCEPT)"));
        Assert.That(plan, Has.None.Contains("TEMP B-TREE"));
    }

    [Test]
    public void No_two_temporary_tables_share_a_name()
    {
        var names = TemporaryTables.Fixed.Select(x => x.Name).Concat(TemporaryTables.Templates.Select(x => x.Prefix)).ToList();

        Assert.That(names, Is.Unique);
        Assert.That(TemporaryTables.Fixed, Has.All.Matches<TempTable>(x => x.Create.Contains($"\"{x.Name}\"", StringComparison.Ordinal)));
    }

    // Tables outside the schema are made from the texts that make them in the product.
    private static async Task<LocalDatabase> OpenWithAllTables(string path)
    {
        var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default);
        await db.Session.ShortAsync(
            session =>
            {
                // From schema 20 on.
                session.Statements.Execute("""ALTER TABLE "Fileset" ADD COLUMN "Label" TEXT NULL""");
                foreach (
                    var create in Texts
                        .Select(x => x.Sql)
                        .Where(x => x.StartsWith("CREATE ", StringComparison.Ordinal))
                        .OrderByDescending(IsTable)
                )
                    CreateOnce(session.Statements, WithNames(create));
            },
            CancellationToken.None
        );
        return db;
    }

    private static void CreateOnce(StatementCache statements, string sql)
    {
        try
        {
            statements.Execute(sql);
        }
        catch (SqliteException ex) when (ex.Message.Contains("already exists", StringComparison.Ordinal))
        {
            // Two texts make the same table in two ways; one is enough to prepare the statements about it.
        }
    }

    private static void SetStatistics(LocalDatabase db, string sql) => db.Session.Execute($"ANALYZE; {sql}; ANALYZE sqlite_master");

    private static bool IsTable(string sql) => sql.Contains(" TABLE ", StringComparison.Ordinal);

    // A placeholder inside a quoted name stands for the digits of its end, one outside for the whole name.
    private static string WithNames(string sql) =>
        Placeholder()
            .Replace(
                sql,
                match =>
                    match.Groups["inside"].Success
                        ? match.Groups["inside"].Value + new string('0', 32)
                        : $"\"{match.Groups["name"].Value}\""
            );

    private static bool IsStatement(string sql) => StatementStart().IsMatch(sql);

    private List<string> BadSteps(Type type, string name, string sql) =>
        [
            .. Plan(type, sql)
                .Where(step =>
                    step.Contains("AUTOMATIC", StringComparison.Ordinal)
                    || step.Contains("CORRELATED LIST SUBQUERY", StringComparison.Ordinal)
                    || (ScannedBigTable(step, sql) is { } table && !QueryPlanExceptions.Scans.ContainsKey($"{name}/{table}"))
                )
                .Distinct(),
        ];

    private IEnumerable<string> Plan(Type type, string sql)
    {
        if (type.Namespace!.EndsWith(".Sync", StringComparison.Ordinal))
            return Plan(m_syncStatements, sql);

        return Plan(m_plain.Session.Statements, sql).Concat(Plan(m_large.Session.Statements, sql));
    }

    private static List<string> Plan(StatementCache statements, string sql)
    {
        var result = new List<string>();
        foreach (var statement in WithNames(sql).Split(';', StringSplitOptions.RemoveEmptyEntries).Where(IsStatement))
        {
            using var explain = statements.Prepare("EXPLAIN QUERY PLAN " + statement);
            while (explain.Read())
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
        var aliases = Regex.Matches(sql, $"\\b(?<table>\\w+)\"?\\s+(AS\\s+)?\"?{Regex.Escape(name)}\\b", RegexOptions.IgnoreCase);
        var names = aliases.Select(x => x.Groups["table"].Value).Append(name).ToHashSet(StringComparer.OrdinalIgnoreCase);
        return Array.Find(s_bigTables, names.Contains);
    }

    [GeneratedRegex(
        """["]+\s*(--[^\n]*\n\s*)*(SELECT|INSERT (OR \w+ )?INTO|UPDATE|DELETE FROM|WITH RECURSIVE)\s(?!temp\.)[^{;\n]*(\n|;)"""
    )]
    private static partial Regex Literal();

    [GeneratedRegex(@"^(\s*--[^\n]*\n)*\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s", RegexOptions.IgnoreCase)]
    private static partial Regex StatementStart();

    [GeneratedRegex(@"(?<inside>[\w""-])\{\w+\}|\{(?<name>\w+)\}")]
    private static partial Regex Placeholder();

    [GeneratedRegex(@"^SCAN (TABLE )?(?<name>\w+)")]
    private static partial Regex ScanStep();
}
