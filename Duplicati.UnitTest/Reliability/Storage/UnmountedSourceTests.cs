// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.Storage;

/// <summary>A disk that has a source, or is mounted below one, is unmounted before its turn comes.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnmountedSourceTests
{
    [TestCase("source", "", "full, then partial, 1 skipped")]
    [TestCase("source", "*/a disk/", "full, then full, 0 skipped", Description = "what is left out is not looked at")]
    [TestCase("source/a disk", "", "full, then partial, SourceIsMissing")]
    [TestCase("source/a disk/precious", "", "full, then partial, SourceIsMissing")]
    public void What_was_on_a_disk_is_not_taken_for_deleted(string source, string excluded, string expected)
    {
        using var folder = new TestFolder();
        Directory.CreateDirectory(folder.File("source/a disk"));
        // So it is not empty when the disk is gone.
        File.WriteAllText(folder.File("source/a disk/beneath"), "beneath");
        var run = LimitedDisk.TryMount(
            "mount -t tmpfs none",
            folder.File("source/a disk"),
            [ChildProcess.Host, "exec", ChildProcess.Program, typeof(Child).FullName!, folder.Path, source, excluded]
        );
        if (run is not { } done)
            Assert.Ignore("Nothing can be mounted here.");
        else
            Assert.That(done.Output.TrimEnd().Split('\n')[^1], Is.EqualTo(expected), done.Output + done.Error);
    }

    private sealed class Child : IChildProgram
    {
        // The folder with all, the source in it, and what is left out of that.
        public static int Run(string[] args)
        {
            RunAsync(args[0], Path.Combine(args[0], args[1]), args[2]).GetAwaiter().GetResult();
            return 0;
        }

        private static async Task RunAsync(string folder, string source, string excluded)
        {
            var disk = Path.Combine(folder, "source/a disk");
            var options = new EngineOptions
            {
                Remote = Path.Combine(folder, "remote"),
                DatabasePath = Path.Combine(folder, "backup.sqlite"),
                Exclusions = excluded.Length > 0 ? [excluded] : [],
            };
            await File.WriteAllTextAsync(Path.Combine(disk, "precious"), "precious");
            await new BackupOperation(options, SilentProgress.Instance).RunAsync([source], default);
            await File.WriteAllTextAsync(Path.Combine(folder, "source/new"), "new");
            var progress = new WarningList();
            progress.OnMessage = text =>
            {
                if (text == "Listing remote folder")
                    StorageCase.Check(ChildProcess.Run("umount", "-l", disk).ExitCode == 0, "it can be unmounted");
            };

            string end;
            try
            {
                end = $"{(await new BackupOperation(options, progress).RunAsync([source], default)).Skipped} skipped";
            }
            catch (UserInformationException ex)
            {
                end = ex.HelpID;
            }

            var versions = DatabaseDump.Load(options.DatabasePath).Filesets.Select(x => x.IsFull == 1 ? "full" : "partial");
            foreach (var warning in progress.Texts)
                Console.WriteLine(warning);
            Console.WriteLine($"{string.Join(", then ", versions)}, {end}");
        }
    }
}
