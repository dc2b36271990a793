using System.Text;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;

namespace Duplicati.Benchmarks.History;

/// <summary>A backup with a long history: files of one block, some of which get new content from each version to the next, one after the other in turn.</summary>
internal sealed class HistoryShape
{
    private const int FilesPerFolder = 100;
    private const int BlocksPerVolume = 1000;

    private readonly int m_files;

    /// <param name="files">Files of one version.</param>
    /// <param name="versions">Versions; their ids are 1 and up, oldest first.</param>
    /// <param name="changedPercent">How many of the files change from one version to the next.</param>
    public HistoryShape(int files, int versions, double changedPercent)
    {
        m_files = files;
        Backup = new VersionedBackupShape(versions, files, Math.Clamp((int)(files * changedPercent / 100), 1, files), 1, 1, 0, Math.Max(VersionedBackup.Folders, files / FilesPerFolder));
        Source = [.. Files(Backup)];
    }

    /// <summary>What the database is made by.</summary>
    public VersionedBackupShape Backup { get; }

    /// <summary>The files of the newest version in the order of a backup, folder by folder.</summary>
    public IReadOnlyList<HistoryFile> Source { get; }

    /// <summary>Versions of the backup.</summary>
    public int Versions => Backup.Versions;

    /// <summary>Folders with files.</summary>
    public int Folders => Backup.Folders;

    /// <summary>Entries of one version, its folders among them.</summary>
    public long EntriesPerVersion => m_files + Folders;

    /// <summary>Entries of all versions.</summary>
    public long Entries => EntriesPerVersion * Versions;

    /// <summary>Files with each of their contents.</summary>
    public long Contents => Backup.Files;

    /// <summary>Contents of one folder's files, and its entries in a version.</summary>
    public long RowsOfFolder => (Contents + m_files) / Folders;

    /// <summary>Remote volumes.</summary>
    public long Volumes => (Backup.Live / BlocksPerVolume) + Versions + 2;

    /// <summary>A pattern that one in a thousand files fits, or one in ten of few.</summary>
    public string Pattern => $"*/file *{Sevens}";

    /// <summary>Files of a version that fit <see cref="Pattern"/>.</summary>
    public long Fitting => Enumerable.Range(0, m_files).Count(number => number.ToString().EndsWith(Sevens, StringComparison.Ordinal));

    private string Sevens => new('7', Math.Max(1, m_files.ToString().Length - 3));

    /// <summary>Name of a file, which no other file of the version has.</summary>
    public static string NameOf(int number) => $"file {number}";

    /// <summary>The hash of a block that no version has yet.</summary>
    public string NewHash(int number) => Encoding.ASCII.GetString(BlockKeys.Latest.Text(Backup.Live + Backup.Deleted + number));

    private static IEnumerable<HistoryFile> Files(VersionedBackupShape shape)
    {
        // The version after the newest one would change those that have been as they are for longest.
        var oldest = (int)((shape.Versions - 1L) * shape.Changed % shape.FilesPerVersion);
        for (var folder = 0; folder < shape.Folders; folder++)
        {
            for (var number = folder; number < shape.FilesPerVersion; number += shape.Folders)
                yield return new HistoryFile(1 + folder, NameOf(number), (number - oldest + shape.FilesPerVersion) % shape.FilesPerVersion);
        }
    }
}

/// <summary>A file of the source.</summary>
/// <param name="PrefixId">Its folder.</param>
/// <param name="Name">Its name.</param>
/// <param name="Turn">When its turn to change comes, from 0.</param>
internal readonly record struct HistoryFile(long PrefixId, string Name, int Turn);
