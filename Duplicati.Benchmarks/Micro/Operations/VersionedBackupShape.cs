namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>How much there is of what in a database that <see cref="VersionedBackup.Fill"/> makes.</summary>
/// <param name="Versions">Versions, whose ids are 1 and up, oldest first.</param>
/// <param name="FilesPerVersion">Files of one version.</param>
/// <param name="Changed">Files that change in so many versions as <paramref name="ChangedOver"/> says.</param>
/// <param name="ChangedOver">Versions.</param>
/// <param name="BlocksPerFile">Blocks of one file.</param>
/// <param name="ListsPerFile">Blocklists of one file.</param>
/// <param name="Folders">Folders that the files are in.</param>
internal sealed record VersionedBackupShape(int Versions, int FilesPerVersion, int Changed, int ChangedOver, int BlocksPerFile, int ListsPerFile, int Folders)
{
    /// <summary>Different metadata.</summary>
    public const int Metadata = 20;

    private const int LeastApart = 1_000_000;

    /// <summary>Rows of FileLookup but those of folders: files with each of their contents.</summary>
    public int Files => FilesPerVersion + ((Versions - 1) * Changed / ChangedOver);

    /// <summary>Blocks with data of files.</summary>
    public int Blocks => Files * BlocksPerFile;

    /// <summary>Blocks that are blocklists.</summary>
    public int Lists => Files * ListsPerFile;

    /// <summary>Blocks in use: data of files, then blocklists, then metadata.</summary>
    public int Live => Blocks + Lists + Metadata;

    /// <summary>Deleted blocks.</summary>
    public int Deleted => Blocks / 20;

    /// <summary>What is added to the ids of rows that are of another kind than the first ones of their table.</summary>
    public int Apart => Math.Max(LeastApart, Files);
}
