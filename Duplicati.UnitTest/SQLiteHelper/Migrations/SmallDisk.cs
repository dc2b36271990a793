// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

/// <summary>Upgrades a database on a file system of a given size, in a process and a mount of its own.</summary>
internal sealed class SmallDisk : IChildProgram
{
    /// <summary>
    /// Mounts the disk (1: where, 2: kilobytes), copies the database (3) to it, runs the rest and copies what is there then to 4.
    /// </summary>
    private const string SCRIPT = """
        mkdir -p "$1" "$4" && mount -t tmpfs -o size="$2"k,mode=700 none "$1" || exit 90
        cp "$3" "$1"/ || exit 91
        disk="$1"; result="$4"; shift 4
        "$@"
        code=$?
        cp "$disk"/* "$result"/
        umount "$disk"
        exit $code
        """;

    private const int NO_MOUNT = 90;

    /// <summary>Upgrades a copy.</summary>
    /// <param name="database">The database.</param>
    /// <param name="kilobytes">Size of the disk.</param>
    /// <param name="result">Gets what is on the disk afterwards.</param>
    /// <param name="files">The names of that.</param>
    /// <returns>"upgraded", or the name of the exception. The test is skipped where no disk can be mounted.</returns>
    public static string Upgrade(string database, int kilobytes, string result, out string[] files)
    {
        var disk = result + "-disk";
        var name = Path.GetFileName(database);
        var (code, output, error) = ChildProcess.Run(
            "unshare",
            "-rm",
            "sh",
            "-c",
            SCRIPT,
            "sh",
            disk,
            $"{kilobytes}",
            database,
            result,
            ChildProcess.Host,
            "exec",
            ChildProcess.Program,
            typeof(SmallDisk).FullName!,
            Path.Combine(disk, name)
        );
        if (code == NO_MOUNT || error.Contains("unshare", StringComparison.Ordinal))
            Assert.Ignore($"No small file system can be mounted here: {error}");
        Assert.That(code, Is.Zero, error);
        files = [.. Directory.GetFiles(result).Select(x => Path.GetFileName(x)!)];
        return output.Trim();
    }

    public static int Run(string[] args)
    {
        try
        {
            Databases.Upgrade(args[0]);
            Console.WriteLine("upgraded");
        }
        catch (DatabaseUpgradeException ex)
        {
            Console.WriteLine(ex.GetType().Name);
        }
        return 0;
    }
}
