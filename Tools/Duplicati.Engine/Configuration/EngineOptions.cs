// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Configuration;

/// <summary>What every operation of the engine needs to know. Sizes are bytes.</summary>
public sealed record EngineOptions
{
    internal const int DefaultTransfers = 4;
    internal const long DefaultCacheSize = 256 * 1024 * 1024;

    /// <summary>The remote folder: a path, a <c>file://</c> address, or <c>rclone:NAME:PATH</c>.</summary>
    public required string Remote { get; init; }

    /// <summary>
    /// The local database file; of a link to one, what that leads to: SQLite keeps its log there, and one that is made anew belongs there.
    /// </summary>
    public required string DatabasePath
    {
        get;
        init => field = value is { Length: > 0 } && new FileInfo(value).LinkTarget is not null ? RealPath.Of(value) : value;
    }

    /// <summary>The passphrase of encrypted volumes; null for unencrypted ones.</summary>
    public string? Passphrase { get; init; }

    /// <summary>How volumes are encrypted that are written; all are read.</summary>
    public AesCryptOptions Aes { get; init; } = new();

    /// <summary>Block size; null takes the database's or the remote volumes' own, or 1 MiB.</summary>
    public long? BlockSize { get; init; }

    /// <summary>Size at which a block volume is closed; null takes the database's own, or 50 MiB.</summary>
    public long? VolumeSize { get; init; }

    /// <summary>Hash function of blocks; null takes the database's or the remote volumes' own, or SHA256.</summary>
    public string? BlockHash { get; init; }

    /// <summary>Hash function of files and volumes; null takes the database's or the remote volumes' own, or SHA256.</summary>
    public string? FileHash { get; init; }

    /// <summary>First part of volume names, without a dash; null takes the database's own, or <c>duplicati</c>.</summary>
    public string? Prefix { get; init; }

    /// <summary>Version of the schema of a new database; null is 19. A database that is there keeps its own.</summary>
    public int? Schema { get; init; }

    /// <summary>The label of a new version; null or blank for none.</summary>
    public string? VersionName { get; init; }

    /// <summary>What index volumes hold.</summary>
    public IndexPolicy IndexPolicy { get; init; } = IndexPolicy.Full;

    /// <summary>Connection preset by name.</summary>
    public string Preset { get; init; } = "default";

    /// <summary>Number of tasks that read, compress or decompress at the same time.</summary>
    public int Parallelism { get; init; } = Environment.ProcessorCount;

    /// <summary>Whether memory is little: then each volume of 50 MB that is open, some 80 MB with blocks of 1 KB, counts.</summary>
    internal bool IsSmall => ConnectionPreset.Find(Preset) == ConnectionPreset.Small;

    /// <summary>How many volumes are read at the same time.</summary>
    internal int VolumesAtOnce => IsSmall ? 1 : Math.Max(1, Parallelism);

    /// <summary>How new volumes are packed, but for the module.</summary>
    public VolumeCompression Compression { get; init; } = new();

    /// <summary>The module of new volumes: zip, tzstd or tgz; null takes the database's own, or zip.</summary>
    public string? CompressionModule { get; init; }

    /// <summary>Keep metadata texts in the database as well.</summary>
    public bool StoreMetadataContent { get; init; }

    /// <summary>Files that whoever runs the operation writes meanwhile, such as a log; a backup leaves them out.</summary>
    public IReadOnlyList<string> OwnFiles { get; init; } = [];

    /// <summary>Do everything but change the remote folder and the backup's content.</summary>
    public bool DryRun { get; init; }

    /// <summary>Never compact by itself after a deletion.</summary>
    public bool NoAutoCompact { get; init; }

    /// <summary>Percentage of wasted space from which a volume, and the whole, is worth compacting.</summary>
    public long CompactThreshold { get; init; } = 25;

    /// <summary>Volumes up to this size are small; null is a fifth of the volume size.</summary>
    public long? SmallFileSize { get; init; }

    /// <summary>More small volumes than this are merged.</summary>
    public long SmallFileMaxCount { get; init; } = 20;

    /// <summary>Paths, which take all below them, and patterns that a backup leaves out.</summary>
    public IReadOnlyCollection<string> Exclusions { get; init; } = [];

    /// <summary>Makes no version of what an interrupted backup had recorded, but drops it; its blocks are used all the same.</summary>
    public bool DisableSyntheticFilelist { get; init; }

    /// <summary>Reads every file, also one whose size, time and metadata are those of the last version.</summary>
    public bool DisableFiletimeCheck { get; init; }

    /// <summary>Purges files whose metadata is lost instead of giving them other metadata.</summary>
    public bool DisableReplaceMissingMetadata { get; init; }

    /// <summary>Make index volumes anew that a test finds to lack something, or that it cannot read.</summary>
    public bool ReplaceFaultyIndexVolumes { get; init; }

    /// <summary>How much a test may do.</summary>
    public TestBudget TestBudget { get; init; } = new();

    /// <summary>The program rclone: a path, or a name that is looked for as the system does.</summary>
    public string RcloneProgram { get; init; } = "rclone";

    /// <summary>Files that one process of rclone moves at the same time.</summary>
    public int Transfers { get; init; } = DefaultTransfers;

    /// <summary>
    /// Most that is fetched ahead of a remote that is far away, bytes; a file that is waited for is fetched whatever its size.
    /// </summary>
    public long CacheSize { get; init; } = DefaultCacheSize;

    /// <summary>First part of the names of a folder's volumes where no database knows it.</summary>
    internal string PrefixOrDefault => Prefix ?? VolumeName.DEFAULT_PREFIX;

    /// <summary>True if volumes are encrypted.</summary>
    internal bool IsEncrypted => !string.IsNullOrEmpty(Passphrase);

    /// <summary>The same in the form that the data layer's members take.</summary>
    internal Options ToCoreOptions()
    {
        var texts = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
        if (BlockSize is { } blockSize)
            texts["blocksize"] = blockSize.ToString(CultureInfo.InvariantCulture) + "b";
        if (BlockHash is not null)
            texts["block-hash-algorithm"] = BlockHash;
        if (FileHash is not null)
            texts["file-hash-algorithm"] = FileHash;
        if (StoreMetadataContent)
            texts["store-metadata-content-in-database"] = "true";
        return new Options(texts);
    }
}

/// <summary>What index volumes hold (upstream option <c>index-file-policy</c>).</summary>
public enum IndexPolicy
{
    /// <summary>The blocks of each block volume, and the blocklists made while it was filled.</summary>
    Full,

    /// <summary>The blocks only: a recreate has to read the block volumes that hold blocklists.</summary>
    Lookup,

    /// <summary>No index volumes at all: a recreate reads every block volume.</summary>
    None,
}
