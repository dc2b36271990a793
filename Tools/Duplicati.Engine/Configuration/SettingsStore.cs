using System.Globalization;
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

    /// <summary>The settings that hold for the database: stored ones win; a given one that differs is an error where it cannot change.</summary>
    /// <exception cref="UserInformationException">Help ids <c>BlocksizeChangeUnsupported</c>, <c>HashChangeUnsupported</c>, <c>PrefixChangeUnsupported</c>,
    /// <c>PassphraseChangeUnsupported</c>, <c>InvalidBlocksize</c>, <c>InvalidVolumeSize</c>.</exception>
    internal static async Task<BackupSettings> ResolveAsync(LocalDatabase database, EngineOptions options, CancellationToken token)
    {
        var stored = await database.GetDbOptionsAsync(token).ConfigureAwait(false);
        CheckEncryption(stored, options);

        var blockSize = Fixed(stored, "blocksize", options.BlockSize?.ToString(CultureInfo.InvariantCulture), "BlocksizeChangeUnsupported", "block size");
        var blockHash = Fixed(stored, "blockhash", options.BlockHash, "HashChangeUnsupported", "block hash");
        var fileHash = Fixed(stored, "filehash", options.FileHash, "HashChangeUnsupported", "file hash");
        var defaults = new VolumeFormat { CompressionLevel = options.CompressionLevel };
        var format = defaults with
        {
            Blocksize = blockSize is null ? defaults.Blocksize : ParseSize(blockSize, "blocksize"),
            VolumeSize = options.VolumeSize ?? (stored.TryGetValue("dblock-size", out var size) ? ParseSize(size, "dblock-size") : defaults.VolumeSize),
            BlockHash = Algorithm(blockHash),
            FileHash = Algorithm(fileHash),
        };
        // A recreated database has a block size and no volume size, until somebody chooses one; a new backup takes the default for good.
        var isChosen = options.VolumeSize is not null || stored.ContainsKey("dblock-size") || !stored.ContainsKey("blocksize");
        var settings = new BackupSettings(format, stored.TryGetValue("prefix", out var prefix) ? prefix : options.Prefix, options.IsEncrypted ? options.Passphrase : null, isChosen);
        Check(settings);
        return settings;
    }

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
            ["compression-module"] = "zip",
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

    /// <summary>Checks what no file format allows.</summary>
    /// <exception cref="UserInformationException">A size is out of its range.</exception>
    internal static void Check(BackupSettings settings)
    {
        if (settings.Format.Blocksize is < VolumeFormat.MIN_BLOCKSIZE or > int.MaxValue / 2)
            throw new UserInformationException($"A block size of {settings.Format.Blocksize} bytes is not possible; it must be between 1kb and 1gb.", "InvalidBlocksize");
        if (settings.Format.VolumeSize < VolumeFormat.MIN_VOLUME_SIZE || settings.Format.VolumeSize <= settings.Format.Blocksize)
            throw new UserInformationException($"A volume size of {settings.Format.VolumeSize} bytes is too small; it must be 10kb at least and more than the block size.", "InvalidVolumeSize");
    }

    private static void CheckEncryption(IDictionary<string, string> stored, EngineOptions options)
    {
        if (!stored.ContainsKey("blocksize") || options.IsEncrypted == IsEncrypted(stored))
            return;

        throw options.IsEncrypted
            ? new UserInformationException("The backup is not encrypted, but a passphrase was given; encryption cannot be turned on for an existing backup. Use --no-encryption.", "PassphraseChangeUnsupported")
            : new UserInformationException("The backup is encrypted; give its passphrase with --passphrase-env or --passphrase-file.", "MissingPassphrase");
    }

    private static bool IsEncrypted(IDictionary<string, string> stored) =>
        stored.ContainsKey("encryption-module") || (stored.TryGetValue("passphrase", out var passphrase) && passphrase != NoEncryption);

    private static string? Fixed(IDictionary<string, string> stored, string key, string? given, string helpId, string name)
    {
        if (!stored.TryGetValue(key, out var value))
            return given;
        if (given is not null && !string.Equals(value, given, StringComparison.OrdinalIgnoreCase))
            throw new UserInformationException($"The {name} of an existing backup cannot change: it is {value}, {given} was given.", helpId);
        return value;
    }

    private static VolumeHash Algorithm(string? name) =>
        name is null
            ? VolumeHash.Sha256
            : VolumeHash.Find(name) ?? throw new UserInformationException($"The hash function {name} is not known; use one of {string.Join(", ", VolumeHash.Known)}.", "InvalidHashAlgorithm");

    private static long ParseSize(string text, string key) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var size)
            ? size
            : throw new UserInformationException($"The database holds \"{text}\" for {key}, which is not a number of bytes.", "DatabaseFormatError");
}

/// <summary>The settings of one backup as they hold for it: given, stored in its database, or found in its volumes.</summary>
/// <param name="Format">Sizes and hash functions.</param>
/// <param name="Prefix">First part of volume names.</param>
/// <param name="Passphrase">The passphrase of encrypted volumes, or null.</param>
/// <param name="IsVolumeSizeChosen">Whether somebody chose the size of volumes. Only then is it stored: Duplicati refuses a backup with another size than the stored one.</param>
internal sealed record BackupSettings(VolumeFormat Format, string Prefix, string? Passphrase, bool IsVolumeSizeChosen)
{
    /// <summary>The extension part of encrypted volume names, or null.</summary>
    internal string? Encryption => Passphrase is null ? null : "aes";

    /// <summary>Bytes in a block.</summary>
    internal int BlockSize => (int)Format.Blocksize;

    /// <summary>Bytes in a block digest.</summary>
    internal int DigestSize => Format.BlockHash.DigestSize;
}
