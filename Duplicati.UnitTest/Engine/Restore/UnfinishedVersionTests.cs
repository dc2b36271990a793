// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Tool;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>
/// A version of a backup that runs, was killed or was stopped is not restored for the newest one, unless somebody asks for it.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class UnfinishedVersionTests
{
    private BackupCase m_backup = null!;

    [SetUp]
    public void SetUp()
    {
        m_backup = new BackupCase();
        for (var i = 0; i < 6; i++)
            SourceTree.Write(m_backup.Source, $"folder/{i}", 30_000, new Random(i));
    }

    [TearDown]
    public void TearDown() => m_backup.Dispose();

    [Test]
    public async Task The_newest_version_whose_backup_ended_is_restored_unless_another_one_is_asked_for()
    {
        await m_backup.BackUpAsync();
        var whole = await m_backup.RestoredAsync(0);
        Interrupt();

        var report = await RestoreAsync("newest", new RestoreChoices());
        Assert.That((report.Version, report.IsFull, report.Failed.Count), Is.EqualTo((1L, true, 0)));
        Assert.That(SourceTree.Describe(m_backup.File("newest")), Is.EqualTo(whole));
        Assert.That(m_backup.Warnings.Texts, Has.One.Contains("--version 0 takes the unfinished one"));

        report = await RestoreAsync("asked by number", new RestoreChoices { Versions = [0] });
        Assert.That((report.Version, report.IsFull), Is.EqualTo((0L, false)));
        Assert.That(m_backup.Warnings.Texts, Has.One.EndsWith("Only what that had come to is restored"));

        report = await RestoreAsync("asked by time", new RestoreChoices { Time = DateTime.UtcNow.AddDays(1) });
        Assert.That((report.Version, report.IsFull), Is.EqualTo((0L, false)));
        Assert.That(m_backup.Warnings.Texts, Has.Exactly(2).EndsWith("Only what that had come to is restored"));
    }

    [Test]
    public async Task The_only_version_is_restored_with_a_warning_and_an_exit_code_if_nobody_asked_for_it()
    {
        Interrupt();
        string[] restore = ["restore", m_backup.Remote, "--dbpath", m_backup.Options.DatabasePath, "--no-encryption", "--json"];
        var run = await ToolRun.RunAsync([.. restore, "--target", m_backup.File("target")]);
        Assert.That((run.Code, run.Json.GetProperty("isFull").GetBoolean()), Is.EqualTo((1, false)), run.Error);
        Assert.That(run.Error, Does.Contain("unfinished"));
    }

    [Test]
    public async Task Without_a_database_a_partial_list_is_passed_over_as_well()
    {
        await m_backup.BackUpAsync();
        var whole = await m_backup.RestoredAsync(0);
        SourceTree.Write(m_backup.Source, "folder/new", 3000, new Random(9));
        await m_backup.BackUpAsync();
        await FilelistCopy.RewriteAsync(m_backup.Volumes("dlist")[^1], isFull: false);

        string[] restore = ["restore", m_backup.Remote, "--no-database", "--no-encryption", "--json"];
        var run = await ToolRun.RunAsync([.. restore, "--target", m_backup.File("newest")]);
        Assert.That(
            (run.Code, run.Json.GetProperty("version").GetInt64(), run.Json.GetProperty("isFull").GetBoolean()),
            Is.EqualTo((0, 1L, true)),
            run.Error
        );
        Assert.That(SourceTree.Describe(m_backup.File("newest")), Is.EqualTo(whole));
        Assert.That(run.Error, Does.Contain("--version 0 takes the unfinished one"));

        run = await ToolRun.RunAsync([.. restore, "--target", m_backup.File("asked"), "--version", "0"]);
        Assert.That(
            (run.Code, run.Json.GetProperty("version").GetInt64(), run.Json.GetProperty("isFull").GetBoolean()),
            Is.EqualTo((0, 0L, false)),
            run.Error
        );
        Assert.That(run.Error, Does.Contain("Only what that had come to is restored"));
    }

    private Task<RestoreReport> RestoreAsync(string target, RestoreChoices choices) =>
        new RestoreOperation(m_backup.Options, m_backup.Warnings).RunAsync(m_backup.File(target), choices, default);

    // The second volume with blocks is not uploaded any more.
    private void Interrupt()
    {
        for (var i = 0; i < 6; i++)
            SourceTree.Write(m_backup.Source, $"folder/{i}", 30_000, new Random(10 + i));
        var uploads = 0;
        var stopping = new WarningList
        {
            OnMessage = text =>
            {
                if (text.Contains(".dblock.", StringComparison.Ordinal) && ++uploads == 2)
                    throw new OperationCanceledException();
            },
        };
        Assert.That(
            async () => await new BackupOperation(m_backup.Options with { Parallelism = 1 }, stopping).RunAsync([m_backup.Source], default),
            Throws.InstanceOf<OperationCanceledException>()
        );
    }
}
