// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>Reads the properties of one entry of a file list in their fixed order.</summary>
internal sealed class FilelistEntryParser
{
    // Metadata fits one full blocklist, so real entries have one hash here.
    private const int MAX_META_BLOCKLISTS = 4096;

    private readonly JsonTokenStream m_json;
    private bool m_inBlocklists;
    private bool m_blocklistsTaken;
    private long m_entry;

    /// <summary>Makes a parser for all entries of a list.</summary>
    /// <param name="json">The list.</param>
    public FilelistEntryParser(JsonTokenStream json) => m_json = json;

    /// <summary>Reads an entry up to its end, or to the start of its blocklists. The reader stands on the start of the object.</summary>
    /// <returns>The entry; null if its type is unknown, then it is read over.</returns>
    public FilelistEntry? Parse()
    {
        m_inBlocklists = false;
        m_entry++;
        m_json.Property("type"u8);
        var type = TypeOf();
        if (type == FilelistEntryType.Unknown)
        {
            m_json.SkipOpen(1);
            return null;
        }

        m_json.Property("path"u8);
        var path = m_json.NextString();
        return type is FilelistEntryType.File or FilelistEntryType.AlternateStream ? File(type, path) : Other(type, path);
    }

    /// <summary>Reads over what is left of the entry handed out last.</summary>
    public void Finish()
    {
        if (!m_inBlocklists)
            return;
        m_blocklistsTaken = true;
        while (MoveToBlocklist()) { }
    }

    private FilelistEntry Other(FilelistEntryType type, string path)
    {
        m_json.Next();
        var meta = Metadata();
        End();
        return new FilelistEntry
        {
            Type = type,
            Path = path,
            MetaHash = meta.Hash,
            MetaSize = meta.Size,
            MetaBlockHash = meta.BlockHash,
            MetaBlocklistHashes = meta.Blocklists,
        };
    }

    private FilelistEntry File(FilelistEntryType type, string path)
    {
        m_json.Property("hash"u8);
        var hash = m_json.NextString();
        m_json.Property("size"u8);
        var size = Size();
        m_json.Property("time"u8);
        var time = Time();
        m_json.Next();
        var meta = Metadata();
        var (blockHash, blockSize) = Blocks();
        return new FilelistEntry
        {
            Type = type,
            Path = path,
            Hash = hash,
            Size = size,
            Time = time,
            MetaHash = meta.Hash,
            MetaSize = meta.Size,
            MetaBlockHash = meta.BlockHash,
            MetaBlocklistHashes = meta.Blocklists,
            BlockHash = blockHash,
            BlockSize = blockSize,
            BlocklistHashes = m_inBlocklists ? TakeBlocklists(m_entry) : null,
        };
    }

    // Metadata and blocks are optional: these start on the token after the last property and leave the reader on the first
    // token that is not theirs.
    private (string? Hash, long Size, string? BlockHash, List<string>? Blocklists) Metadata()
    {
        if (!AtProperty("metahash"u8))
            return (null, -1, null, null);
        var hash = m_json.NextString();
        m_json.Property("metasize"u8);
        var size = Size();
        m_json.Next();
        if (AtProperty("metablocklists"u8))
        {
            var blocklists = MetaBlocklists();
            m_json.Next();
            return (hash, size, null, blocklists);
        }

        if (!AtProperty("metablockhash"u8))
            return (hash, size, null, null);
        var blockHash = m_json.NextString();
        m_json.Next();
        return (hash, size, blockHash, null);
    }

    private (string? Hash, long Size) Blocks()
    {
        if (AtProperty("blocklists"u8))
        {
            m_json.Expect(JsonTokenType.StartArray);
            m_inBlocklists = true;
            m_blocklistsTaken = false;
            return (null, -1);
        }

        if (!AtProperty("blockhash"u8))
        {
            End();
            return (null, -1);
        }

        var hash = m_json.NextString();
        m_json.Property("blocksize"u8);
        var size = Size();
        m_json.Next();
        End();
        return (hash, size);
    }

