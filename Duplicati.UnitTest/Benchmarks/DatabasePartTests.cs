// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Data;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The database's part of operations, on little data: both ways must leave and answer the same, which the run itself holds.</summary>
[TestFixture]
internal sealed class DatabasePartTests : FolderTestBase
{
    private const int BlockSize = 1024;
    private const long VolumeSize = 64 * 1024;

    [Test]
    public async Task A_run_without_peers_shows_the_database_part_first_in_lines_that_fit_and_says_where_its_files_are()
    {
        var options = new EndToEndOptions
        {
            TotalBytes = StandInPeers.TotalBytes,
            Files = 12,
            Repeat = 1,
            Output = Folder.File("output"),
            Work = Folder.File("work"),
        };
        using var output = new StringWriter();
        using var log = new StringWriter();

        var exitCode = await EndToEndCommand.RunAsync(options, "e2e", output, log, default);

        Assert.That(exitCode, Is.EqualTo(ExitCodes.Done), log.ToString());
        var results = ResultFolder.Load(options.Output).EndToEnd.Single();
        Assert.That(results.Contenders, Is.EqualTo(new[] { "default" }));
        Assert.That(results.DatabasePairs.Select(pair => pair.Operation), Is.EqualTo(DatabaseOperation.All.Select(x => x.Title)));
        var lines = output.ToString().Split(Environment.NewLine).SelectMany(line => line.Split('\n')).ToList();
        Assert.That(lines[0], Does.StartWith("The database's part"));
        Assert.That(lines.FindIndex(line => line.StartsWith("Whole operations", StringComparison.Ordinal)), Is.Positive);
        Assert.That(lines, Has.One.StartsWith("One round shows no range; --repeat 3 "));
        Assert.That(lines.Where(line => !line.Contains(options.Output, StringComparison.Ordinal)).Max(line => line.Length), Is.AtMost(100));
        Assert.That(EndToEndScreen.DatabaseTable(results).Heads, Has.None.EqualTo("range"));
        foreach (var (_, file) in EndToEndFiles.All)
        {
            var path = Path.Combine(options.Output, file);
            Assert.That(lines, Has.One.EndsWith(" " + path));
            Assert.That(Path.Exists(path), path);
        }

        Assert.That(
            log.ToString().Split('\n')[0],
            Is.EqualTo("Makes 293 KB in 12 files, and times 10 operations with preset default: 1 round.")
        );
        Assert.That(log.ToString(), Does.Contain("About 1 minute on two idle processors"));
        Assert.That(Directory.Exists(options.Work), Is.False);
    }

