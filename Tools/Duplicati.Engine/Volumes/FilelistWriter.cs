// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Volumes;

namespace Duplicati.Engine.Volumes;

/// <summary>Writes a file list volume (dlist), entry by entry, in memory that does not depend on its length.</summary>
/// <remarks>Not safe for concurrent use. The volume is complete once this is disposed.</remarks>
public sealed class FilelistWriter : FilesetVolumeWriter, IDisposable
{
    private readonly IContainerWriter m_archive;
    private readonly bool m_isFullBackup;
    private JsonTextWriter? m_json;
    private Stream? m_list;
    private bool m_hasEntries;
    private bool m_closed;

    /// <summary>Starts a volume.</summary>
    /// <param name="target">Takes the volume, seekable; closed with this.</param>
    /// <param name="format">What the backup is made with.</param>
    /// <param name="isFullBackup">Whether the backup went through all its sources.</param>
    public FilelistWriter(Stream target, VolumeFormat format, bool isFullBackup)
    {
        m_archive = ContainerWriter.Start(target, format);
        m_isFullBackup = isFullBackup;
    }

    /// <summary>Labels of all versions by their times (UTC), each time once; without any nothing is written.</summary>
    public IReadOnlyList<KeyValuePair<DateTime, string>> Labels { get; init; } = [];

    /// <summary>The time of the version (UTC); null where it is that of the volume's name.</summary>
    public DateTime? FilesetTime { get; init; }

    /// <summary>Ends the list and the volume, and closes the target. Can be called more than once.</summary>
    public void Dispose()
    {
        using (m_archive)
            CloseList();
    }

    /// <inheritdoc/>
    protected override void WriteDirectory(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    ) => WriteOther("\"Folder\""u8, name, metahash, metasize, metablockhash, metablocklisthashes);

    /// <inheritdoc/>
    protected override void WriteSymlink(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    ) => WriteOther("\"Symlink\""u8, name, metahash, metasize, metablockhash, metablocklisthashes);

    /// <inheritdoc/>
    protected override async Task WriteFileAsync(
        string name,
        string filehash,
        long size,
        DateTime lastmodified,
        string metahash,
        long metasize,
        string? metablockhash,
        string? blockhash,
        long blocksize,
        IAsyncEnumerable<string>? blocklisthashes,
        IEnumerable<string>? metablocklisthashes
    )
    {
        var json = StartEntry("\"File\""u8, name);
        json.Raw(",\"hash\":"u8).Text(filehash);
        json.Raw(",\"size\":"u8).Number(size);
        json.Raw(",\"time\":"u8).Time(lastmodified);
        WriteMetadata(json, metahash, metasize, metablockhash, metablocklisthashes);
        if (!await WriteBlocklistsAsync(json, blocklisthashes).ConfigureAwait(false) && !string.IsNullOrEmpty(blockhash))
        {
            json.Raw(",\"blockhash\":"u8).Text(blockhash);
            json.Raw(",\"blocksize\":"u8).Number(blocksize);
        }

        json.Raw("}"u8);
    }

    private void WriteOther(
        ReadOnlySpan<byte> type,
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    )
    {
        var json = StartEntry(type, name);
        WriteMetadata(json, metahash, metasize, metablockhash, metablocklisthashes);
        json.Raw("}"u8);
    }

    private JsonTextWriter StartEntry(ReadOnlySpan<byte> type, string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var json = List();
        json.Raw(m_hasEntries ? ",{\"type\":"u8 : "{\"type\":"u8).Raw(type);
        m_hasEntries = true;
        json.Raw(",\"path\":"u8).Text(name);
        return json;
    }

    private static void WriteMetadata(JsonTextWriter json, string hash, long size, string? blockHash, IEnumerable<string>? blocklists)
    {
        json.Raw(",\"metahash\":"u8).Text(hash);
        json.Raw(",\"metasize\":"u8).Number(size);
        if (!WriteMetaBlocklists(json, blocklists) && !string.IsNullOrEmpty(blockHash))
            json.Raw(",\"metablockhash\":"u8).Text(blockHash);
    }

    private static bool WriteMetaBlocklists(JsonTextWriter json, IEnumerable<string>? blocklists)
    {
        var any = false;
        foreach (var hash in blocklists ?? [])
        {
            if (!any && string.IsNullOrEmpty(hash))
                return false;
            json.Raw(any ? ","u8 : ",\"metablocklists\":["u8).Text(hash);
            any = true;
        }

        if (any)
            json.Raw("]"u8);
        return any;
    }

    private static async Task<bool> WriteBlocklistsAsync(JsonTextWriter json, IAsyncEnumerable<string>? blocklists)
    {
        if (blocklists is null)
            return false;
        var any = false;
        await foreach (var hash in blocklists.ConfigureAwait(false))
        {
            // The first one tells whether there are any: no hash stands for none.
            if (!any && string.IsNullOrEmpty(hash))
                return false;
            json.Raw(any ? ","u8 : ",\"blocklists\":["u8).Text(hash);
            any = true;
        }

        if (any)
            json.Raw("]"u8);
        return any;
    }

    private JsonTextWriter List()
    {
        ObjectDisposedException.ThrowIf(m_closed, this);
        if (m_json is not null)
            return m_json;
        using (var fileset = m_archive.CreateEntry(FilelistReader.FILESET))
        using (var json = new JsonTextWriter(fileset, byteOrderMark: true))
        {
            json.Raw(m_isFullBackup ? "{\"IsFullBackup\":true"u8 : "{\"IsFullBackup\":false"u8);
            if (FilesetTime is { } time)
                json.Raw(",\"Timestamp\":"u8).Time(time);
            json.Raw("}"u8);
        }

        WriteLabels();
        m_list = m_archive.CreateEntry(FilelistReader.FILELIST);
        m_json = new JsonTextWriter(m_list, byteOrderMark: true);
        return m_json.Raw("["u8);
    }

    private void WriteLabels()
    {
        if (Labels.Count == 0)
            return;
        using var entry = m_archive.CreateEntry(FilelistReader.LABELS);
        using var json = new JsonTextWriter(entry, byteOrderMark: true);
        for (var i = 0; i < Labels.Count; i++)
            json.Raw(i == 0 ? "{"u8 : ","u8).Time(Labels[i].Key).Raw(":"u8).Text(Labels[i].Value);
        json.Raw("}"u8);
    }

    private void CloseList()
    {
        if (m_closed)
            return;
        var json = List();
        m_closed = true;
        using (m_list)
        using (json)
            json.Raw("]"u8);
    }
}
