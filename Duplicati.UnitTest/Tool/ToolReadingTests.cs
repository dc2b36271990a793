// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Access;
using Duplicati.Engine.Dump;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool;

/// <summary>Commands that read leave the database, what lies beside it and its folder as they are.</summary>
[TestFixture]
internal sealed class ToolReadingTests
{
    // What changes a database or a remote folder, makes files of its own, or has no database.
    private static readonly string[] s_others =
    [
        .. new[] { "backup", "restore", "recreate", "repair", "delete", "purge", "purge-broken-files", "compact", "label" },
        .. new[] { "upgrade", "downgrade", "vacuum", "generate", "completion", "help" },
    ];

    private ToolReadingCase m_case = null!;

    [OneTimeSetUp]
    public async Task MakeAsync() => m_case = await ToolReadingCase.MakeAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    // So a new command is put on the one list or the other.
    [Test]
    public void Every_command_is_known_to_write_or_is_checked_to_change_no_byte() =>
        Assert.That(
            ToolReadingCase.Commands.Select(x => x.Split(' ')[0]).Distinct().Concat(s_others),
            Is.EquivalentTo(ToolRoot.Of().Subcommands.Select(x => x.Name))
        );

    [Test]
    public async Task A_command_that_reads_changes_nothing(
        [ValueSource(typeof(ToolReadingCase), nameof(ToolReadingCase.Commands))] string command,
        [Values(
            Found.Normal,
            Found.OldSchema,
            Found.ReadOnlyFolder,
            Found.KilledWithLog,
            Found.KilledWithLogAlone,
            Found.KilledWithLogHeader,
            Found.KilledWithJournal
        )]
            Found state
    )
    {
        m_case.Put(state);
        var (before, remote) = (FolderState.Of(m_case.Folder), FolderState.Of(m_case.Remote));
        var run = await ToolRun.OkAsync(m_case.LineAsync(command));
        Assert.That(FolderState.Of(m_case.Folder), Is.EqualTo(before));
        Assert.That(FolderState.Of(m_case.Remote), Is.EqualTo(remote));
        var needsCurrent =
            state == Found.OldSchema
            && !command.StartsWith("check --dbpath", StringComparison.Ordinal)
            && command.Split(' ')[0] is not ("databases" or "info" or "dump" or "compare" or "bug-report");
        Assert.That(
            run.Error,
            needsCurrent ? Does.Contain("read through a copy of version 19 in a temporary folder") : Does.Not.Contain("Warning")
        );
    }

