// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;

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
        blob.Set(MetadataBlob.LastWriteKey, FileTimes.LastWrite(info));
        blob.Set(MetadataBlob.CreationKey, FileTimes.Creation(info));
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

/// <summary>
/// Names of users and groups by number, from the files every Unix has. Numbers that only a directory service knows have no name here.
/// </summary>
internal sealed class UnixNames
{
    private readonly Dictionary<uint, string> m_users = Read("/etc/passwd");
    private readonly Dictionary<uint, string> m_groups = Read("/etc/group");

    /// <summary>The name of a user, null if there is none.</summary>
    public string? User(uint id) => m_users.GetValueOrDefault(id);

    /// <summary>The name of a group, null if there is none.</summary>
    public string? Group(uint id) => m_groups.GetValueOrDefault(id);

    // Both files: name, password, number, separated by colons.
    private static Dictionary<uint, string> Read(string path)
    {
        var names = new Dictionary<uint, string>();
        if (!File.Exists(path))
            return names;
        foreach (var line in File.ReadLines(path))
        {
            var parts = line.Split(':');
            if (parts.Length > 2 && uint.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                names.TryAdd(id, parts[0]);
        }

        return names;
    }
}

/// <summary>Times of files and folders (UTC), links not followed. File systems with 64-bit times have some that are none here.</summary>
internal static class FileTimes
{
    /// <summary>The time of the last write.</summary>
    /// <exception cref="IOException">It lies before the year 1 or after the year 9999.</exception>
    internal static DateTime LastWrite(FileSystemInfo info) => Read(info, static x => x.LastWriteTimeUtc);

    /// <summary>The time at which it was made.</summary>
    /// <exception cref="IOException">It lies before the year 1 or after the year 9999.</exception>
    internal static DateTime Creation(FileSystemInfo info) => Read(info, static x => x.CreationTimeUtc);

    private static DateTime Read(FileSystemInfo info, Func<FileSystemInfo, DateTime> read)
    {
        try
        {
            return read(info);
        }
        catch (ArgumentOutOfRangeException ex)
        {
            throw new IOException("its time lies before the year 1 or after the year 9999; set another one to have it backed up", ex);
        }
    }
}
