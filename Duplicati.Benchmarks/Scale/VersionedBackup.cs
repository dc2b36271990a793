// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Benchmarks.Scale;

/// <summary>
/// A database of a backup with many versions. From each version to the next some files get new content, one after the other in turn.
/// Blocks of 1 KB, blocklists of 32 hashes, a volume for every thousand blocks, 20 different metadata, and one deleted block for every 20
/// live ones.
/// </summary>
/// <param name="Versions">Versions, whose ids are 1 and up, oldest first.</param>
/// <param name="FilesPerVersion">Files of one version.</param>
/// <param name="Changed">Files that change from one version to the next.</param>
/// <param name="BlocksPerFile">Blocks of one file.</param>
internal sealed record VersionedBackup(int Versions, int FilesPerVersion, int Changed, int BlocksPerFile)
{
    public const int BlockBytes = 1024;
    public const int HashBytes = 32;

    /// <summary>When all files were changed, in ticks.</summary>
    public const long Modified = 637_000_000_000_000_000;

    /// <summary>Calls that list a folder.</summary>
    public const int FolderCalls = VersionsListed * FoldersListed;

    private const int FoldersListed = 50;
    private const int VersionsListed = 10;
    private const int FilesListed = 20;
    private const int FewestFolders = 50;
    private const int FilesPerFolder = 100;
    private const int BlocksPerVolume = 1000;
    private const int Metadata = 20;
    private const int LeastApart = 1_000_000;
    private const long FirstTime = 1_600_000_000;
    private const long Day = 86_400;

    /// <summary>Folders that the files are in.</summary>
    public int Folders => Math.Max(FewestFolders, FilesPerVersion / FilesPerFolder);

    /// <summary>Files with each of their contents.</summary>
    public int Files => FilesPerVersion + ((Versions - 1) * Changed);

    /// <summary>Blocks in use: data of files, then blocklists, then metadata.</summary>
    public int Live => Blocks + Lists + Metadata;

    /// <summary>Deleted blocks.</summary>
    public int Deleted => Blocks / 20;

    /// <summary>Entries of one version, its folders among them.</summary>
    public long EntriesPerVersion => FilesPerVersion + Folders;

    /// <summary>Entries of all versions.</summary>
    public long Entries => EntriesPerVersion * Versions;

    /// <summary>Contents of one folder's files, and its entries in a version.</summary>
    public long RowsOfFolder => (Files + FilesPerVersion) / Folders;

    /// <summary>What is asked for: some folders and files, and a pattern that one in a thousand files fits, or one in ten of few.</summary>
    public AskedFor Asked =>
        new()
        {
            Newest = Versions,
            Versions = [.. Enumerable.Range(0, VersionsListed).Select(version => 1 + (version * (Versions - 1L) / (VersionsListed - 1)))],
            Folders = [.. Enumerable.Range(1, FoldersListed).Select(folder => $"/source/{FolderName(folder)}")],
            Names = [.. Enumerable.Range(0, FilesListed).Select(file => NameOf((int)((long)file * FilesPerVersion / FilesListed)))],
            Pattern = $"*/file *{Sevens}",
            BlockSize = BlockBytes,
            VolumeSize = 1 << 20,
            Waste = 1,
        };

    /// <summary>Files of a version that fit the pattern.</summary>
    public long Fitting => Enumerable.Range(0, FilesPerVersion).Count(number => Text(number).EndsWith(Sevens, StringComparison.Ordinal));

    /// <summary>The files of the newest version in the order of a backup, folder by folder.</summary>
    public IReadOnlyList<VersionedFile> Source => field ??= [.. SourceFiles()];

    private int Blocks => Files * BlocksPerFile;

    private int ListsPerFile => BlocksPerFile == 1 ? 0 : (BlocksPerFile + HashBytes - 1) / HashBytes;

    private int Lists => Files * ListsPerFile;

    // What is added to the ids of rows that are of another kind than the first ones of their table.
    private int Apart => Math.Max(LeastApart, Files);

    private string Sevens => new('7', Math.Max(1, Text(FilesPerVersion).Length - 3));

    /// <summary>Time of a version, from 0, in seconds since 1970.</summary>
    public static long Time(int version) => FirstTime + (version * Day);

    /// <summary>The same as a time.</summary>
    public static DateTime UtcTime(int version) => DateTimeOffset.FromUnixTimeSeconds(Time(version)).UtcDateTime;

