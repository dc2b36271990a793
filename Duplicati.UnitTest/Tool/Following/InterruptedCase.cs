// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>
/// A backup of three versions, of which the middle one has most that no other has, and commands that are interrupted on copies of it.
/// </summary>
internal sealed class InterruptedCase : IDisposable
{
    private const string Secret = "secret";

    private readonly TestFolder m_folder = new();
    private int m_serial;

    /// <summary>The folder that the next command works in.</summary>
    internal string Folder { get; private set; } = "";

    internal string Remote => Path.Combine(Folder, "remote");

    internal string Database => Path.Combine(Folder, "backup.sqlite");

    internal string Source => m_folder.File("source");

    private string Base => m_folder.File("base");

    internal static async Task<InterruptedCase> CreateAsync()
    {
        var made = new InterruptedCase();
        made.Folder = Directory.CreateDirectory(made.Base).FullName;
        SourceTree.Write(made.Source, "constant", 20_000, new Random(1));
        SourceTree.Write(made.Source, Secret, 10_000, new Random(2));
        for (var version = 0; version < 3; version++)
        {
            SourceTree.Write(made.Source, "changing", version == 1 ? 120_000 : 40_000, new Random(3 + version));
            Assert.That(
                (await ToolRun.RunAsync(made.Words("backup", made.Source, "--blocksize", "1kb", "--dblock-size", "50kb"))).Code,
                Is.Zero
            );
        }

        SourceTree.Write(made.Source, "changing", 30_000, new Random(9));
        return made;
    }

    /// <summary>A command for the backup.</summary>
    internal string[] Words(string command, params string[] more) =>
        command is "upgrade" or "vacuum"
            ? [command, Database, "--json", .. more]
            : [command, Remote, "--dbpath", Database, "--no-encryption", "--json", .. more];

    /// <summary>A fresh copy of the backup to work in, damaged or changed as an operation needs it.</summary>
    internal async Task BeginAsync(string operation)
    {
        CopyTo(Base, Folder = m_folder.File($"case-{++m_serial}"));
        switch (operation)
        {
            case "compact":
                Assert.That((await ToolRun.RunAsync(Words("delete", "--version", "1", "--yes", "--no-compact"))).Code, Is.Zero);
                break;
            case "repair":
                File.Delete(VolumeFiles.Of(Remote, "dindex")[0]);
                File.Delete(VolumeFiles.Of(Remote, "dlist")[1]);
                break;
            case "purge-broken-files":
                File.Delete(VolumeFiles.Of(Remote, "dblock")[0]);
                break;
            case "upgrade":
                Databases.Downgrade(Database);
                break;
        }
    }

    /// <summary>The words of an operation.</summary>
    /// <param name="operation">Its name here.</param>
    /// <param name="middle">The version to name, by its number or its time.</param>
    internal string[] Operation(string operation, params string[] middle) =>
        operation switch
        {
            "delete" => Words("delete", [.. middle, "--yes"]),
            "delete by rule" => Words("delete", "--keep-versions", "1", "--yes"),
            "purge" => Words("purge", ["*/" + Secret, .. middle, "--yes"]),
            "purge all" => Words("purge", "*/" + Secret, "--yes"),
            "compact" => Words("compact", "--threshold", "1"),
            "backup" => Words("backup", Source),
            "recreate" => Words("recreate", "--overwrite"),
            "restore" => Words("restore", "--target", Path.Combine(Folder, "restored")),
            "purge-broken-files" => Words(operation, "--yes"),
            _ => Words(operation),
        };

    /// <summary>What each version holds when the operation is done, oldest first.</summary>
    internal IReadOnlyList<string[]> Wanted(string operation)
    {
        var versions = Salvage.Read(Remote).Versions.Values.ToList();
        switch (operation)
        {
            case "delete":
                versions.RemoveAt(1);
                break;
            case "delete by rule":
                versions.RemoveRange(0, 2);
                break;
            case "purge":
                versions[1] = Without(versions[1]);
                break;
            case "purge all":
                versions = versions.ConvertAll(Without);
                break;
            case "backup":
                versions.Add([
                    .. Directory.GetFiles(Source).Select(x => Salvage.Describe(x, File.ReadAllBytes(x))).Order(StringComparer.Ordinal),
                ]);
                break;
            case "purge-broken-files":
                versions.RemoveAll(x => x.Length == 0);
                break;
            case "repair":
                // The list of the middle one is made anew of the database.
                versions = [.. Salvage.Read(Path.Combine(Base, "remote")).Versions.Values];
                break;
        }

        return versions;

        static string[] Without(string[] files) => [.. files.Where(x => !x.StartsWith(Secret, StringComparison.Ordinal))];
    }

    /// <summary>The database, with its log, and the remote folder as they are now, in another folder.</summary>
    internal void CopyTo(string copy) => CopyTo(Folder, copy);

    /// <summary>From now on a copy is worked in.</summary>
    internal void Use(string copy) => Folder = copy;

    public void Dispose() => m_folder.Dispose();

    private static void CopyTo(string from, string to)
    {
        Directory.CreateDirectory(Path.Combine(to, "remote"));
        foreach (
            var file in Directory
                .GetFiles(from)
                .Where(x =>
                    !x.EndsWith("-shm", StringComparison.Ordinal)
                    && !x.EndsWith(".lock", StringComparison.Ordinal)
                    && !x.EndsWith("-lock", StringComparison.Ordinal)
                )
        )
            Copy(file, Path.Combine(to, Path.GetFileName(file)));
        foreach (var file in Directory.GetFiles(Path.Combine(from, "remote")))
            Copy(file, Path.Combine(to, "remote", Path.GetFileName(file)));
    }

    // Whoever opens a database file of this process and closes it drops its locks, but those of a copy that is dead do not count.
    private static void Copy(string from, string to)
    {
        using (var source = new FileStream(from, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
        using (var target = new FileStream(to, FileMode.CreateNew))
            source.CopyTo(target);
        // A file that changes while it is read is waited for.
        File.SetLastWriteTimeUtc(to, File.GetLastWriteTimeUtc(from));
    }
}
