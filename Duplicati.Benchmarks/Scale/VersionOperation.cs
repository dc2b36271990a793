// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Scale;

/// <summary>An operation on a database with many versions.</summary>
/// <param name="Name">Short name.</param>
/// <param name="Row">What a row is.</param>
/// <param name="Rows">The rows that it must look at or write, or that come out, whichever are more.</param>
/// <param name="Open">Opens a database in a way, for what gives an answer.</param>
/// <param name="Changes">Whether it changes the database: then it has a copy of its own, and closing belongs to it.</param>
internal sealed record VersionOperation(
    string Name,
    string Row,
    Func<VersionedBackup, long> Rows,
    Func<string, string, VersionedBackup, (IDisposable Opened, Func<long> Run)> Open,
    bool Changes = false
)
{
    private const long FolderBlockset = -100;
    private const long MetadataOfNew = 1;

    /// <summary>All, in the order of a report.</summary>
    /// <param name="deleted">Numbers of versions that are deleted; a tenth and one if there are none.</param>
    public static IEnumerable<VersionOperation> All(IReadOnlyCollection<int> deleted) =>
        [
            Backup("backup, nothing changed", _ => 0),
            Backup("backup, some files changed", backup => backup.Changed),
            Asked("list of all versions", "entry", backup => backup.Entries, Question.Versions),
            Asked(
                "list of one folder",
                "content of a file of the folder, or entry",
                backup => VersionedBackup.FolderCalls * backup.RowsOfFolder,
                Question.Folders
            ),
            Asked("versions of one file", "version of a file", backup => backup.Asked.Names.Count * backup.Versions, Question.FileVersions),
            Asked(
                "search by a pattern",
                "path, or entry found",
                backup => backup.Files + (backup.Fitting * backup.Versions),
                Question.Find
            ),
            Asked("changes between oldest and newest", "entry of the two", backup => 2 * backup.EntriesPerVersion, Question.Changes),
            Asked("lists of a restore", "entry of the version", backup => backup.EntriesPerVersion, Question.RestoreLists),
            Asked(
                "report of a compact",
                "block, or content of a file",
                backup => backup.Live + backup.Deleted + backup.Files,
                Question.CompactReport
            ),
            Asked(
                "check of the consistency",
                "entry, block, or content of a file",
                backup => backup.Entries + backup.Live + backup.Files,
                Question.Consistency
            ),
            .. deleted.Count > 0
                ? deleted.Distinct().Select(Delete)
                : [Delete("delete of the oldest tenth", backup => backup.Versions / 10), Delete(1)],
        ];

    private static VersionOperation Delete(int count) =>
        Delete(
            count == 1 ? "delete of the oldest version" : FormattableString.Invariant($"delete of the oldest {count} versions"),
            backup => Math.Min(count, backup.Versions)
        );

    private static VersionOperation Delete(string name, Func<VersionedBackup, int> going) =>
        Asked(
            name,
            "entry, content or block that goes",
            backup => going(backup) * (backup.EntriesPerVersion + (backup.Changed * (backup.BlocksPerFile + 1L))),
            Question.Delete,
            going
        );

    private static VersionOperation Asked(
        string name,
        string row,
        Func<VersionedBackup, long> rows,
        Question question,
        Func<VersionedBackup, int>? going = null
    ) =>
        new(
            name,
            row,
            rows,
            (way, path, backup) =>
            {
                var asked = backup.Asked with
                {
                    Deleted = [.. Enumerable.Range(0, going?.Invoke(backup) ?? 0).Select(VersionedBackup.Time)],
                };
                if (way == ScaleWays.Api)
                {
                    var database = question.Open(path).Await();
                    return (database, () => question.Layer(database, asked).Await());
                }

                var plain = new PlainCalls(path, name, ConnectionOpener.Standard.Open(path, ConnectionOptions.Default));
                return (plain, () => question.Plain(plain, asked));
            },
            Changes: going is not null
        );

    // Each file is looked for in the newest version and goes into the new one, with new content if it has changed.
    private static VersionOperation Backup(string name, Func<VersionedBackup, int> changed) =>
        new(
            name,
            "entry of the new version",
            backup => backup.EntriesPerVersion,
            (way, path, backup) =>
            {
                IBackupCalls calls =
                    way == ScaleWays.Api
                        ? new LayerBackupCalls(path, RecordedBackup.Empty)
                        : new PlainBackupCalls(path, RecordedBackup.Empty, ConnectionOpener.Standard.Open(path, ConnectionOptions.Default));
                return (calls, () => BackUp(calls, backup, changed(backup)));
            },
            Changes: true
        );

    private static long BackUp(IBackupCalls calls, VersionedBackup backup, int changed)
    {
        var list = new RecordedVolume("duplicati-new.dlist.zip", RemoteVolumeType.Files, 1, "");
        var volume = calls.RegisterVolume(list with { Name = "duplicati-bnew.dblock.zip", Type = RemoteVolumeType.Blocks });
        var fileset = calls.CreateVersion(calls.RegisterVolume(list), VersionedBackup.Time(backup.Versions));
        var answer = 0L;
        foreach (var file in backup.Source)
        {
            var known = calls.Find(file.PrefixId, file.Name, backup.Versions);
            answer += known;
            if (file.Turn >= changed)
            {
                calls.AddKnown(known, VersionedBackup.Modified);
                continue;
            }

            var block = new RecordedBlock(backup.NewHash(file.Turn), RecordedBackup.Empty.BlockSize, list);
            calls.AddBlock(block, volume);
            var content = new RecordedBlockset(FormattableString.Invariant($"new file {file.Turn}"), block.Size, [block], []);
            calls.AddFile(file.PrefixId, file.Name, VersionedBackup.Modified, calls.AddBlockset(content), MetadataOfNew);
        }

        for (var folder = 1; folder <= backup.Folders; folder++)
        {
            var metadata = VersionedBackup.MetadataOfFolder(folder);
            calls.AddFile(backup.Folders + 1, VersionedBackup.FolderName(folder), 0, FolderBlockset, metadata);
        }

        calls.SetFull(fileset);
        calls.Commit();
        return answer;
    }
}
