// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text.Json;
using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Data;

/// <summary>
/// The metadata of one file, folder or link: texts by key, in the order they were added, which is the order they are written in. As
/// stored: a JSON object in UTF-8 with a byte order mark; the same values in the same order give the same bytes, and so the same block.
/// </summary>
public sealed class MetadataBlob
{
    /// <summary>The key of the attributes, names of <see cref="FileAttributes"/>.</summary>
    public const string AttributesKey = "CoreAttributes";

    /// <summary>The key of the last change, UTC ticks.</summary>
    public const string LastWriteKey = "CoreLastWritetime";

    /// <summary>The key of the creation, UTC ticks.</summary>
    public const string CreationKey = "CoreCreatetime";

    /// <summary>The key of the target of a symbolic link.</summary>
    public const string SymlinkTargetKey = "CoreSymlinkTarget";

    /// <summary>
    /// The key of owner, group and permissions: <c>uid-gid-mode</c>, decimal, the mode without its type and special bits.
    /// </summary>
    public const string OwnerAndModeKey = "unix:uid-gid-perm";

    /// <summary>The key of the owner's name.</summary>
    public const string OwnerNameKey = "unix:owner-name";

    /// <summary>The key of the group's name.</summary>
    public const string GroupNameKey = "unix:group-name";

    /// <summary>What the keys of extended attributes start with; their values are Base64.</summary>
    public const string ExtendedPrefix = "unix-ext:";

    private readonly OrderedDictionary<string, string> m_values = new(StringComparer.Ordinal);

    /// <summary>All values in their order.</summary>
    public IReadOnlyDictionary<string, string> Values => m_values;

    /// <summary>The attributes, null if absent or not readable.</summary>
    public FileAttributes? Attributes => Enum.TryParse<FileAttributes>(Text(AttributesKey), out var value) ? value : null;

    /// <summary>The last change, UTC, null if absent or not readable.</summary>
    public DateTime? LastWrite => Time(LastWriteKey);

    /// <summary>The creation, UTC, null if absent or not readable.</summary>
    public DateTime? Creation => Time(CreationKey);

    /// <summary>The target of a symbolic link, null if absent.</summary>
    public string? SymlinkTarget => Text(SymlinkTargetKey);

    /// <summary>Owner, group and permission bits, null if absent or not readable.</summary>
    public (uint Owner, uint Group, UnixFileMode Mode)? OwnerAndMode
    {
        get
        {
            var parts = Text(OwnerAndModeKey)?.Split('-') ?? [];
            return parts.Length == 3 && Number(parts[0], out var owner) && Number(parts[1], out var group) && Number(parts[2], out var mode)
                ? (owner, group, (UnixFileMode)(mode & UnixFile.PERMISSIONS))
                : null;
        }
    }

    /// <summary>The extended attributes: name and value; those that are not Base64 are left out.</summary>
    public IEnumerable<KeyValuePair<string, byte[]>> ExtendedAttributes
    {
        get
        {
            foreach (var (key, text) in m_values)
            {
                if (!key.StartsWith(ExtendedPrefix, StringComparison.Ordinal))
                    continue;
                var value = new byte[(text.Length / 4 * 3) + 3];
                if (Convert.TryFromBase64String(text, value, out var length))
                    yield return new(key[ExtendedPrefix.Length..], value[..length]);
            }
        }
    }

    /// <summary>Reads a blob.</summary>
    /// <param name="content">JSON, with or without a byte order mark.</param>
    /// <param name="blob">The metadata.</param>
    /// <returns>False if it is no JSON object of texts.</returns>
    public static bool TryParse(ReadOnlySpan<byte> content, out MetadataBlob blob)
    {
        blob = new MetadataBlob();
        if (content.StartsWith(JsonTextWriter.ByteOrderMark))
            content = content[JsonTextWriter.ByteOrderMark.Length..];
        try
        {
            var reader = new Utf8JsonReader(content, new JsonReaderOptions { MaxDepth = 2 });
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return false;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var key = JsonText.GetString(reader);
                if (!reader.Read() || reader.TokenType is not (JsonTokenType.String or JsonTokenType.Null))
                    return false;
                if (reader.TokenType == JsonTokenType.String)
                    blob.m_values[key] = JsonText.GetString(reader);
            }

            return reader.TokenType == JsonTokenType.EndObject && !reader.Read();
        }
        catch (Exception ex) when (ex is JsonException or ArgumentException)
        {
            return false;
        }
    }

    /// <summary>Sets a value; a new key goes to the end.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; null removes the key.</param>
    public void Set(string key, string? value)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (value is null)
            m_values.Remove(key);
        else
            m_values[key] = value;
    }

    /// <summary>Sets a time.</summary>
    /// <param name="key">The key.</param>
    /// <param name="time">The time, UTC.</param>
    public void Set(string key, DateTime time) => Set(key, time.Ticks.ToString(CultureInfo.InvariantCulture));

    /// <summary>The blob as stored.</summary>
    public byte[] ToBytes()
    {
        using var content = new MemoryStream();
        using (var json = new JsonTextWriter(content, byteOrderMark: true))
        {
            json.Raw("{"u8);
            var first = true;
            foreach (var (key, value) in m_values)
            {
                if (!first)
                    json.Raw(","u8);
                first = false;
                json.Text(key).Raw(":"u8).Text(value);
            }

            json.Raw("}"u8);
        }

        return content.ToArray();
    }

    private static bool Number(string text, out uint value) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);

    private string? Text(string key) => m_values.TryGetValue(key, out var value) ? value : null;

    private DateTime? Time(string key) =>
        long.TryParse(Text(key), NumberStyles.None, CultureInfo.InvariantCulture, out var ticks) && ticks <= DateTime.MaxValue.Ticks
            ? new DateTime(ticks, DateTimeKind.Utc)
            : null;
}
