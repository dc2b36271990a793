// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Scale;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What the trials on the tables of a backup share.</summary>
internal static class BackupTrials
{
    /// <summary>Opens a copy of a database with so many blocks as a backup does.</summary>
    public static LocalBackupDatabase Open(TrialSetup setup, int rows) =>
        LocalBackupDatabase.CreateAsync(setup.Copy(BlockDatabase.Template(rows)), new Options([]), default).Await();

    /// <summary>
    /// Questions about so many blocks from a number on, in an order that has nothing to do with that of the table; all forms are made now.
    /// </summary>
    public static BlockQuestions Questions(int first, int count)
    {
        _ = BlockKeys.Get(first + count);
        var questions = new BlockQuestions(count, step => first + BlockTable.Scatter(step, count));
        _ = (questions.Texts, questions.Sizes, questions.Utf8);
        return questions;
    }

    /// <summary>Commits what is pending.</summary>
    public static void Commit(LocalDatabase database) => database.Transaction.CommitAsync(default(CancellationToken)).Await();

    /// <summary>The rows of Block and BlocksetEntry by content, so that ids may differ.</summary>
    public static long Content(LocalDatabase database) =>
        BlockTable.Fold(Read(database, BlockContent.Blocks), Read(database, BlockContent.Entries));

    /// <summary>The one number that a statement gives, after everything pending has been written.</summary>
    public static long Read(LocalDatabase database, string sql) =>
        database.Session.Do(
            session =>
            {
                using var query = session.Take(sql);
                return query.ExecuteInt64(0);
            },
            default
        );
}

/// <summary>What the filelist and the index files of a backup say, in memory, so that making it is no part of what is measured.</summary>
internal sealed class RebuildData
{
    private static RebuildData? s_latest;

    private RebuildData(SyntheticBackup backup)
    {
        Backup = backup;
        Files = [.. Range(backup.Files).Select(number => backup.File(number))];
        Indexes = [.. Range(backup.Volumes).Select(backup.Index)];
    }

    /// <summary>The backup it was made of.</summary>
    public SyntheticBackup Backup { get; }

    /// <summary>All files of the one version.</summary>
    public IReadOnlyList<RecordedFile> Files { get; }

    /// <summary>One index file a volume.</summary>
    public IReadOnlyList<SyntheticIndex> Indexes { get; }

    /// <summary>A backup of so many blocks in files of so many.</summary>
    public static RebuildData Get(long blocks, long blocksPerFile)
    {
        if (s_latest?.Backup.Blocks != blocks || s_latest.Backup.BlocksPerFile != blocksPerFile)
            s_latest = new RebuildData(new SyntheticBackup(blocks, blocksPerFile));
        return s_latest;
    }

    private static IEnumerable<long> Range(long count) => Enumerable.Range(0, (int)count).Select(x => (long)x);
}

/// <summary>The steps of a recreate on a new database, each to be called when a technique wants it.</summary>
internal sealed class RebuildTrial : IDisposable
{
    private const long BlockBytes = SyntheticBackup.BlockBytes;
    private const long HashBytes = SyntheticBackup.HashBytes;
    private readonly RebuildData m_data;
    private readonly List<long> m_volumes = [];
    private bool m_disposed;

