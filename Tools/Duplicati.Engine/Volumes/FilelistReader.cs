// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Engine.Errors;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>Reads a file list volume (dlist) forward, in memory that does not depend on its length.</summary>
/// <remarks>Not safe for concurrent use; different volumes can be read at the same time.</remarks>
public sealed class FilelistReader : IDisposable
{
    /// <summary>The entry that holds the list.</summary>
    internal const string FILELIST = "filelist.json";

    /// <summary>The entry that says whether the backup is whole.</summary>
    internal const string FILESET = "fileset";

    /// <summary>The entry that holds the labels of all versions.</summary>
    internal const string LABELS = "labels.json";

    private const int MAX_FILESET_LENGTH = 64 * 1024;
    private const int MAX_LABELS_LENGTH = 16 * 1024 * 1024;

    // Within the array of all.
    private const int ENTRY_DEPTH = 1;

    private readonly VolumeArchive m_archive;
    private bool m_started;

    private FilelistReader(VolumeArchive archive)
    {
        m_archive = archive;
        (IsFullBackup, FilesetTime) = ReadFileset();
    }

    /// <summary>What the volume was made with.</summary>
    public VolumeManifest Manifest => m_archive.Manifest;

    /// <summary>Whether the backup went through all its sources; true if the volume does not say.</summary>
    public bool IsFullBackup { get; }

    /// <summary>The time of the version (UTC) where it is not that of the volume's name; null if the volume does not say.</summary>
    public DateTime? FilesetTime { get; }

    /// <summary>How many entries of unknown types were skipped so far.</summary>
    public long SkippedEntries { get; private set; }

    /// <summary>Opens a volume.</summary>
    /// <param name="stream">The decrypted volume, seekable; closed with the reader, and when this fails.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <exception cref="VolumeException">The volume is damaged or its manifest is invalid.</exception>
    public static FilelistReader Open(Stream stream, string volume) =>
        VolumeArchive.Open(stream, volume, archive => new FilelistReader(archive));

    /// <summary>
    /// The entries in the order of the volume, read as they are enumerated; once per reader. Entries of unknown types are
    /// skipped and counted. Damage that still is a valid list shows at the end only, by the checksum of the container: what was
    /// made of the entries before an error must be rolled back.
    /// </summary>
    /// <param name="refused">Told what is wrong with each entry that breaks the format, which is then left out; null to make it an
    /// error.</param>
    /// <exception cref="CorruptVolumeException">While enumerating: the list is missing, not JSON, or its properties are not those of the
    /// format in their order.</exception>
    /// <exception cref="InvalidOperationException">The entries were read before.</exception>
    public IEnumerable<FilelistEntry> ReadEntries(Action<string>? refused = null)
    {
        if (m_started)
            throw new InvalidOperationException("The entries of a file list can be read once per reader.");
        m_started = true;
        var entry =
            m_archive.Find(FILELIST) ?? throw new CorruptVolumeException(m_archive.Volume, $"The volume has no entry '{FILELIST}'.");
        return Enumerate(entry, refused);
    }

    /// <summary>
    /// The labels of versions by time (UTC); the last one of a time counts. What is no label is left out, and an entry that cannot be read
    /// has none: versions are restored without their names.
    /// </summary>
    /// <param name="refused">Told what is wrong with the entry.</param>
    public IReadOnlyDictionary<DateTime, string> ReadLabels(Action<string> refused)
    {
        var labels = new Dictionary<DateTime, string>();
        if (m_archive.Find(LABELS) is not { } entry)
            return labels;
        if (entry.Length > MAX_LABELS_LENGTH)
        {
            refused($"The entry '{LABELS}' of {m_archive.Volume} declares {entry.Length} bytes and is left out");
            return labels;
        }

        try
        {
            using var content = m_archive.OpenEntry(entry);
            using var document = JsonDocument.Parse(content);
            if (document.RootElement.ValueKind == JsonValueKind.Null)
                return labels;
            foreach (var property in document.RootElement.EnumerateObject())
            {
                if (
                    VolumeTime.TryParse(property.Name, out var time)
                    && property.Value.ValueKind == JsonValueKind.String
                    && property.Value.GetString() is { } text
                    && !string.IsNullOrWhiteSpace(text)
                )
                    labels[time] = text;
            }
        }
        catch (Exception ex) when (ex is JsonException or InvalidOperationException or VolumeException)
        {
            labels.Clear();
            refused($"The entry '{LABELS}' of {m_archive.Volume} cannot be read and is left out: {ex.Message}");
        }

        return labels;
    }

    /// <inheritdoc/>
    public void Dispose() => m_archive.Dispose();

    private IEnumerable<FilelistEntry> Enumerate(VolumeEntry entry, Action<string>? refused)
    {
        using var json = new JsonTokenStream(m_archive.OpenEntry(entry), m_archive.Volume, FILELIST);
        json.Expect(JsonTokenType.StartArray);
        var parser = new FilelistEntryParser(json);
        while (json.Next() != JsonTokenType.EndArray)
        {
            if (TryParse(parser, json, refused) is not { } found)
                continue;
            yield return found;
            if (refused is null)
                parser.Finish();
            else if (json.CanGoOn)
                json.SkipToEnd(ENTRY_DEPTH);
            else
                throw json.Error("it could not be read to its end");
        }

        json.Read();
    }

    private FilelistEntry? TryParse(FilelistEntryParser parser, JsonTokenStream json, Action<string>? refused)
    {
        if (json.TokenType != JsonTokenType.StartObject)
        {
            if (refused is null)
                throw json.Error($"an entry was expected, {json.TokenType} found");
            if (json.TokenType == JsonTokenType.StartArray)
                json.SkipOpen(1);
            refused("an entry is no object");
            return null;
        }

        try
        {
            if (parser.Parse() is { } found)
                return found;
            SkippedEntries++;
        }
        catch (CorruptVolumeException ex) when (refused is not null && json.CanGoOn)
        {
            json.SkipToEnd(ENTRY_DEPTH);
            refused(ex.Problem);
        }

        return null;
    }

    private (bool IsFull, DateTime? Time) ReadFileset()
    {
        if (m_archive.Find(FILESET) is not { } entry)
            return (true, null);
        if (entry.Length > MAX_FILESET_LENGTH)
            throw new CorruptVolumeException(m_archive.Volume, $"The entry '{FILESET}' declares {entry.Length} bytes.");
        using var json = new JsonTokenStream(m_archive.OpenEntry(entry), m_archive.Volume, FILESET);
        json.Expect(JsonTokenType.StartObject);
        var isFull = true;
        DateTime? time = null;
        while (json.Next() == JsonTokenType.PropertyName)
        {
            if (json.ValueIs("Timestamp"u8))
                time = ReadTime(json);
            else if (!json.ValueIs("IsFullBackup"u8))
                json.SkipValue();
            else if (json.Next() is JsonTokenType.True or JsonTokenType.False)
                isFull = json.TokenType == JsonTokenType.True;
            else
                throw json.Error("IsFullBackup is neither true nor false");
        }

        json.Read();
        return (isFull, time);
    }

    // What is no time says nothing: that of the name counts.
    private static DateTime? ReadTime(JsonTokenStream json)
    {
        if (json.Next() == JsonTokenType.String)
            return VolumeTime.TryParse(json.GetString(), out var time) ? time : null;
        if (json.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray)
            json.SkipOpen(1);
        return null;
    }
}
