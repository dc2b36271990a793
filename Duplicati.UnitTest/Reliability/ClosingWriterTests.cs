// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Engine.Operations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Whoever reads does not fail because another process closes the database at that moment and takes its log away.</summary>
[TestFixture]
internal sealed class ClosingWriterTests
{
    [Test]
    public async Task A_log_that_comes_and_goes_is_no_error()
    {
        using var sample = new SampleDatabase();
        sample.Close();
        var path = sample.Path;
        var child = Task.Run(() => ChildProcess.Run<Opener>(path));

        var reads = 0;
        do
        {
            var versions = await DatabaseReading.RunAsync(path, "default", Read, default);
            Assert.That(versions, Is.EqualTo("19"));
            reads++;
        } while (!child.IsCompleted);

        Assert.That((await child).ExitCode, Is.Zero, (await child).Error);
        TestContext.Out.WriteLine($"read {reads} times");
    }

    // The database is closed when the verify looks at it, and read without a log; the file itself stays as it is until the writer closes
    // it.
    [Test]
    public async Task A_verify_notices_somebody_who_begins_to_delete_after_it_has_begun()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "file", 5000, new Random(1));
        await backup.BackUpAsync();
        var list = backup.Volumes("dlist")[0];
        SqliteConnection? writer = null;
        var progress = new WarningList
        {
            OnMessage = text =>
            {
                if (writer is not null || text != "Listing remote folder")
                    return;

                // As another process: the loader would open it in the way of the verify.
                writer = Databases.Open(backup.Options.DatabasePath);
                writer.Execute(
                    """DELETE FROM "FilesetEntry"; DELETE FROM "Fileset"; UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files'"""
                );
                File.Delete(list);
            },
        };

        var report = await new VerifyOperation(backup.Options, progress).RunAsync(false, default);

        using (writer)
            Assert.That(report.Problems, Is.Empty);
        Assert.That(writer, Is.Not.Null);
    }

    [Test]
    public async Task A_verify_is_not_stopped_by_who_deletes_a_list_between_its_check_and_its_comparison()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "file", 5000, new Random(1));
        await backup.BackUpAsync();
        var list = backup.Volumes("dlist")[0];
        var left = Directory.GetFiles(backup.Remote).Length;
        using var writer = Databases.Open(backup.Options.DatabasePath);
        // There is a log, so that the verify has no reason to begin again.
        writer.Execute("""UPDATE "Version" SET "Version" = "Version" """);
        var progress = new WarningList
        {
            OnAdvance = phase =>
            {
                if (phase != "volumes" || Interlocked.Decrement(ref left) > 0)
                    return;
                writer.Execute(
                    """DELETE FROM "FilesetEntry"; DELETE FROM "Fileset"; UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Type" = 'Files'"""
                );
                File.Delete(list);
            },
        };

        var report = await new VerifyOperation(backup.Options, progress).RunAsync(false, default);

        Assert.That(left, Is.Zero);
        Assert.That(report.Problems, Is.Empty);
    }

    private static string? Read(string path)
    {
        using var reading = new ReadingConnection(path);
        return reading.Connection.Scalar("""SELECT "Version" FROM "Version" """);
    }

    /// <summary>Opens, writes every third time, and closes.</summary>
    private sealed class Opener : IChildProgram
    {
        private const int Times = 400;

        public static int Run(string[] args)
        {
            for (var i = 0; i < Times; i++)
            {
                using var connection = SQLiteLoader.LoadConnection(args[0]);
                connection.Scalar("""SELECT COUNT(*) FROM "Remotevolume" """);
                if (i % 3 == 0)
                    connection.Execute("""UPDATE "Version" SET "Version" = "Version" """);
            }

            return 0;
        }
    }
}
