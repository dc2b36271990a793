// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Scale;

/// <summary>Operations that change the database: a further version, deletions, a vacuum.</summary>
internal static class VersionChanges
{
    private const string ListName = "duplicati-new.dlist.zip";
    private const string BlocksName = "duplicati-bnew.dblock.zip";
    private const long FolderBlockset = -100;
    private const long MetadataOfNew = 1;

    /// <summary>Nothing has changed.</summary>
    public static VersionOperation Unchanged => Backup("backup, nothing changed", _ => 0);

    /// <summary>As many files have changed as from any version to the next.</summary>
    public static VersionOperation Changed => Backup("backup, some files changed", backup => backup.Changed);

    /// <summary>The file written anew, and the log copied into it.</summary>
    public static VersionOperation Vacuum =>
        new()
        {
            Name = "vacuum",
            Row = "entry",
            Rows = backup => backup.Entries,
            Changes = true,
            Open = path => LocalDatabase.CreateLocalDatabaseAsync(path, "Vacuum", true, null, default),
            Api = static async (database, _) =>
            {
                await database.Transaction.CommitAsync("BeforeVacuum", restart: false, default);
                await database.VacuumAsync(default);
                return 0;
            },
            Plain = static (plain, _) =>
            {
                foreach (var sql in (string[])[PlainSql.Commit, PlainSql.Vacuum, PlainSql.EmptyLog, PlainSql.Begin])
                    plain.Execute(sql);
                return 0;
            },
        };

    /// <summary>The oldest versions are deleted, with everything that nothing else refers to.</summary>
    /// <param name="name">What it is called.</param>
    /// <param name="going">How many of the versions go.</param>
    public static VersionOperation Delete(string name, Func<VersionedBackup, int> going) =>
        new()
        {
            Name = name,
            Row = "entry, content or block that goes",
            Rows = backup => going(backup) * (backup.EntriesPerVersion + (backup.Changed * (backup.BlocksPerFile + 1L))),
            Changes = true,
            Open = async path => await LocalDeleteDatabase.CreateAsync(path, "Delete", null, default),
            Api = async (opened, backup) =>
            {
                var times = Enumerable.Range(0, going(backup)).Select(VersionedBackup.UtcTime).ToArray();
                var lists = await ((LocalDeleteDatabase)opened).DropFilesetsFromTableAsync(times, default).CountAsync();
                await opened.CommitAsync(default);
                return lists;
            },
            Plain = (plain, backup) =>
            {
                for (var version = 0; version < going(backup); version++)
                    plain.Execute(PlainSql.DeleteFileset, VersionedBackup.Time(version));
                foreach (var cascade in PlainSql.DeleteCascade)
                    plain.Execute(cascade);
                return plain.Scalar(PlainSql.CountDeletingLists);
            },
        };

    /// <summary>The deletion of a number of versions, or of all where there are fewer.</summary>
    public static VersionOperation Delete(int count) =>
        Delete(
            count == 1 ? "delete of the oldest version" : FormattableString.Invariant($"delete of the oldest {count} versions"),
            backup => Math.Min(count, backup.Versions)
        );

    // Each file is looked for in the newest version and goes into the new one, with new content if it has changed.
    private static VersionOperation Backup(string name, Func<VersionedBackup, int> changed) =>
        new()
        {
            Name = name,
            Row = "entry of the new version",
            Rows = backup => backup.EntriesPerVersion,
            Changes = true,
            Open = async path => await LocalBackupDatabase.CreateAsync(path, new Options([]), default),
            Api = (database, backup) => BackUpAsync((LocalBackupDatabase)database, backup, changed(backup)),
            Plain = (plain, backup) => new PlainVersion(plain, backup).Run(changed(backup)),
        };

