// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Samples;

/// <summary>The programs in samples/ do what their first comment says.</summary>
[TestFixture]
internal sealed class SampleTests
{
    [Test]
    public void A_fast_table_is_filled_read_and_added_to()
    {
        using var folder = new TestFolder();
        var run = Run("FastTable", folder.File("numbers.sqlite"));

        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Output, Does.Contain("add up to 333833500.").And.Contain("100 rows were committed in groups."));
        using var connection = SQLiteLoader.LoadConnection(folder.File("numbers.sqlite"));
        Assert.That(connection.Scalar("""SELECT COUNT(*) FROM "Square" """), Is.EqualTo("100100"));
        using var copy = SQLiteLoader.LoadConnection(folder.File("numbers.sqlite.copy"));
        Assert.That(copy.Scalar("""SELECT COUNT(*) FROM "Square" """), Is.EqualTo("100100"));
    }

    [Test]
    public void A_backup_is_recreated_and_restored()
    {
        using var folder = new TestFolder();
        var source = Directory.CreateDirectory(folder.File("source")).FullName;
        var content = new byte[200_000];
        new Random(5).NextBytes(content);
        File.WriteAllBytes(Path.Combine(source, "a"), content);
        var run = Run("BackupAndRestore", source, folder.File("work"));

        Assert.That(run.Code, Is.Zero, run.Output + run.Error);
        Assert.That(run.Output, Does.Contain("1 files examined").And.Contain("0 problems").And.Contain("1 files restored, 0 failed"));
        var restored = Directory.EnumerateFiles(folder.File("work"), "a", SearchOption.AllDirectories).Single();
        Assert.That(File.ReadAllBytes(restored), Is.EqualTo(content));
    }

    private static (int Code, string Output, string Error) Run(string name, params string[] args)
    {
        var configuration = typeof(SampleTests).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()!.Configuration;
        return ChildProcess.Run(
            ChildProcess.Host,
            ["exec", Repository.File("samples", name, "bin", configuration, "net10.0", name + ".dll"), .. args]
        );
    }
}