    // No other file of the version has it.
    private static string NameOf(int number) => $"file {Text(number)}";

    /// <summary>Name of a folder in the folder of all folders.</summary>
    public static string FolderName(int folder) => $"folder {Text(folder)}/";

    /// <summary>The metadata that a folder has.</summary>
    public static long MetadataOfFolder(int folder) => 1 + (folder % Metadata);

    /// <summary>The hash of a block that no version has yet.</summary>
    public string NewHash(int number) => Encoding.ASCII.GetString(BlockKeys.Latest.Text(Live + Deleted + number));

    /// <summary>Makes the database at a path where nothing is, and leaves it closed without a log.</summary>
    public void Make(string path)
    {
        _ = BlockKeys.Get(Live + Deleted + Changed);
        using var connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        using var statements = new StatementCache(connection);
        using var plain = new PlainStatements(connection);
        statements.Execute(VersionedBackupSql.LeaveNoLog);
        plain.Execute(VersionedBackupSql.MakeFast);
        // Tens of millions of rows go in.
        var indexes = new List<string>();
        plain.Read(VersionedBackupSql.EntryIndexes, row => indexes.Add(row.GetString(0)));
        plain.Execute(VersionedBackupSql.DropEntryIndexes);
        statements.Execute(VersionedBackupSql.Begin);
        InsertBlocks(statements);
        foreach (var sql in VersionedBackupSql.Fill)
            statements.Execute(WithNumbers(sql));
        statements.Execute(VersionedBackupSql.Commit);
        foreach (var index in indexes)
            plain.Execute(index);
        statements.Execute(VersionedBackupSql.Analyze);
    }

    // Ids and numbers are equal: data blocks first, then blocklists, then metadata.
    private void InsertBlocks(StatementCache statements)
    {
        (string Sql, int First, int Count)[] parts =
        [
            (VersionedBackupSql.InsertBlock, 0, Live),
            (VersionedBackupSql.InsertDeletedBlock, Live, Deleted),
        ];
        foreach (var (sql, first, count) in parts)
        {
            using var insert = statements.Take(sql);
            for (var i = 0; i < count; i++)
            {
                var volume = 1 + (i * (Live / (long)count) / BlocksPerVolume);
                insert.BindUtf8(1, BlockKeys.Latest.Text(first + i)).Bind(2, (long)BlockBytes).Bind(3, volume).ExecuteNonQuery();
            }
        }
    }

    private string WithNumbers(string sql)
    {
        (string Name, long Value)[] values =
        [
            ("files", Files),
            ("blocks", Blocks),
            ("lists", Lists),
            ("live", Live),
            ("deleted", Deleted),
            ("perFile", BlocksPerFile),
            ("listsPerFile", Math.Max(1, ListsPerFile)),
            ("versions", Versions),
            ("filesPerVersion", FilesPerVersion),
            ("changed", Changed),
            ("folders", Folders),
            ("apart", Apart),
            ("metadata", Metadata),
            ("blockBytes", BlockBytes),
            ("firstTime", FirstTime),
            ("day", Day),
            ("modified", Modified),
        ];
        var text = new StringBuilder(sql);
        foreach (var (name, value) in values)
            text.Replace($"${name}$", value.ToString(CultureInfo.InvariantCulture));
        return text.ToString();
    }

