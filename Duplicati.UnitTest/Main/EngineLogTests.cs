// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.SQLiteHelper.Migrations;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main;

/// <summary>
/// SQLite logs what goes wrong in it, also where the caller goes on without a word. No operation may make it log anything, notices
/// included: they tell of a recovery, and nothing here was interrupted. But for two: automatic indexes are left to
/// <see cref="AutomaticIndexTests"/>, which says which are expected, and a prepared statement that finds the schema changed is prepared
/// again by the engine and runs. The log can be installed before the library's first use only, so a child process runs them.
/// </summary>
[TestFixture]
internal sealed class EngineLogTests
{
    private static readonly string[] s_expected = ["284 automatic index", "17 statement aborts"];

    [Test]
    public void No_operation_makes_the_engine_log_an_error()
    {
        var (exitCode, output, error) = ChildProcess.Run<AllOperations>();
        Assert.That(exitCode, Is.Zero, error);
        Assert.That(
            Logged(output),
            Is.EqualTo(new[] { "1 no such table: missing in \"SELECT 1 FROM missing\"" }),
            "the probe, and nothing else"
        );
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public void No_upgrade_makes_the_engine_log_an_error(string name)
    {
        using var folder = new TestFolder();
        var (exitCode, output, error) = ChildProcess.Run<Upgrade>(Databases.UnpackOld(name, folder.Path));
        Assert.That(exitCode, Is.Zero, error);
        Assert.That(Logged(output), Is.Empty);
    }

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
            return UpgradeOperation.Run(args[0], null, default).To > 0 ? 0 : 1;
        }
    }

    /// <summary>Everything the engine can do, after a statement that does not compile.</summary>
    private sealed class AllOperations : IChildProgram
    {
        private static readonly CancellationToken s_none = CancellationToken.None;

        public static int Run(string[] args)
        {
            EngineLog.Install();
            using (var connection = new SqliteConnection("Data Source=:memory:"))
            {
                connection.Open();
                Assert.Throws<SqliteException>(() => connection.Execute("SELECT 1 FROM missing"));
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
                s_none
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
                await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], s_none);
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
            var entries = await listing.EntriesAsync(0, new FilterExpression("*"), s_none);
            await listing.VersionsAsync(s_none);
            await listing.FindAsync(new FilterExpression("*"), s_none);
            await listing.FolderAsync(folder.File("source"), 0, s_none);
            await listing.FileVersionsAsync([entries[^1].Path], s_none);
            await new ChangesOperation(path, preset).RunAsync(1, 0, new FilterExpression("*"), s_none);
            await new SearchOperation(path, preset).RunAsync(new SearchRequest(), s_none);
            await new AffectedOperation(path, preset).RunAsync(
                [.. Directory.GetFiles(options.Remote, "*.dblock.*").Take(2).Select(x => Path.GetFileName(x))],
                s_none
            );
            await InspectOperation.RunAsync(path, s_none);
            await new BugReportOperation(path, preset).RunAsync(folder.File("report.zip"), s_none);
            await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, s_none);
            await new TestOperation(options, SilentProgress.Instance).RunAsync(5, s_none);
            await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(s_none);
        }

        private static async Task ChangeAsync(EngineOptions options, TestFolder folder)
        {
            await new RestoreOperation(options, SilentProgress.Instance).RunAsync(folder.File("restored"), 0, null, s_none);
            await new RecreateOperation(options with { DatabasePath = folder.File("recreated.sqlite") }, SilentProgress.Instance).RunAsync(
                s_none
            );
            await new PurgeOperation(options, SilentProgress.Instance).RunAsync(["*1"], [], s_none);
            await new DeleteOperation(options with { CompactThreshold = 1 }, SilentProgress.Instance).RunAsync([1], false, s_none);
            await new CompactOperation(options with { CompactThreshold = 1 }, SilentProgress.Instance).RunAsync(s_none);
            VacuumOperation.Run(options.DatabasePath);
        }

        private static async Task RepairAsync(EngineOptions options, TestFolder folder)
        {
            File.Delete(Directory.GetFiles(options.Remote, "*.dindex.*")[0]);
            await new RepairOperation(options, new RepairChoices(), SilentProgress.Instance).RunAsync(s_none);
            File.Move(Directory.GetFiles(options.Remote, "*.dblock.*")[0], folder.File("away"));
            await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(s_none);
            await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(s_none);
            await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, s_none);
        }
    }
}