    [Test]
    public async Task Only_what_is_asked_for_is_told_and_a_resumed_run_makes_what_is_missing_and_tells_the_range()
    {
        var options = new EndToEndOptions
        {
            TotalBytes = StandInPeers.TotalBytes,
            Files = 12,
            Repeat = 2,
            Operations = ["delete", "test"],
            Output = Folder.File("output"),
            Work = Folder.File("work"),
        };
        using var stop = new CancellationTokenSource();
        using var log = new StoppingWriter("1/2   delete", stop);
        Assert.That(await EndToEndCommand.RunAsync(options, "e2e", TextWriter.Null, log, stop.Token), Is.EqualTo(ExitCodes.Interrupted));

        using var again = new StringWriter();
        var exitCode = await EndToEndCommand.RunAsync(options with { Resume = true }, "e2e", TextWriter.Null, again, default);

        Assert.That(exitCode, Is.EqualTo(ExitCodes.Done), again.ToString());
        var results = ResultFolder.Load(options.Output).EndToEnd.Single();
        var pair = results.DatabasePairs.Single();
        Assert.That(pair.Operation, Is.EqualTo(DatabaseOperation.Delete.Title));
        Assert.That(pair.Second.Runs.Select(run => run.Round), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(EndToEndScreen.Certainty(results), Does.StartWith("A single round was up to"));
        Assert.That(EndToEndScreen.DatabaseTable(results).Heads, Has.One.EqualTo("range"));
        Assert.That(again.ToString(), Does.Not.Contain("1/2   delete").And.Contain("2/2   delete"));
    }

    [Test]
    public async Task A_backup_of_any_blocks_folders_and_versions_is_made_again_alike()
    {
        var backup = await RecordAsync(versions: 3);

        var told = new List<string>();
        Part(backup).Run(1, (operation, _, _) => told.Add(operation.Title), default);

        Assert.That(told, Is.EqualTo(DatabaseOperation.All.Select(operation => operation.Title)));
        Assert.That(backup.Versions, Has.Count.EqualTo(3));
        Assert.That(backup.Versions[1].Entries.Count(entry => entry.IsKnown), Is.Positive.And.LessThan(backup.Versions[1].Entries.Count));
        Assert.That(backup.Blocksets.Count(content => content.Lists.Count > 1), Is.Positive);
        Assert.That(Directory.Exists(Folder.File("databases")), Is.False);
    }

    [Test]
    public async Task Other_tables_other_answers_and_faults_end_the_run()
    {
        var backup = await RecordAsync(versions: 2);
        (DatabaseWay Way, string Operation, string Line)[] cases =
        [
            (
                DatabaseWay.Layer with
                {
                    Ask = (path, asked) => new LayerQuestions(path, asked with { Names = [] }),
                },
                DatabaseOperation.List.Title,
                "The two ways gave different answers."
            ),
            (
                DatabaseWay.Layer with
                {
                    Recreate = (path, recorded) => new LayerRecreateCalls(path, recorded with { BlockSize = 2 * BlockSize }),
                },
                DatabaseOperation.Recreate.Title,
                "this: "
            ),
            (
                DatabaseWay.Layer with
                {
                    Ask = (path, asked) =>
                    {
                        using var connection = SQLiteLoader.LoadConnection(path);
                        connection.Execute("""UPDATE "Remotevolume" SET "VerificationCount" = 7 WHERE "Type" = 'Blocks'""");
                        return new LayerQuestions(path, asked);
                    },
                },
                DatabaseOperation.Delete.Title,
                "The two ways left different tables. The first difference:"
            ),
        ];
        foreach (var (way, operation, line) in cases)
        {
            var part = new DatabasePart(backup, VolumeSize, "default", Folder.File("databases")) { Layer = way };
            var failure = Assert.Throws<DatabasePartException>(() => part.Run(1, (_, _, _) => { }, default))!;
            Assert.That(failure.Operation, Is.EqualTo(operation), failure.Message);
            Assert.That(failure.Lines[0], Does.StartWith(line));
            Directory.Delete(Folder.File("databases"), recursive: true);
        }
    }

    private DatabasePart Part(RecordedBackup backup) => new(backup, VolumeSize, "default", Folder.File("databases"));

    private async Task<RecordedBackup> RecordAsync(int versions)
    {
        var source = Folder.File("source");
        var data = new SourceOptions
        {
            TotalBytes = StandInPeers.TotalBytes,
            Files = 20,
            MaxFileBytes = 100_000,
            Seed = 3,
        };
        await SourceGenerator.GenerateAsync(source, data, default);
        string[] words =
        [
            "backup",
            "file://" + Folder.File("remote"),
            source,
            "--dbpath=" + Folder.File("me.sqlite"),
            FormattableString.Invariant($"--blocksize={BlockSize}b"),
            FormattableString.Invariant($"--dblock-size={VolumeSize}b"),
        ];
        for (var version = 0; version < versions; version++)
        {
            if (version > 0)
                ChangedTree.ChangeTenth(source, version);
            using var output = new StringWriter();
            Assert.That(await StandIn.RunAsync(words, output, default), Is.Zero, output.ToString());
        }

        return RecordedBackup.Read(Folder.File("me.sqlite"), BlockSize);
    }
}