    /// <summary>Makes the database and registers all volumes.</summary>
    /// <param name="path">Where; nothing may be there.</param>
    /// <param name="data">What is rebuilt.</param>
    /// <param name="limits">Memory that may be used; null for what this machine has.</param>
    /// <param name="isEmpty">False to begin with a row in one of the tables, which keeps the indexes in place.</param>
    public RebuildTrial(string path, RebuildData data, RecreateLimits? limits = null, bool isEmpty = true)
    {
        m_data = data;
        Database = LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default).Await();
        if (!isEmpty)
            Database.Session.Do(session => session.Run(TechniquesSql.AddBlocklistHash), default);
        Work = new RecreateWork(Database.Session, limits ?? RecreateLimits.ForThisMachine());
        for (var i = 0; i < data.Indexes.Count; i++)
            m_volumes.Add(Register($"dup-b{i}.dblock.zip", RemoteVolumeType.Blocks));
    }

    /// <summary>The database.</summary>
    public LocalDatabase Database { get; }

    /// <summary>What the members of a recreate forward to.</summary>
    public RecreateWork Work { get; }

    /// <summary>A finished database of so many blocks, closed.</summary>
    public static string Template(int blocks, int blocksPerFile) =>
        DatabaseTemplates.Get(
            $"rebuilt {blocks} {blocksPerFile}",
            path =>
            {
                using var trial = new RebuildTrial(path, RebuildData.Get(blocks, blocksPerFile));
                trial.Run();
            }
        );

    /// <summary>Adds a version with all files.</summary>
    public void LoadFilelist(int version = 0)
    {
        var volume = Register($"dup-{version}.dlist.zip", RemoteVolumeType.Files);
        var fileset = Database.CreateFilesetAsync(volume, DateTime.UnixEpoch.AddDays(version), default).Await();
        var prefix = Database.GetOrCreatePathPrefixAsync("/data/", default).Await();
        foreach (var file in m_data.Files)
        {
            var (content, metadataHash) = (file.Content!, file.Metadata.Hash);
            IEnumerable<string> lists = content.Lists.Count == 0 ? [] : content.Lists.Select(list => list.Hash);
            var blockset = Work.Filelist.AddBlockset(content.Hash, content.Length, lists, content.Lists.Count, default);
            var metadata = Work.Filelist.AddMetadataset(metadataHash, SyntheticBackup.MetadataBytes, [], 0, default);
            Work.AddEntryAsync(fileset, prefix, file.Name, DateTime.UnixEpoch, blockset, metadata, default).Await();
            Work.AddLinkAsync(metadataHash, metadataHash, SyntheticBackup.MetadataBytes, default).Await();
            if (content.Lists.Count == 0)
                Work.AddLinkAsync(content.Hash, content.Hash, content.Length, default).Await();
        }
    }

    /// <summary>Takes in index files in binary form, from one to before another; all by default.</summary>
    public void Load(int first = 0, int? end = null)
    {
        for (var i = first; i < (end ?? m_data.Indexes.Count); i++)
        {
            var index = m_data.Indexes[i];
            Work.AddVolume(m_volumes[i], new PackedBlocks(index.Digests, index.Sizes.ToArray()), default);
            foreach (var list in index.Lists)
                Work.Blocklists.Add(list.Digest, list.Content, SyntheticBackup.HashBytes);
        }
    }

    /// <summary>Connects blocksets and blocks, and commits.</summary>
    public void Resolve() => Work.ResolveAsync(x => Database.Transaction.Commit(x), HashBytes, BlockBytes, default).Await();

    /// <summary>Connects all blocksets of several blocks from the first one on, whatever was done before, and commits.</summary>
    public void ResolveAnew()
    {
        Work.ResolveOnlyAsync(HashBytes, BlockBytes, withLinks: false, default).Await();
        Commit();
    }

    /// <summary>Commits.</summary>
    public void Commit() => BackupTrials.Commit(Database);

    /// <summary>Books unused blocks, builds the indexes that were left out, and commits.</summary>
    public void Finish() => Work.RemoveUnusedBlocksAsync(x => Database.Transaction.Commit(x), default).Await();

    /// <summary>All steps.</summary>
    public void Run()
    {
        LoadFilelist();
        Load();
        Resolve();
        Finish();
    }

    /// <summary>Blocks and entries by content.</summary>
    public long Content() => BackupTrials.Content(Database);

    public void Dispose()
    {
        if (m_disposed)
            return;
        m_disposed = true;
        Work.Dispose();
        Commit();
        Database.Dispose();
    }

    private long Register(string name, RemoteVolumeType type) =>
        Database.RegisterRemoteVolumeAsync(name, type, 1 << 20, RemoteVolumeState.Verified, default).Await();
}

/// <summary>Answers of trials as one number, by content instead of by ids, and what puts a technique out of action.</summary>
internal static class TechniquesSql
{
    // Reads BlocksetEntry in the order of its primary key.
    internal const string EntryIds =
        """SELECT SUM((BlocksetID * 31 + "Index") % 1000003 * (BlockID % 8191 + 1)) + COUNT(*) FROM BlocksetEntry""";

    // Reads FilesetEntry in the order of its primary key.
    internal const string FilesetEntries =
        "SELECT SUM((FilesetID * 31 + FileID) % 1000003 * (Lastmodified % 8191 + 1)) + COUNT(*) FROM FilesetEntry";

    // Touches no table.
    internal const string OwnPace = "PRAGMA wal_autocheckpoint=999";

    // One row of no meaning: the tables are not empty any more.
    internal const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (-1, 0, 'x')""";

    // Appends by row id: a change, and nothing that a check looks at.
    internal const string AddLogRow =
        "INSERT INTO LogData (OperationID, Timestamp, Type, Message, Exception) VALUES (1, 0, 'x', 'x', NULL)";

    // Reads LogData in row order.
    internal const string LogRows =
        "SELECT COUNT(*) * 31 + IFNULL(SUM(OperationID % 8191 * 31 + Timestamp % 1000003), 0) + COUNT(Exception) FROM LogData";
}
