namespace Duplicati.Engine.Backup;

/// <summary>What a source entry is.</summary>
public enum SourceKind
{
    /// <summary>A regular file.</summary>
    File,

    /// <summary>A folder.</summary>
    Folder,

    /// <summary>A symbolic link, to anything.</summary>
    Symlink,
}
