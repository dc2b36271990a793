// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>An operation, and what it cannot do without looking at.</summary>
/// <param name="Name">For the output.</param>
/// <param name="Run">Runs it on a backup; the text is the source folder.</param>
/// <param name="Rows">How many rows it has to look at.</param>
internal sealed record MeasuredOperation(string Name, Func<BackupCase, string, Task> Run, Func<DatabaseSize, long> Rows)
{
    private const string Changed = "1/file-1";

    /// <summary>All of them. Those that write verify the consistency of the whole database.</summary>
    internal static IReadOnlyList<MeasuredOperation> All { get; } =
    [
        new("backup of an unchanged source", (backup, source) => BackUpAsync(backup, source), x => x.Rows),
        new("backup with one changed file", ChangeAndBackUpAsync, x => x.Rows),
        new("list of the versions with their sizes", (backup, _) => Listing(backup).VersionsAsync(default), x => x.Entries),
        new(
            "list of a version",
            (backup, _) => Listing(backup).EntriesAsync(0, new FilterExpression(), default),
            x => x.Files + x.Versions
        ),
        new(
            "list of a folder in a version",
            (backup, source) => Listing(backup).FolderAsync(Path.Combine(source, "1"), 0, default),
            x => x.Versions
        ),
        new(
            "versions of a file",
            (backup, source) => Listing(backup).FileVersionsAsync([Path.Combine(source, Changed)], default),
            x => x.Versions
        ),
        new(
            "search for a file in all versions",
            (backup, source) => Listing(backup).FindAsync(new FilterExpression(Path.Combine(source, Changed)), default),
            x => x.Files + x.Versions
        ),
        new("restore of a version", (backup, _) => backup.RestoreAsync(backup.File("restored")), x => x.Versions),
        new("deletion of the oldest version", DeleteOldestAsync, x => x.Rows),
        new(
            "compact of all volumes",
            (backup, _) => new CompactOperation(backup.Options with { SmallFileMaxCount = 1 }, SilentProgress.Instance).RunAsync(default),
            x => x.Rows
        ),
        new(
            "test of a sample",
            (backup, _) => new TestOperation(backup.Options, SilentProgress.Instance).RunAsync(1, default),
            x => x.Rows
        ),
        new(
            "check",
            (backup, _) => new CheckOperation(backup.Options, [], SilentProgress.Instance).RunAsync(CheckDepth.Names, default),
            x => x.Rows
        ),
        new(
            "quick verify",
            (backup, _) => new VerifyOperation(backup.Options, SilentProgress.Instance).RunAsync(true, default),
            x => x.Rows
        ),
        new(
            "repair",
            (backup, _) => new RepairOperation(backup.Options, new RepairChoices(), SilentProgress.Instance).RunAsync(default),
            x => x.Rows
        ),
        new("recreate", (backup, _) => backup.RecreateAsync(backup.File("new.sqlite")), x => x.Rows),
    ];

    private static DatabaseListing Listing(BackupCase backup) => new(backup.Options.DatabasePath, "default");

    private static Task BackUpAsync(BackupCase backup, string source) =>
        new BackupOperation(backup.Options, SilentProgress.Instance).RunAsync([source], default);

    private static async Task ChangeAndBackUpAsync(BackupCase backup, string source)
    {
        await File.AppendAllTextAsync(Path.Combine(source, Changed), "more");
        await BackUpAsync(backup, source);
    }

    private static async Task DeleteOldestAsync(BackupCase backup, string source)
    {
        var versions = await Listing(backup).VersionsAsync(default);
        await new DeleteOperation(backup.Options, SilentProgress.Instance).RunAsync([versions.Count - 1], allowAll: true, default);
    }
}

/// <summary>Rows of a local database.</summary>
/// <param name="Versions">Filesets.</param>
/// <param name="Entries">Entries of all versions.</param>
/// <param name="Files">Paths with one content each.</param>
/// <param name="Rows">All of these, and all others that describe the backup.</param>
internal sealed record DatabaseSize(long Versions, long Entries, long Files, long Rows)
{
    private static readonly string[] s_tables =
    [
        "Fileset",
        "FilesetEntry",
        "FileLookup",
        "Remotevolume",
        "Block",
        "Blockset",
        "BlocksetEntry",
        "Metadataset",
        "IndexBlockLink",
    ];

    /// <summary>Counts them.</summary>
    internal static DatabaseSize Of(string path)
    {
        using var connection = Databases.Open(path);
        var rows = s_tables
            .Select(x => long.Parse(connection.Scalar($"""SELECT COUNT(*) FROM "{x}" """)!, CultureInfo.InvariantCulture))
            .ToList();
        return new DatabaseSize(rows[0], rows[1], rows[2], rows.Sum());
    }
}
