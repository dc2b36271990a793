// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main;

/// <summary>
/// SQLite logs what goes wrong in it, also where the caller goes on without a word. No operation may make it log anything, notices
/// included: they tell of a recovery, and nothing here was interrupted. But for two: a prepared statement that finds the schema changed is
/// prepared again by the engine and runs, and of the indexes that SQLite makes for one query only, again each time (contract A, section
/// 12), some are known. The log can be installed before the library's first use only, so a child process runs them.
/// </summary>
[TestFixture]
internal sealed partial class EngineLogTests
{
    private static readonly string[] s_expected = ["284 automatic index", "17 statement aborts"];

    // What core's own test lets pass, with the identifiers of temporary tables removed.
    private static readonly string[] s_allowed = ["B(BlocksetID)", "G(BlocksetID)", "B(VolumeID)"];

    private string m_output = null!;

    [OneTimeSetUp]
    public void RunAllOperations()
    {
        var (exitCode, output, error) = ChildProcess.Run<AllOperations>();
        Assert.That(exitCode, Is.Zero, error);
        m_output = output;
    }

    [Test]
    [Contract("C 6.6")]
    [Contract("C 12 row 7")]
    [Contract("A 12 row 20")]
    [Contract("D 1.5")]
    [Contract("D 3.4")]
    public void Operations_build_no_automatic_index_beyond_the_known_ones()
    {
        Assert.That(m_output, Does.Contain("automatic index on probe(X)"), "a query that needs one is reported");
        var built = AutomaticIndex().Matches(m_output).Select(x => Identifier().Replace(x.Groups[1].Value, "")).Distinct();
        Assert.That(built.Except([.. s_allowed, "probe(X)"]), Is.Empty);
    }

    [Test]
    public void No_operation_makes_the_engine_log_an_error() =>
        Assert.That(
            Logged(m_output),
            Is.EqualTo(new[] { "1 no such table: missing in \"SELECT 1 FROM missing\"" }),
            "the probe, and nothing else"
        );

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public void No_upgrade_makes_the_engine_log_an_error(string name)
    {
        using var folder = new TestFolder();
        var (exitCode, output, error) = ChildProcess.Run<Upgrade>(Databases.UnpackOld(name, folder.Path));
        Assert.That(exitCode, Is.Zero, error);
        Assert.That(Logged(output), Is.Empty);
    }

    [GeneratedRegex(@"automatic index on (\S+\([^)]*\))")]
    private static partial Regex AutomaticIndex();

    [GeneratedRegex("-[0-9A-Fa-f]{32}")]
    private static partial Regex Identifier();

    private static string[] Logged(string output) =>
        [
            .. output
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Where(x => char.IsDigit(x[0]) && !s_expected.Any(y => x.StartsWith(y, StringComparison.Ordinal)))
                .Select(x => x.Trim()),
        ];

    /// <summary>Upgrades a database. Argument: its file.</summary>
    private sealed class Upgrade : IChildProgram
    {
        public static int Run(string[] args)
        {
            EngineLog.Install();
            return UpgradeOperation.Run(args[0], null, SilentProgress.Instance, default).To > 0 ? 0 : 1;
        }
    }

    /// <summary>Everything the engine can do, after a statement that does not compile and one that needs an index of its own.</summary>
    private sealed class AllOperations : IChildProgram
    {
        public static int Run(string[] args)
        {
            EngineLog.Install();
            using (var connection = new SqliteConnection("Data Source=:memory:"))
            {
                connection.Open();
                Assert.Throws<SqliteException>(() => connection.Execute("SELECT 1 FROM missing"));
                connection.Execute(
                    "CREATE TABLE probe (X); CREATE TABLE other (X); INSERT INTO probe WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) SELECT n FROM c; INSERT INTO other SELECT X FROM probe"
                );
                connection.Scalar("SELECT COUNT(*) FROM other, probe WHERE other.X = probe.X");
            }

            RunAsync().GetAwaiter().GetResult();
            return 0;
        }

        private static async Task RunAsync()
        {
            using var folder = new TestFolder();
            var source = folder.File("source");
            await SourceGenerator.GenerateAsync(
                source,
                new SourceOptions
                {
                    TotalBytes = 2_000_000,
                    Files = 40,
                    MaxFileBytes = 500_000,
                    Seed = 7,
                },
                default
            );
            var options = new EngineOptions
            {
                Remote = folder.File("remote"),
                DatabasePath = folder.File("local.sqlite"),
                BlockSize = 1024,
                VolumeSize = 100_000,
            };
            for (var version = 0; version < 3; version++)
            {
                await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);
                foreach (var file in Directory.GetFiles(source, "*", SearchOption.AllDirectories).Take(8))
                    File.AppendAllText(file, $"more {version}");
            }

            await AskAsync(options, folder);
            await ChangeAsync(options, folder);
            await RepairAsync(options, folder);
        }

        private static async Task AskAsync(EngineOptions options, TestFolder folder)
        {
            var (path, preset) = (options.DatabasePath, "default");
            var listing = new DatabaseListing(path, preset);
            var entries = await listing.EntriesAsync(0, new FilterExpression("*"), default);
            await listing.VersionsAsync(default);
            await listing.FindAsync(new FilterExpression("*"), default);
            await listing.FolderAsync(folder.File("source"), 0, default);
            await listing.FileVersionsAsync([entries[^1].Path], default);
            await new ChangesOperation(path, preset).RunAsync(1, 0, new FilterExpression("*"), default);
            await new SearchOperation(path, preset).RunAsync(new SearchRequest(), default);
            await new AffectedOperation(path, preset).RunAsync(
                [.. Directory.GetFiles(options.Remote, "*.dblock.*").Take(2).Select(x => Path.GetFileName(x))],
                default
            );
            await InspectOperation.RunAsync(path, default);
            await new BugReportOperation(path, preset).RunAsync(folder.File("report.zip"), default);
            await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default);
            await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default);
            await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);
        }

        private static async Task ChangeAsync(EngineOptions options, TestFolder folder)
        {
            await new RestoreOperation(options, SilentProgress.Instance).RunAsync(folder.File("restored"), 0, null, default);
            await new RecreateOperation(options with { DatabasePath = folder.File("recreated.sqlite") }, SilentProgress.Instance).RunAsync(
                default
            );
            await new PurgeOperation(options, SilentProgress.Instance).RunAsync(["*1"], [], default);
            await new DeleteOperation(options with { CompactThreshold = 1 }, SilentProgress.Instance).RunAsync([1], false, default);
            await new CompactOperation(options with { CompactThreshold = 1 }, SilentProgress.Instance).RunAsync(default);
            VacuumOperation.Run(options.DatabasePath, SilentProgress.Instance, default);
        }

        private static async Task RepairAsync(EngineOptions options, TestFolder folder)
        {
            File.Delete(Directory.GetFiles(options.Remote, "*.dindex.*")[0]);
            await new RepairOperation(options, new RepairChoices(), SilentProgress.Instance).RunAsync(default);
            File.Move(Directory.GetFiles(options.Remote, "*.dblock.*")[0], folder.File("away"));
            await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);
            await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);
            await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default);
        }
    }
}