    private IEnumerable<VersionedFile> SourceFiles()
    {
        // The version after the newest one would change those that have been as they are for longest.
        var oldest = (int)((Versions - 1L) * Changed % FilesPerVersion);
        for (var folder = 0; folder < Folders; folder++)
        {
            for (var number = folder; number < FilesPerVersion; number += Folders)
                yield return new VersionedFile(1 + folder, NameOf(number), (number - oldest + FilesPerVersion) % FilesPerVersion);
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}

/// <summary>A file of the source.</summary>
/// <param name="PrefixId">Its folder.</param>
/// <param name="Name">Its name.</param>
/// <param name="Turn">When its turn to change comes, from 0.</param>
internal readonly record struct VersionedFile(long PrefixId, string Name, int Turn);

/// <summary>Fills a database. A name between dollar signs stands for a number, because these are not queries but a generator.</summary>
internal static class VersionedBackupSql
{
    internal const string Begin = "BEGIN";

    internal const string Commit = "COMMIT";

    /// <summary>A database that is made anew when something goes wrong.</summary>
    internal const string MakeFast = """
        PRAGMA journal_mode=OFF;
        PRAGMA synchronous=OFF;
        PRAGMA temp_store=FILE;
        PRAGMA cache_size=-524288
        """;

    /// <summary>A file without a log can be copied as it is.</summary>
    internal const string LeaveNoLog = "PRAGMA journal_mode=DELETE";

    /// <summary>The schema, as it stands in the database.</summary>
    internal const string EntryIndexes =
        """SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'FilesetEntry' AND sql IS NOT NULL""";

    internal const string DropEntryIndexes = """
        DROP INDEX FilesetentryFileIdIndex;
        DROP INDEX nn_FilesetentryFile
        """;

    internal const string InsertBlock = """INSERT INTO Block (Hash, Size, VolumeID) VALUES (?1, ?2, ?3)""";

    internal const string InsertDeletedBlock = """INSERT INTO DeletedBlock (Hash, Size, VolumeID) VALUES (?1, ?2, ?3)""";

    internal const string Analyze = "ANALYZE";

    internal static readonly string[] Fill =
    [
        """INSERT INTO Operation (Description, Timestamp) VALUES ('Backup', $firstTime$)""",
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < ($live$ + 999) / 1000 + 1)
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, Size, Hash, State, VerificationCount,
                DeleteGraceTime, ArchiveTime, LockExpirationTime)
            SELECT I, 1, 'duplicati-b' || I || '.dblock.zip', 'Blocks', 1000000, 'hash', 'Verified', 0, 0, 0, 0 FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $versions$)
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, Size, Hash, State, VerificationCount,
                DeleteGraceTime, ArchiveTime, LockExpirationTime)
            SELECT $apart$ + I, 1, 'duplicati-' || I || '.dlist.zip', 'Files', 10000, 'hash', 'Verified', 0, 0, 0, 0 FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $versions$)
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp)
            SELECT I, 1, $apart$ + I, 1, $firstTime$ + (I - 1) * $day$ FROM N
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $files$)
            INSERT INTO Blockset (ID, Length, FullHash) SELECT I, $perFile$ * $blockBytes$, 'file ' || I FROM N
            """,
        """
            INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
            SELECT 1 + (ID - 1) / $perFile$, (ID - 1) % $perFile$, ID FROM Block WHERE ID <= $blocks$
            """,
        """
            INSERT INTO BlocklistHash (BlocksetID, "Index", Hash)
            SELECT 1 + (ID - $blocks$ - 1) / $listsPerFile$, (ID - $blocks$ - 1) % $listsPerFile$, Hash FROM Block
            WHERE ID > $blocks$ AND ID <= $blocks$ + $lists$
            """,
        """
            INSERT INTO Blockset (ID, Length, FullHash)
            SELECT ID + $apart$, $blockBytes$, 'metadata ' || ID FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID)
            SELECT ID + $apart$, 0, ID FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            INSERT INTO Metadataset (ID, BlocksetID)
            SELECT ID - $blocks$ - $lists$, ID + $apart$ FROM Block WHERE ID > $blocks$ + $lists$
            """,
        """
            WITH RECURSIVE N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N WHERE I < $folders$)
            INSERT INTO PathPrefix (ID, Prefix) SELECT I, '/source/folder ' || I || '/' FROM N
            """,
        """INSERT INTO PathPrefix (ID, Prefix) VALUES ($folders$ + 1, '/source/')""",
        """
            INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID)
            SELECT ID, 1 + (ID - 1) % $filesPerVersion$ % $folders$, 'file ' || ((ID - 1) % $filesPerVersion$), ID,
                1 + ID % $metadata$
            FROM Blockset WHERE ID <= $files$
            """,
        """
            INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID)
            SELECT $apart$ + ID, $folders$ + 1, 'folder ' || ID || '/', -100, 1 + ID % $metadata$ FROM PathPrefix
            WHERE ID <= $folders$
            """,
        """
            INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified)
            SELECT S.ID, F.ID, $modified$ FROM Fileset AS S JOIN FileLookup AS F
            ON F.ID BETWEEN 1 + (S.ID - 1) * $changed$ AND $filesPerVersion$ + (S.ID - 1) * $changed$
            """,
        """
            INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified)
            SELECT S.ID, F.ID, 0 FROM Fileset AS S JOIN FileLookup AS F ON F.ID > $apart$
            """,
    ];
}
