// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Configuration;

/// <summary>
/// Reads a backup's settings from its database, checks them against the given ones, and stores them. The keys are upstream's
/// (contract A, 4.4); keys of others are kept.
/// </summary>
internal static class SettingsStore
{
    private const string NoEncryption = "no-encryption";

    /// <summary>Bytes in the smallest block that any format allows.</summary>
    internal const long SmallestBlock = VolumeFormat.MIN_BLOCKSIZE;

    /// <summary>Bytes in the largest block.</summary>
    internal const long LargestBlock = int.MaxValue / 2;

    /// <summary>
    /// The settings that hold for the database: stored ones win; a given one that differs is an error where it cannot change.
    /// </summary>
    /// <exception cref="UserInformationException">Names the database, what is stored and what was given. Help ids
    /// <c>BlocksizeChangeUnsupported</c>,
    /// <c>HashChangeUnsupported</c>, <c>PrefixChangeUnsupported</c>, <c>PassphraseChangeUnsupported</c>, <c>MissingPassphrase</c>,
    /// <c>InvalidBlocksize</c>,
    /// <c>InvalidVolumeSize</c>, <c>InvalidHashAlgorithm</c>, <c>InvalidCompression</c>, <c>UnsupportedVolume</c>,
    /// <c>DatabaseFormatError</c>.</exception>
    internal static async Task<BackupSettings> ResolveAsync(LocalDatabase database, EngineOptions options, CancellationToken token)
    {
        var stored = new Dictionary<string, string>(await database.GetDbOptionsAsync(token).ConfigureAwait(false), StringComparer.Ordinal);
        RequireSameEncryption(stored, options);

        var path = options.DatabasePath;
        CheckModule(path, stored, "compression-module", VolumeName.Modules);
        CheckModule(path, stored, "encryption-module", [VolumeName.AES]);
        var blockSize = Same(
            path,
            stored.GetValueOrDefault("blocksize"),
            options.BlockSize?.ToString(CultureInfo.InvariantCulture),
            "BlocksizeChangeUnsupported",
            "block size"
        );
        var blockHash = Same(path, stored.GetValueOrDefault("blockhash"), options.BlockHash, "HashChangeUnsupported", "block hash");
        var fileHash = Same(path, stored.GetValueOrDefault("filehash"), options.FileHash, "HashChangeUnsupported", "file hash");
        var known = stored.GetValueOrDefault("prefix") ?? await PrefixOfVolumesAsync(database, token).ConfigureAwait(false);
        var prefix =
            Same(path, known, options.Prefix, "PrefixChangeUnsupported", "prefix", StringComparison.Ordinal) ?? options.PrefixOrDefault;
        var volumeSize = VolumeSize(stored);
        var defaults = new VolumeFormat { Compression = Compression(stored, options), Aes = options.Aes };
        var format = defaults with
        {
            Blocksize = blockSize is null ? defaults.Blocksize : ParseSize(path, blockSize, "blocksize"),
            VolumeSize = options.VolumeSize ?? volumeSize ?? defaults.VolumeSize,
            BlockHash = Algorithm(path, blockHash),
            FileHash = Algorithm(path, fileHash),
        };
        // A recreated database has a block size and no volume size, until somebody chooses one; a new backup takes the default for good.
        var isChosen = (options.VolumeSize ?? volumeSize) is not null || !stored.ContainsKey("blocksize");
        var settings = new BackupSettings(format, prefix, options.IsEncrypted ? options.Passphrase : null, isChosen);
        Check(path, settings);
        return settings;
    }