    private List<string> MetaBlocklists()
    {
        var hashes = new List<string>(1);
        m_json.Expect(JsonTokenType.StartArray);
        while (m_json.Next() == JsonTokenType.String)
        {
            if (hashes.Count == MAX_META_BLOCKLISTS)
                throw m_json.Error($"metadata has more blocklists than {MAX_META_BLOCKLISTS}");
            hashes.Add(m_json.GetString());
        }

        if (m_json.TokenType != JsonTokenType.EndArray)
            throw m_json.Error("a blocklist hash is not a text");
        return hashes;
    }

    private IEnumerable<string> TakeBlocklists(long entry)
    {
        if (m_blocklistsTaken || entry != m_entry)
            throw new InvalidOperationException("The blocklists of an entry can be read once, before the next entry.");
        m_blocklistsTaken = true;
        while (entry == m_entry && m_inBlocklists && MoveToBlocklist())
            yield return m_json.GetString();
    }

    private bool MoveToBlocklist()
    {
        if (m_json.Next() == JsonTokenType.String)
            return true;
        if (m_json.TokenType != JsonTokenType.EndArray)
            throw m_json.Error("a blocklist hash is not a text");
        m_inBlocklists = false;
        m_json.Next();
        End();
        return false;
    }

    private FilelistEntryType TypeOf()
    {
        m_json.Expect(JsonTokenType.String);
        return m_json switch
        {
            _ when m_json.ValueIs("File"u8) => FilelistEntryType.File,
            _ when m_json.ValueIs("Folder"u8) => FilelistEntryType.Folder,
            _ when m_json.ValueIs("Symlink"u8) => FilelistEntryType.Symlink,
            _ when m_json.ValueIs("AlternateStream"u8) => FilelistEntryType.AlternateStream,
            _ => FilelistEntryType.Unknown,
        };
    }

    private long Size()
    {
        var size = m_json.NextInt64();
        return size >= 0 ? size : throw m_json.Error($"the size {size} is negative");
    }

    private DateTime Time()
    {
        m_json.Expect(JsonTokenType.String);
        return VolumeTime.TryParse(m_json.RawValue, out var time) ? time : throw m_json.Error("a time is not yyyyMMddTHHmmssZ");
    }

    private bool AtProperty(ReadOnlySpan<byte> name) => m_json.TokenType == JsonTokenType.PropertyName && m_json.ValueIs(name);

    private void End()
    {
        if (m_json.TokenType != JsonTokenType.EndObject)
            throw m_json.Error("an unknown property, or one out of order");
    }
}

/// <summary>One file, folder or symbolic link of a file list. Hashes are Base64, sizes bytes.</summary>
public sealed class FilelistEntry
{
    /// <summary>What the entry is.</summary>
    public required FilelistEntryType Type { get; init; }

    /// <summary>The full path at the source; folders end with its separator. Data to be checked before any use as a path.</summary>
    public required string Path { get; init; }

    /// <summary>The file hash of the content; null for folders and links.</summary>
    public string? Hash { get; init; }

    /// <summary>The length of the content; -1 for folders and links.</summary>
    public long Size { get; init; } = -1;

    /// <summary>The last change, UTC, whole seconds; the default for folders and links.</summary>
    public DateTime Time { get; init; }

    /// <summary>The file hash of the metadata, null if there is none.</summary>
    public string? MetaHash { get; init; }

    /// <summary>The length of the metadata, -1 if there is none.</summary>
    public long MetaSize { get; init; } = -1;

    /// <summary>The block hash of the metadata, if recorded; else it is the same as <see cref="MetaHash"/>.</summary>
    public string? MetaBlockHash { get; init; }

    /// <summary>The blocklists of metadata that takes several blocks, else null.</summary>
    public IReadOnlyList<string>? MetaBlocklistHashes { get; init; }

    /// <summary>The block hash of content that is one block, if recorded; else it is the same as <see cref="Hash"/>.</summary>
    public string? BlockHash { get; init; }

    /// <summary>The size recorded with <see cref="BlockHash"/>, else -1.</summary>
    public long BlockSize { get; init; } = -1;

    /// <summary>
    /// The blocklists of content that takes several blocks, in order, else null. Read from the volume as they are enumerated:
    /// once, and before the next entry is asked for.
    /// </summary>
    public IEnumerable<string>? BlocklistHashes { get; init; }
}
