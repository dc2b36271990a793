// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>The file name of a remote volume, taken apart: <c>prefix-b{guid}.dblock.zip.aes</c> and its like.</summary>
public sealed partial record VolumeName
{
    /// <summary>The prefix of backups that set none.</summary>
    public const string DEFAULT_PREFIX = "duplicati";

    /// <summary>The compression of volumes that are zip containers.</summary>
    public const string ZIP = "zip";

    /// <summary>The compression of volumes that are tar containers packed by Zstandard.</summary>
    public const string TZSTD = "tzstd";

    /// <summary>The compression of volumes that are tar containers packed by gzip.</summary>
    public const string TGZ = "tgz";

    /// <summary>The encryption of every encrypted volume written here.</summary>
    public const string AES = "aes";

    /// <summary>The compressions that are read and written here.</summary>
    internal static IReadOnlyList<string> Modules { get; } = [ZIP, TZSTD, TGZ];

    private static readonly string[] s_parityExtensions = [".par2"];
    private static readonly string[] s_compressions = [.. Modules, "7z"];
    private static readonly string[] s_encryptions = [AES, "gpg"];

    private VolumeName(string fileName, string prefix, RemoteVolumeType type, string compression, string? encryption)
    {
        FileName = fileName;
        Prefix = prefix;
        Type = type;
        Compression = compression;
        Encryption = encryption;
    }

    /// <summary>The whole name, as found or as to be written.</summary>
    public string FileName { get; }

    /// <summary>The part before the first dash.</summary>
    public string Prefix { get; }

    /// <summary>What the volume holds, by the word in its name.</summary>
    public RemoteVolumeType Type { get; }

    /// <summary>The time of a file list, UTC, whole seconds; the default for other volumes.</summary>
    public DateTime Time { get; private init; }

    /// <summary>The extension of the container, for example <c>zip</c>.</summary>
    public string Compression { get; }

    /// <summary>The extension of the encryption, null if there is none.</summary>
    public string? Encryption { get; }

    /// <summary>Whether the file holds recovery data of the volume that the rest of the name stands for, and is no volume itself.</summary>
    public bool IsParityCompanion { get; private init; }

    /// <summary>
    /// Whether something follows the name of a volume that no backup writes: a part of an upload (<c>.partial</c>, <c>.filepart</c>), or
    /// what an editor or a
    /// file manager has left (<c>.tmp</c>, <c>~</c>).
    /// </summary>
    public bool IsLeftover =>
        !s_compressions.Contains(Compression, StringComparer.OrdinalIgnoreCase)
        || (Encryption is not null && !s_encryptions.Contains(Encryption, StringComparer.OrdinalIgnoreCase));

    /// <summary>The name of a new block or index volume, with a random guid.</summary>
    /// <param name="type">Blocks or Index.</param>
    /// <param name="prefix">The prefix of the backup.</param>
    /// <param name="encryption">The extension of the encryption, null for none.</param>
    /// <param name="compression">The extension of the container.</param>
    /// <exception cref="ArgumentException">A part would make the name unreadable.</exception>
    public static VolumeName New(RemoteVolumeType type, string prefix = DEFAULT_PREFIX, string? encryption = null, string compression = ZIP)
    {
        var (marker, word) = type switch
        {
            RemoteVolumeType.Blocks => ('b', "dblock"),
            RemoteVolumeType.Index => ('i', "dindex"),
            _ => throw new ArgumentException("A file list is named by its time.", nameof(type)),
        };
        var guid = Guid.NewGuid().ToString("N");
        return ParseOwn($"{prefix}-{marker}{guid}.{word}.{compression}{Suffix(encryption)}");
    }

    /// <summary>The name of a file list.</summary>
    /// <param name="time">Its time; fractions of a second are cut off.</param>
    /// <param name="prefix">The prefix of the backup.</param>
    /// <param name="encryption">The extension of the encryption, null for none.</param>
    /// <param name="compression">The extension of the container.</param>
    /// <exception cref="ArgumentException">A part would make the name unreadable.</exception>
    public static VolumeName ForFilelist(
        DateTime time,
        string prefix = DEFAULT_PREFIX,
        string? encryption = null,
        string compression = ZIP
    ) => ParseOwn($"{prefix}-{VolumeTime.Format(time)}.dlist.{compression}{Suffix(encryption)}");

    /// <summary>Takes a file name apart.</summary>
    /// <param name="fileName">The name, without a folder.</param>
    /// <returns>Null if it is not the name of a volume.</returns>
    public static VolumeName? Parse(string? fileName)
    {
        // A separator would let a name found inside a damaged index lead out of the folder.
        if (string.IsNullOrEmpty(fileName) || fileName.AsSpan().IndexOfAny('/', '\\', '\0') >= 0)
            return null;
        var parity = Array.Find(s_parityExtensions, extension => fileName.EndsWith(extension, StringComparison.Ordinal));
        var match = Pattern().Match(parity is null ? fileName : fileName[..^parity.Length]);
        if (!match.Success)
            return null;
        var type = match.Groups["word"].ValueSpan switch
        {
            "dblock" => RemoteVolumeType.Blocks,
            "dindex" => RemoteVolumeType.Index,
            _ => RemoteVolumeType.Files,
        };
        var hasTime = VolumeTime.TryParse(match.Groups["time"].ValueSpan, out var time);
        if (hasTime != (type == RemoteVolumeType.Files))
            return null;
        return new VolumeName(
            fileName,
            match.Groups["prefix"].Value,
            type,
            match.Groups["compression"].Value,
            TextOf(match.Groups["encryption"])
        )
        {
            Time = time,
            IsParityCompanion = parity is not null,
        };
    }

    /// <summary>As above, of a volume of one backup alone: null also for recovery data, and for another prefix.</summary>
    internal static VolumeName? OfBackup(string fileName, string prefix) =>
        Parse(fileName) is { IsParityCompanion: false } name && name.Prefix == prefix ? name : null;

    /// <summary>The prefixes that names of volumes have, each once.</summary>
    internal static List<string> Prefixes(IEnumerable<string> fileNames) =>
        [.. fileNames.Select(x => Parse(x)?.Prefix).OfType<string>().Distinct().Order(StringComparer.Ordinal)];

    /// <inheritdoc/>
    public override string ToString() => FileName;

    private static VolumeName ParseOwn(string fileName) =>
        Parse(fileName) is { IsParityCompanion: false } name
            ? name
            : throw new ArgumentException(
                $"'{fileName}' is not a readable volume name: prefix, compression and encryption must be plain words.",
                nameof(fileName)
            );

    private static string Suffix(string? encryption) => string.IsNullOrEmpty(encryption) ? "" : "." + encryption;

    private static string? TextOf(Group group) => group.Success ? group.Value : null;

    [GeneratedRegex(
        @"\A(?<prefix>[^-]+)-(?:[bBiI][0-9a-fA-F]{32}|(?<time>[0-9]{8}T[0-9]{6}Z)).(?<word>dblock|dindex|dlist)\.(?<compression>[^.]+)(?:\.(?<encryption>.+))?\z",
        RegexOptions.CultureInvariant | RegexOptions.Singleline
    )]
    private static partial Regex Pattern();
}