    private static async Task<long> BackUpAsync(LocalBackupDatabase database, VersionedBackup backup, int changed)
    {
        var list = await database.RegisterRemoteVolumeAsync(ListName, RemoteVolumeType.Files, RemoteVolumeState.Temporary, default);
        var blocks = await database.RegisterRemoteVolumeAsync(BlocksName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        var fileset = await database.CreateFilesetAsync(list, VersionedBackup.UtcTime(backup.Versions), default);
        var bytes = 0L;
        foreach (var file in backup.Source)
        {
            var (id, modified, length, _, _) = await database.GetFileEntryAsync(file.PrefixId, file.Name, backup.Versions, default);
            bytes += length;
            if (file.Turn < changed)
            {
                var content = await AddContentAsync(database, backup, file.Turn, blocks);
                await database.AddFileAsync(file.PrefixId, file.Name, modified, content, MetadataOfNew, default);
            }
            else
            {
                await database.AddKnownFileAsync(id, modified, default);
            }
        }

        var noTime = new DateTime(0, DateTimeKind.Utc);
        for (var folder = 1; folder <= backup.Folders; folder++)
        {
            var metadata = VersionedBackup.MetadataOfFolder(folder);
            await database.AddFileAsync(backup.Folders + 1, VersionedBackup.FolderName(folder), noTime, FolderBlockset, metadata, default);
        }

        await database.UpdateFullBackupStateInFilesetAsync(fileset, true, default);
        await database.CommitAsync(default);
        return bytes;
    }

    private static async Task<long> AddContentAsync(LocalBackupDatabase database, VersionedBackup backup, int number, long volume)
    {
        var hash = backup.NewHash(number);
        await database.AddBlockAsync(hash, VersionedBackup.BlockBytes, volume, default);
        var (_, blockset) = await database.AddBlocksetAsync(
            PlainVersion.NewContent(number),
            VersionedBackup.BlockBytes,
            VersionedBackup.BlockBytes,
            [hash],
            [],
            default
        );
        return blockset;
    }

    /// <summary>
    /// The rows of one more version by prepared statements through the provider, within the transaction that is open and is left open. A
    /// new blockset and a new file are committed, as their definition says.
    /// </summary>
    private sealed class PlainVersion(PlainStatements plain, VersionedBackup backup)
    {
        private const long BlockBytes = VersionedBackup.BlockBytes;

        /// <summary>The hash of a new file.</summary>
        public static string NewContent(int number) => FormattableString.Invariant($"new file {number}");

        /// <summary>Adds the version.</summary>
        /// <param name="changed">Files with new content.</param>
        /// <returns>The bytes that the files had.</returns>
        public long Run(int changed)
        {
            var list = Id(PlainSql.InsertVolume, ListName, "Files");
            var blocks = Id(PlainSql.InsertVolume, BlocksName, "Blocks");
            var fileset = Id(PlainSql.InsertFileset, VersionedBackup.Time(backup.Versions), list);
            var bytes = 0L;
            foreach (var file in backup.Source)
            {
                var (id, modified, length) = Find(file);
                bytes += length;
                if (file.Turn < changed)
                    AddFile(fileset, file.PrefixId, file.Name, AddContent(file.Turn, blocks), MetadataOfNew, modified);
                else
                    plain.Again(PlainSql.InsertEntry, fileset, id, modified);
            }

            for (var folder = 1; folder <= backup.Folders; folder++)
            {
                var (path, metadata) = (VersionedBackup.FolderName(folder), VersionedBackup.MetadataOfFolder(folder));
                AddFile(fileset, backup.Folders + 1, path, FolderBlockset, metadata, 0L);
            }

            plain.Again(PlainSql.SetFull, fileset);
            return bytes;
        }

        private (long Id, long Modified, long Length) Find(VersionedFile file)
        {
            using var reader = plain.ReadAgain(PlainSql.FindEntry, file.PrefixId, file.Name, (long)backup.Versions);
            if (!reader.Read())
                return (-1, 0, -1);
            _ = (reader.GetString(3), reader.GetInt64(4));
            return (reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2));
        }

        private long AddContent(int number, long volume)
        {
            var (hash, content) = (backup.NewHash(number), NewContent(number));
            if (Id(PlainSql.FindBlock, hash, BlockBytes) < 0)
                plain.Again(PlainSql.InsertBlock, hash, BlockBytes, volume);
            var blockset = Id(PlainSql.FindBlockset, content, BlockBytes);
            if (blockset >= 0)
                return blockset;
            blockset = Id(PlainSql.InsertBlockset, content, BlockBytes);
            plain.Again(PlainSql.InsertBlocksetEntry, blockset, hash, BlockBytes);
            Commit();
            return blockset;
        }

        private void AddFile(long fileset, long prefixId, string name, long blockset, long metadata, long modified)
        {
            var id = Id(PlainSql.FindFile, prefixId, name, blockset, metadata);
            if (id < 0)
            {
                id = Id(PlainSql.InsertFile, prefixId, name, blockset, metadata);
                Commit();
            }

            plain.Again(PlainSql.InsertEntry, fileset, id, modified);
        }

        private void Commit()
        {
            plain.Again(PlainSql.Commit);
            plain.Again(PlainSql.Begin);
        }

        private long Id(string sql, params ReadOnlySpan<object> values) => plain.Again(sql, values) is long value ? value : -1;
    }
}
