// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main;

/// <summary>
/// No statement of an ordinary operation may make SQLite build an index of its own for one query: it is made again each time
/// (contract A, section 12). SQLite tells its log; the log can be installed before its first use only, so a child process runs them.
/// </summary>
[TestFixture]
internal sealed partial class AutomaticIndexTests
{
    // What core's own test lets pass, with the identifiers of temporary tables removed.
    private static readonly string[] s_allowed = ["B(BlocksetID)", "G(BlocksetID)", "B(VolumeID)"];

    [Test]
    [Contract("C 6.6")]
    [Contract("C 12 row 7")]
    [Contract("A 12 row 20")]
    [Contract("D 1.5")]
    [Contract("D 3.4")]
    public void Operations_build_no_automatic_index_beyond_the_known_ones()
    {
        var (exitCode, output, error) = ChildProcess.Run<LoggedOperations>();
        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Contain("log works"), "a query that needs an automatic index must be reported");
        var built = AutomaticIndex()
            .Matches(output)
            .Select(x => Identifier().Replace(x.Groups[1].Value, ""))
            .Distinct()
            .Where(x => x != "probe(X)" && !s_allowed.Contains(x));
        Assert.That(built, Is.Empty);
    }

    [GeneratedRegex(@"automatic index on (\S+\([^)]*\))")]
    private static partial Regex AutomaticIndex();

    [GeneratedRegex("-[0-9A-Fa-f]{32}")]
    private static partial Regex Identifier();

    /// <summary>Backup twice, recreate, verify, test everything, compact by deletion, restore; writes what SQLite logs.</summary>
    private sealed class LoggedOperations : IChildProgram
    {
        public static int Run(string[] args)
        {
            EngineLog.Install();
            Probe();
            RunAsync().GetAwaiter().GetResult();
            return 0;
        }

        private static void Probe()
        {
            using var connection = new Microsoft.Data.Sqlite.SqliteConnection("Data Source=:memory:");
            connection.Open();
            connection.Execute(
                "CREATE TABLE probe (X); CREATE TABLE other (X); INSERT INTO probe WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) SELECT n FROM c; INSERT INTO other SELECT X FROM probe"
            );
            connection.Scalar("SELECT COUNT(*) FROM other, probe WHERE other.X = probe.X");
            Console.Out.WriteLine("log works");
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
            await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);
            foreach (var file in Directory.GetFiles(source, "*", SearchOption.AllDirectories).Take(20))
                File.Delete(file);
            await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);

            await new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default);
            await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default);
            await new RecreateOperation(options with { DatabasePath = folder.File("recreated.sqlite") }, SilentProgress.Instance).RunAsync(
                default
            );
            await new DeleteOperation(options with { CompactThreshold = 1 }, SilentProgress.Instance).RunAsync([1], false, default);
            await new RestoreOperation(options, SilentProgress.Instance).RunAsync(folder.File("restored"), 0, null, default);
        }
    }
}
