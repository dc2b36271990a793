// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.Json;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>The first entry of every volume: what the backup was made with.</summary>
/// <param name="Version">The version of the format, 2 or lower.</param>
/// <param name="Created">When the volume was started, UTC.</param>
/// <param name="Encoding">The encoding of texts, always <c>utf8</c>.</param>
/// <param name="Blocksize">The block size, bytes.</param>
/// <param name="BlockHash">The name of the algorithm that blocks are hashed with.</param>
/// <param name="FileHash">The name of the algorithm that files, metadata and volumes are hashed with.</param>
/// <param name="AppVersion">The release that wrote the volume.</param>
public sealed record VolumeManifest(
    int Version,
    DateTime Created,
    string Encoding,
    long Blocksize,
    string BlockHash,
    string FileHash,
    string AppVersion
)
{
    /// <summary>The name of the entry.</summary>
    public const string ENTRY_NAME = "manifest";

    /// <summary>The version written here, and the latest that can be read.</summary>
    public const int LATEST_VERSION = 2;

    private const string UTF8 = "utf8";

    /// <summary>The longest manifest that is read, bytes; real ones have about 150.</summary>
    internal const int MAX_LENGTH = 64 * 1024;

    private static readonly string s_appVersion =
        typeof(VolumeManifest).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0]
        ?? "0.0.0";

    /// <summary>The manifest of a volume started now.</summary>
    /// <param name="blocksize">The block size, bytes.</param>
    /// <param name="blockHash">The algorithm of blocks.</param>
    /// <param name="fileHash">The algorithm of files.</param>
    public static VolumeManifest Now(long blocksize, VolumeHash blockHash, VolumeHash fileHash)
    {
        ArgumentNullException.ThrowIfNull(blockHash);
        ArgumentNullException.ThrowIfNull(fileHash);
        return new(LATEST_VERSION, DateTime.UtcNow, UTF8, blocksize, blockHash.Name, fileHash.Name, s_appVersion);
    }

    /// <summary>The content of the entry: JSON with a byte order mark.</summary>
    public byte[] ToBytes()
    {
        using var content = new MemoryStream();
        using (var json = new JsonTextWriter(content, byteOrderMark: true))
        {
            json.Raw("{\"Version\":"u8).Number(Version);
            json.Raw(",\"Created\":"u8).Time(Created);
            json.Raw(",\"Encoding\":"u8).Text(Encoding);
            json.Raw(",\"Blocksize\":"u8).Number(Blocksize);
            json.Raw(",\"BlockHash\":"u8).Text(BlockHash);
            json.Raw(",\"FileHash\":"u8).Text(FileHash);
            json.Raw(",\"AppVersion\":"u8).Text(AppVersion);
            json.Raw("}"u8);
        }

        return content.ToArray();
    }

    /// <summary>Reads the content of the entry. Unknown properties are skipped.</summary>
    /// <param name="content">JSON, with or without a byte order mark.</param>
    /// <param name="volume">The name of the volume, for errors.</param>
    /// <exception cref="InvalidManifestException">It is not readable or of a later version.</exception>
    public static VolumeManifest Parse(ReadOnlySpan<byte> content, string volume)
    {
        if (content.StartsWith(JsonTextWriter.ByteOrderMark))
            content = content[JsonTextWriter.ByteOrderMark.Length..];
        try
        {
            var reader = new Utf8JsonReader(content);
            var root = JsonElement.ParseValue(ref reader);
            var version = root.GetProperty(nameof(Version)).GetInt32();
            if (version is < 1 or > LATEST_VERSION)
                throw new InvalidManifestException(
                    volume,
                    $"The manifest has version {version}, versions 1 to {LATEST_VERSION} can be read."
                );
            var created = VolumeTime.TryParse(TextOf(root, nameof(Created)), out var time) ? time : default;
            return new VolumeManifest(
                version,
                created,
                TextOf(root, nameof(Encoding)),
                root.GetProperty(nameof(Blocksize)).GetInt64(),
                TextOf(root, nameof(BlockHash)),
                TextOf(root, nameof(FileHash)),
                TextOf(root, nameof(AppVersion))
            );
        }
        catch (Exception ex) when (ex is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new InvalidManifestException(volume, "The manifest cannot be read.", ex);
        }
    }

    /// <summary>Requires the manifest to fit the options of the backup.</summary>
    /// <param name="volume">The name of the volume, for errors.</param>
    /// <param name="format">What the backup is made with.</param>
    /// <exception cref="InvalidManifestException">A value differs.</exception>
    public void Require(string volume, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(format);
        if (Encoding != UTF8)
            throw new InvalidManifestException(volume, $"The manifest has {nameof(Encoding)} '{Encoding}', expected '{UTF8}'.");
        if (Blocksize != format.Blocksize)
            throw InvalidManifestException.OfOther(volume, $"The manifest has Blocksize {Blocksize}, expected {format.Blocksize}.");
        Same(volume, nameof(BlockHash), BlockHash, format.BlockHash);
        Same(volume, nameof(FileHash), FileHash, format.FileHash);
    }

    private static void Same(string volume, string property, string found, VolumeHash expected)
    {
        if (!string.Equals(found, expected.Name, StringComparison.OrdinalIgnoreCase))
            throw InvalidManifestException.OfOther(volume, $"The manifest has {property} '{found}', expected '{expected.Name}'.");
    }

    private static string TextOf(JsonElement root, string property) =>
        root.TryGetProperty(property, out var value) ? value.GetString() ?? "" : "";
}
