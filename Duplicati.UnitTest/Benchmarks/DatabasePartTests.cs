// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Commands;
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
    public async Task A_run_without_peers_shows_the_database_part_first_in_lines_that_fit_and_says_where_its_page_is()
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
        var tables = TableResults.Load(options.Output);
        Assert.That(
            tables.Select(table => table.Rows.Count),
            Is.EqualTo(new[] { TimedOperation.InDatabase.Count, TimedOperation.All.Count })
        );
        Assert.That(tables[0].Rows.Select(row => row[0]), Is.EqualTo(TimedOperation.InDatabase.Select(x => x.Part)));
        Assert.That(tables[0].Note, Does.Contain("One round shows no range; --repeat 3 "));
        Assert.That(tables.SelectMany(table => table.Markdown().Split('\n')).Max(line => line.Length), Is.AtMost(110));
        foreach (var table in tables)
            Assert.That(output.ToString(), Does.Contain(table.Markdown()).And.Contain(table.Note));
        Assert.That(output.ToString().TrimEnd(), Does.EndWith(Path.Combine(options.Output, EndToEndPage.FileName)));
        Assert.That(File.Exists(Path.Combine(options.Output, EndToEndPage.FileName)), Is.True);
        Assert.That(
            log.ToString().Split('\n')[0],
            Is.EqualTo("Makes 293 KB in 12 files, and times 10 operations with preset default: 1 round.")
        );
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
        var results = ResultFile.Read<EndToEndResults>(Path.Combine(options.Output, EndToEndResults.FileName));
        var pair = results.DatabasePairs.Single();
        Assert.That(pair.Operation, Is.EqualTo(TimedOperation.Delete.Part));
        Assert.That(pair.Second.Runs.Select(run => run.Round), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(TableResults.Load(options.Output)[0].Rows.Single()[3], Does.Match(@"^\S+ \(\S+–\S+\)$"));
        Assert.That(again.ToString(), Does.Not.Contain("1/2   delete").And.Contain("2/2   delete"));
    }

    [Test]
    public async Task A_backup_of_any_blocks_folders_and_versions_is_made_again_alike()
    {
        var backup = await RecordAsync(versions: 3);

        var told = new List<string>();
        Part(backup).Run(1, (operation, _, _) => told.Add(operation.Part!), default);

        Assert.That(told, Is.EqualTo(TimedOperation.InDatabase.Select(operation => operation.Part)));
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
                    Ask = (path, asked, questions) => DatabaseWay.Layer.Ask(path, asked with { Names = [] }, questions),
                },
                TimedOperation.List.Part!,
                "The two ways gave different answers."
            ),
            (
                DatabaseWay.Layer with
                {
                    Recreate = (path, recorded) => new LayerRecreateCalls(path, recorded with { BlockSize = 2 * BlockSize }),
                },
                TimedOperation.Recreate.Part!,
                "this: "
            ),
            (
                DatabaseWay.Layer with
                {
                    Ask = (path, asked, questions) =>
                    {
                        using var connection = SQLiteLoader.LoadConnection(path);
                        connection.Execute("""UPDATE "Remotevolume" SET "VerificationCount" = 7 WHERE "Type" = 'Blocks'""");
                        return DatabaseWay.Layer.Ask(path, asked, questions);
                    },
                },
                TimedOperation.Delete.Part!,
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