    /// <summary>
    /// The stored size of volumes; null if there is none. What is no such size keeps nobody from reading; who writes has found it before.
    /// </summary>
    internal static long? VolumeSize(IDictionary<string, string> stored) =>
        stored.TryGetValue("dblock-size", out var text)
        && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var size)
        && size >= VolumeFormat.MIN_VOLUME_SIZE
            ? size
            : null;

    /// <summary>Whether stored settings say that volumes are encrypted.</summary>
    internal static bool IsEncrypted(IDictionary<string, string> stored) =>
        stored.TryGetValue("passphrase", out var passphrase) ? passphrase != NoEncryption : stored.ContainsKey("encryption-module");

    /// <summary>Stores the settings, leaving other keys as they are. Does not commit.</summary>
    internal static async Task StoreAsync(LocalDatabase database, BackupSettings settings, bool encrypted, CancellationToken token)
    {
        var stored = await database.GetDbOptionsAsync(token).ConfigureAwait(false);
        var wanted = new Dictionary<string, string>(stored, StringComparer.Ordinal)
        {
            ["prefix"] = settings.Prefix,
            ["blocksize"] = settings.BlockSize.ToString(CultureInfo.InvariantCulture),
            ["blockhash"] = settings.Format.BlockHash.Name,
            ["filehash"] = settings.Format.FileHash.Name,
            ["compression-module"] = settings.Format.Compression.Module,
        };
        if (settings.IsVolumeSizeChosen)
            wanted["dblock-size"] = settings.Format.VolumeSize.ToString(CultureInfo.InvariantCulture);
        // Upstream's hash of the passphrase is its own affair: it is kept where there is one and never made here.
        if (encrypted)
            wanted["encryption-module"] = "aes";
        else
            wanted["passphrase"] = NoEncryption;
        if (wanted.Count != stored.Count || wanted.Any(x => !stored.TryGetValue(x.Key, out var value) || value != x.Value))
            await database.SetDbOptionsAsync(wanted, token).ConfigureAwait(false);
    }

    /// <summary>Fails if no backup can begin with the sizes given.</summary>
    /// <exception cref="UserInformationException">Help ids <c>InvalidBlocksize</c>, <c>InvalidVolumeSize</c>.</exception>
    internal static void RequireSizes(EngineOptions options)
    {
        var defaults = new VolumeFormat();
        var format = defaults with
        {
            Blocksize = options.BlockSize ?? defaults.Blocksize,
            VolumeSize = options.VolumeSize ?? defaults.VolumeSize,
        };
        Check(options.DatabasePath, new BackupSettings(format, options.PrefixOrDefault, null, true));
    }

    // What no file format allows.
    private static void Check(string path, BackupSettings settings)
    {
        if (settings.Format.Blocksize is < SmallestBlock or > LargestBlock)
            throw new UserInformationException(
                $"A block size of {settings.Format.Blocksize} bytes is not possible for the backup of {path}; it must be between 1kb and 1gb.",
                "InvalidBlocksize"
            );
        if (settings.Format.VolumeSize < VolumeFormat.MIN_VOLUME_SIZE || settings.Format.VolumeSize <= settings.Format.Blocksize)
            throw new UserInformationException(
                $"A volume size of {SizeText.Of(settings.Format.VolumeSize)} is too small for the backup of {path}; it must be 10 KB at least, and more than the block size of {SizeText.Of(settings.Format.Blocksize)}.",
                "InvalidVolumeSize"
            );
    }

    private static void RequireSameEncryption(IDictionary<string, string> stored, EngineOptions options)
    {
        if (!stored.ContainsKey("blocksize") || options.IsEncrypted == IsEncrypted(stored))
            return;

        throw options.IsEncrypted
            ? new UserInformationException(
                $"The backup of {options.DatabasePath} is not encrypted, and encryption cannot be turned on for an existing backup, but a passphrase was given. {Advice.NoEncryption()} {Advice.NewBackup()}",
                "PassphraseChangeUnsupported"
            )
            : new UserInformationException(
                $"The backup of {options.DatabasePath} is encrypted, and no passphrase was given. {Advice.GivePassphrase()} {Advice.NewBackup()}",
                "MissingPassphrase"
            );
    }

    // Older releases store no prefix.
    private static async Task<string?> PrefixOfVolumesAsync(LocalDatabase database, CancellationToken token) =>
        await database
            .GetRemoteVolumesAsync(token)
            .Select(x => VolumeName.Parse(x.Name)?.Prefix)
            .FirstOrDefaultAsync(x => x is not null, token)
            .ConfigureAwait(false);

    // Another module's volumes cannot be read, and must not get others beside them.
    private static void CheckModule(string path, IDictionary<string, string> stored, string key, IReadOnlyList<string> known)
    {
        if (stored.TryGetValue(key, out var value) && !known.Contains(value, StringComparer.OrdinalIgnoreCase))
            throw new UserInformationException(
                $"The database {path} holds \"{value}\" for {key}; only {string.Join(", ", known)} can be read.",
                "UnsupportedVolume"
            );
    }

    // Old volumes keep theirs: a module that is given counts for new ones.
    private static VolumeCompression Compression(Dictionary<string, string> stored, EngineOptions options)
    {
        var module = options.CompressionModule ?? stored.GetValueOrDefault("compression-module") ?? VolumeName.ZIP;
        return (options.Compression with { Module = VolumeCompression.FindModule(module) ?? module }).Check();
    }

    private static string? Same(
        string path,
        string? stored,
        string? given,
        string helpId,
        string name,
        StringComparison comparison = StringComparison.OrdinalIgnoreCase
    ) =>
        stored is null || given is null || string.Equals(stored, given, comparison)
            ? stored ?? given
            : throw new UserInformationException(
                $"The {name} of the backup of {path} cannot change: it is {stored}, {given} was given; leave it out. {Advice.NewBackup()}",
                helpId
            );

    private static VolumeHash Algorithm(string path, string? name) =>
        name is null
            ? VolumeHash.Sha256
            : VolumeHash.Find(name)
                ?? throw new UserInformationException(
                    $"The hash function {name} of the backup of {path} is not known; it must be one of {string.Join(", ", VolumeHash.Known)}.",
                    "InvalidHashAlgorithm"
                );

    private static long ParseSize(string path, string text, string key) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var size)
            ? size
            : throw new UserInformationException(
                $"The database {path} holds \"{text}\" for {key}, which is not a number of bytes.",
                "DatabaseFormatError"
            );
}

/// <summary>The settings of one backup as they hold for it: given, stored in its database, or found in its volumes.</summary>
/// <param name="Format">Sizes and hash functions.</param>
/// <param name="Prefix">First part of volume names.</param>
/// <param name="Passphrase">The passphrase of encrypted volumes, or null.</param>
/// <param name="IsVolumeSizeChosen">Whether somebody chose the size of volumes. Only then is it stored: Duplicati refuses a backup with
/// another size than the stored one.</param>
internal sealed record BackupSettings(VolumeFormat Format, string Prefix, string? Passphrase, bool IsVolumeSizeChosen)
{
    /// <summary>The extension part of encrypted volume names, or null.</summary>
    internal string? Encryption => Passphrase is null ? null : "aes";

    /// <summary>The extension part of volume names that tells how they are packed.</summary>
    internal string Module => Format.Compression.Module;

    /// <summary>Bytes in a block.</summary>
    internal int BlockSize => (int)Format.Blocksize;

    /// <summary>Bytes in a block digest.</summary>
    internal int DigestSize => Format.BlockHash.DigestSize;
}
