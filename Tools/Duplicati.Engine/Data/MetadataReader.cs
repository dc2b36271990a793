using System.Globalization;

namespace Duplicati.Engine.Data;

/// <summary>Reads the metadata of files, folders and links, with the keys and in the order of Duplicati. Safe for concurrent use.</summary>
public sealed class MetadataReader
{
    private readonly UnixNames m_names = new();

    /// <summary>Reads the metadata of one entry. A link is not followed.</summary>
    /// <param name="path">Its path, with or without a separator at the end.</param>
    /// <returns>The metadata; on Linux with owner, permissions and extended attributes.</returns>
    /// <exception cref="FileNotFoundException">There is nothing of that path.</exception>
    public MetadataBlob Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        path = Path.TrimEndingDirectorySeparator(path);
        var info = new FileInfo(path);
        var attributes = info.Attributes;
        if ((int)attributes == -1)
            throw new FileNotFoundException($"'{path}' does not exist.", path);
        var blob = new MetadataBlob();
        AddUnix(blob, path);
        blob.Set(MetadataBlob.AttributesKey, attributes.ToString());
        blob.Set(MetadataBlob.LastWriteKey, info.LastWriteTimeUtc);
        blob.Set(MetadataBlob.CreationKey, info.CreationTimeUtc);
        blob.Set(MetadataBlob.SymlinkTargetKey, info.LinkTarget);
        return blob;
    }

    private void AddUnix(MetadataBlob blob, string path)
    {
        if (UnixFile.Status(path) is not { } status)
            return;
        foreach (var (name, value) in UnixFile.ExtendedAttributes(path))
            blob.Set(MetadataBlob.ExtendedPrefix + name, Convert.ToBase64String(value));
        blob.Set(MetadataBlob.OwnerAndModeKey, string.Create(CultureInfo.InvariantCulture, $"{status.Owner}-{status.Group}-{status.Mode}"));
        blob.Set(MetadataBlob.OwnerNameKey, m_names.User(status.Owner));
        blob.Set(MetadataBlob.GroupNameKey, m_names.Group(status.Group));
    }
}
