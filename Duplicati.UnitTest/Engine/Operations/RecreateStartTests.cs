// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>The first seconds of a recreate, in which its file has no log and no name: what a kill, an error and their end leave.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class RecreateStartTests
{
    private static readonly TimeSpan s_atOnce = TimeSpan.FromTicks(1);
    private static readonly TimeSpan s_never = TimeSpan.FromHours(1);

    private RecreateCase m_case = null!;

    private string Start => m_case.Database + ".recreating-start";

    // Block volumes are read with a log.
    private int VolumesWithoutLog => m_case.Backup.Volumes("dlist").Length + m_case.Backup.Volumes("dindex").Length;

    [SetUp]
    public async Task Make() => m_case = await RecreateCase.MakeAsync(new Random(43), files: 4);

    [TearDown]
    public void Remove() => m_case.Dispose();

    [TestCase(false)]
    [TestCase(true)]
    public async Task Killed_then_it_leaves_what_was_there_and_the_next_one_begins_from_the_start(bool overwrite)
    {
        var old = File.ReadAllBytes(m_case.Backup.Options.DatabasePath);
        for (var at = 1; at <= VolumesWithoutLog; at += (VolumesWithoutLog / 2) - 1)
        {
            if (overwrite)
                await File.WriteAllBytesAsync(m_case.Database, old);
            Kill(at, overwrite);
            Assert.That(File.Exists(Start), Is.True, $"killed at {at}");
            Assert.That(UnfinishedRecreate.Is(m_case.Database) || File.Exists(m_case.Beside), Is.False, $"killed at {at}");
            if (overwrite)
                Assert.That(await File.ReadAllBytesAsync(m_case.Database), Is.EqualTo(old), $"killed at {at}");
            else
                Assert.That(File.Exists(m_case.Database), Is.False, $"killed at {at}");
            var (report, fetched) = await m_case.RecreateAsync(overwrite);
            Assert.That((report.Kept, fetched.Length), Is.EqualTo((0, m_case.Volumes)), $"killed at {at}");
            m_case.AssertComplete($"killed at {at}");
            File.Delete(m_case.Database);
        }
    }

    [Test]
    public async Task Killed_while_it_reads_block_volumes_it_goes_on()
    {
        Kill(m_case.Volumes - 1, overwrite: false);
        Assert.That(UnfinishedRecreate.Is(m_case.Database), Is.True);
        var (report, fetched) = await m_case.RecreateAsync();
        Assert.That(report.Kept, Is.GreaterThanOrEqualTo(VolumesWithoutLog));
        Assert.That(fetched, Has.Length.LessThanOrEqualTo(m_case.Volumes - VolumesWithoutLog));
        m_case.AssertComplete("gone on");
    }

    [TestCase("default", false)]
    [TestCase("default", true)]
    [TestCase("rebuild", false)]
    [TestCase("durable", true)]
    [TestCase("small", false)]
    public async Task After_these_seconds_it_goes_on_with_a_log_and_reports_all_it_has_read(string preset, bool overwrite)
    {
        if (overwrite)
            File.Copy(m_case.Backup.Options.DatabasePath, m_case.Database);
        var done = new List<string>();
        void Fetching(string name)
        {
            if (File.Exists(overwrite ? m_case.Beside : m_case.Database) && !File.Exists(Start) && done.Count == 0)
                done.AddRange(RecreateCase.Done(overwrite ? m_case.Beside : m_case.Database));
            Assert.That(done, Has.None.EqualTo(name));
        }

        var report = await m_case
            .Operation(Fetching, overwrite, x => x with { Preset = preset, RecreateLogAfter = s_atOnce })
            .RunAsync(default);
        Assert.That(done, Is.Not.Empty);
        Assert.That(
            (report.Kept, report.Problems, report.Filelists + report.IndexVolumes + report.BlockVolumes),
            Is.EqualTo((0, 0, m_case.Volumes))
        );
        m_case.AssertComplete("in two parts");
        const string Size = """SELECT "Value" FROM "Configuration" WHERE "Key" = 'dblock-size'""";
        Assert.That(
            SampleDatabase.Rows(m_case.Database, Size),
            Is.EqualTo(SampleDatabase.Rows(m_case.Whole, Size)),
            "the size that was given"
        );
        Assert.That(m_case.Backup.Warnings.Texts, Has.None.Contains("Going on"));
    }

    [Test]
    public async Task The_file_is_flushed_before_it_has_its_name_and_the_name_afterwards()
    {
        using var steps = new FileSteps();
        await m_case.RecreateAsync();
        Assert.That(steps.Done, Is.EqualTo(new[] { FileSteps.Folder, FileSteps.File, FileSteps.Folder, FileSteps.Name, FileSteps.Folder }));
    }

    [Test]
    public async Task A_damaged_file_gets_no_name_after_an_error()
    {
        var count = 0;
        void Fetching(string name)
        {
            if (Interlocked.Increment(ref count) != 3)
                return;
            using (var file = new FileStream(Start, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
                file.SetLength(file.Length / 2);
            throw new InvalidOperationException("stop here");
        }

        Assert.That(async () => await m_case.Operation(Fetching).RunAsync(default), Throws.Exception);
        Assert.That(Directory.GetFiles(Path.GetDirectoryName(m_case.Database)!, Path.GetFileName(m_case.Database) + "*"), Is.Empty);
        await m_case.RecreateAsync();
        m_case.AssertComplete("from the start");
    }

    [Test]
    public async Task Stock_settings_keep_their_journal()
    {
        await m_case.Operation(_ => Assert.That(File.Exists(Start), Is.False), change: x => x with { Preset = "stock" }).RunAsync(default);
        m_case.AssertComplete("stock");
    }

    [Test]
    public async Task A_log_that_was_asked_for_is_copied_back_before_the_file_has_its_name()
    {
        using (new EnvironmentVariable("CUSTOMSQLITEOPTIONS_DUPLICATI", "journal_mode=WAL"))
            await m_case.RecreateAsync();
        m_case.AssertComplete("with a log");
    }

    private void Kill(int at, bool overwrite)
    {
        var temporary = Directory.CreateDirectory(m_case.Backup.File("temporary")).FullName;
        var (code, _, error) = ChildProcess.Run(
            "env",
            $"TMPDIR={temporary}",
            ChildProcess.Host,
            "exec",
            ChildProcess.Program,
            typeof(Child).FullName!,
            m_case.Backup.Remote,
            m_case.Database,
            $"{at}",
            $"{overwrite}"
        );
        Assert.That((code != 0, error), Is.EqualTo((true, "")), $"killed at {at}");
    }

    private sealed class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            var at = int.Parse(args[2], CultureInfo.InvariantCulture);
            var count = 0;
            var options = new EngineOptions
            {
                Remote = args[0],
                DatabasePath = args[1],
                VolumeSize = 20 * 1024,
                Parallelism = 2,
                RecreateLogAfter = s_never,
            };
            new RecreateOperation(options, SilentProgress.Instance)
            {
                Overwrite = bool.Parse(args[3]),
                Through = x => new WatchedFolder(x, Fetching),
            }
                .RunAsync(default)
                .GetAwaiter()
                .GetResult();
            return 0;

            void Fetching(string name)
            {
                if (Interlocked.Increment(ref count) == at)
                    ChildProgram.Die();
            }
        }
    }
}