    [Test]
    public async Task A_file_of_another_kind_is_an_error_and_stays_as_it_is(
        [ValueSource(typeof(ToolReadingCase), nameof(ToolReadingCase.OfOneDatabase))] string command,
        [Values(Found.Foreign, Found.OtherDatabase)] Found state
    )
    {
        m_case.Put(state);
        var before = FolderState.Of(m_case.Folder);
        var run = await m_case.LineAsync(command);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), run.Output);
        Assert.That(run.Error, Does.Contain("Help id: DatabaseFormatError").And.Contain(m_case.Database));
        Assert.That(FolderState.Of(m_case.Folder), Is.EqualTo(before));
    }

    [TestCaseSource(typeof(ToolReadingCase), nameof(ToolReadingCase.Writing))]
    [TestCase("compact $REMOTE --dbpath $DB --no-encryption --dry-run")]
    [TestCase("backup $REMOTE $SOURCE --dbpath $DB --no-encryption")]
    [TestCase("repair $REMOTE --dbpath $DB --no-encryption")]
    [TestCase("repair $REMOTE --dbpath $DB --no-encryption --dry-run")]
    public async Task No_command_writes_to_a_file_of_another_kind(string command)
    {
        m_case.Put(Found.Foreign);
        var before = await File.ReadAllBytesAsync(m_case.Database);
        var run = await m_case.LineAsync(command);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), run.Output);
        Assert.That(run.Error, Does.Contain("Help id: DatabaseFormatError").And.Contain($"{m_case.Database} is no database"));
        Assert.That(run.Error, Does.Contain("Run: ").And.Not.Contain("SELECT").And.Not.Contain("Warning"));
        Assert.That(await File.ReadAllBytesAsync(m_case.Database), Is.EqualTo(before));
        Assert.That(Directory.GetFiles(m_case.Folder), Is.EqualTo(new[] { m_case.Database }));
    }

    [Test]
    public async Task A_comparison_names_the_database_that_is_damaged([Values] bool isFirst)
    {
        m_case.Put(Found.Normal);
        var damaged = Path.Combine(m_case.Folder, "damaged.sqlite");
        var content = await File.ReadAllBytesAsync(m_case.Database);
        content.AsSpan(2 * 4096).Fill(0x55);
        await File.WriteAllBytesAsync(damaged, content);
        var run = await m_case.LineAsync(isFirst ? $"compare {damaged} $DB" : $"compare $DB {damaged}");
        Assert.That(run.Error, Does.Contain($"The database {damaged} is damaged.").And.Contain("Help id: DatabaseIsDamaged"));
    }

    [TestCase(Found.KilledWithLog, true)]
    [TestCase(Found.KilledWithLogAlone, true)]
    [TestCase(Found.KilledWithLogHeader, false)]
    [TestCase(Found.KilledWithLogOfNoise, false)]
    [TestCase(Found.KilledWithJournal, false)]
    public async Task What_a_killed_process_committed_is_read_and_the_rest_is_not(Found state, bool fromLog)
    {
        m_case.Put(state);
        var dump = await ToolRun.RunAsync("dump", m_case.Database);
        Assert.That(dump.Output, fromLog ? Does.Contain("from the log") : Does.Not.Contain("half").And.Not.Contain("from the log"));
        Assert.That(dump.Code, Is.Zero, dump.Error);
        m_case.Put(Found.Normal);
        var compared = await ToolRun.RunAsync("dump", m_case.Database);
        Assert.That(dump.Output == compared.Output, Is.EqualTo(!fromLog));
    }

    [Test]
    public async Task Missing_volumes_are_looked_into_in_a_copy()
    {
        using var made = await ToolReadingCase.MakeAsync();
        made.Put(Found.ReadOnlyFolder);
        File.Delete(VolumeFiles.Of(made.Remote, "dblock")[0]);
        var before = FolderState.Of(made.Folder);
        var run = await made.LineAsync("list-broken-files $REMOTE --dbpath $DB --no-encryption");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(run.Output, Does.Contain("broken files"));
        Assert.That(FolderState.Of(made.Folder), Is.EqualTo(before));
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public async Task Every_old_version_is_listed_and_stays_what_it_is(string name)
    {
        using var folder = new TestFolder();
        var database = GoldenData.Unpack("old-schema", name + ".sqlite", folder.Path);
        var before = FolderState.Of(folder.Path);
        var run = await ToolRun.RunAsync("list", "--dbpath", database, "--json");
        Assert.That((run.Code, run.Json.GetArrayLength()), Is.EqualTo((0, 2)), run.Error);
        Assert.That(run.Error, Does.Contain("in a temporary folder"));
        Assert.That(FolderState.Of(folder.Path), Is.EqualTo(before));
    }

    [Test]
    [Platform("Linux")]
    [UnsupportedOSPlatform("windows")]
    public void Who_may_only_read_can_run_every_one([Values(Found.ReadOnlyFolder, Found.KilledWithLog)] Found state)
    {
        m_case.Put(state);
        using var user = new OtherUser(m_case[""], m_case.Folder);
        var (code, output, error) = user.Run<Reader>([
            m_case.Folder,
            .. ToolReadingCase.Commands.Select(command =>
                string.Join(
                    '\n',
                    m_case
                        .Line(command)
                        .Select(x => x.StartsWith(m_case[""], StringComparison.Ordinal) && !Path.Exists(x) ? user.Writable(x) : x)
                )
            ),
        ]);
        Assert.That(code, Is.Zero, error);
        Assert.That(
            output.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            Is.EqualTo(ToolReadingCase.Commands.Select(x => x.Split(' ')[0]))
        );
    }

    [Test]
    public async Task Beside_a_writer_what_is_committed_is_read()
    {
        m_case.Put(Found.Normal);
        using var writer = SQLiteLoader.LoadConnection(m_case.Database);
        writer.Execute("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('committed', 'x')");
        writer.Execute("BEGIN IMMEDIATE; INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('pending', 'x')");
        foreach (var command in ToolReadingCase.Commands)
        {
            var run = await m_case.LineAsync(command);
            Assert.That(run.Code, Is.Zero, command + run.Error);
        }

        Assert.That((await ToolRun.RunAsync("dump", m_case.Database)).Output, Does.Contain("committed").And.Not.Contain("pending"));
        writer.Execute("COMMIT");
        Assert.That((await ToolRun.RunAsync("dump", m_case.Database)).Output, Does.Contain("pending"));
    }

    [TestCase(Found.Normal)]
    [TestCase(Found.KilledWithLog)]
    public async Task A_file_that_changes_while_it_is_read_is_read_once_more(Found state)
    {
        m_case.Put(state);
        var ways = new List<ReadingWay>();
        var versions = await DatabaseReading.RunAsync(
            m_case.Database,
            "default",
            file =>
            {
                ways.Add(ReadOnlyFile.InUse(file)!.Way);
                var read = DatabaseDump.Load(file).Configuration;
                ChildProcess.Run<Checkpoint>(m_case.Database);
                return Task.FromResult(read);
            },
            default
        );
        // The child's end takes the log away, and then the file is read alone.
        Assert.That(
            ways,
            Is.EqualTo(state == Found.Normal ? new[] { ReadingWay.Alone, ReadingWay.Shared } : [ReadingWay.Log, ReadingWay.Alone])
        );
        Assert.That(versions, Contains.Key("begun"));
    }

    // Commands one after the other: each ends well and leaves the folder as it was.
    private sealed class Reader : IChildProgram
    {
        public static int Run(string[] args)
        {
            var before = FolderState.Of(args[0]);
            foreach (var words in args[1..].Select(x => x.Split('\n')))
            {
                if (
                    ToolRoot.RunAsync(words, TextWriter.Null, Console.Error).GetAwaiter().GetResult() != ExitCode.Ok
                    || !FolderState.Of(args[0]).SequenceEqual(before)
                )
                {
                    Console.Error.WriteLine($"{string.Join(' ', words)} failed or has left another folder.");
                    return 1;
                }

                Console.WriteLine(words[0]);
            }

            return 0;
        }
    }

    private sealed class Checkpoint : IChildProgram
    {
        public static int Run(string[] args)
        {
            using var connection = SQLiteLoader.LoadConnection(args[0]);
            connection.Execute(
                "INSERT OR IGNORE INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('begun', 'x'); PRAGMA wal_checkpoint(TRUNCATE)"
            );
            return 0;
        }
    }
}
