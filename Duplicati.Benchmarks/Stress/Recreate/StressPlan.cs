// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What a step of a history is.</summary>
internal enum StressStepKind
{
    Backup,
    Delete,
    Compact,
    Purge,

    /// <summary>A volume that can be made anew is removed, and a repair makes it anew.</summary>
    Mend,
}

/// <summary>One step of a history.</summary>
/// <param name="Kind">What is done.</param>
/// <param name="Seed">Of all that is chosen in it, so that a step does not depend on how those before went.</param>
/// <param name="KillAfter">It is killed after so many events; 0 for never.</param>
internal sealed record StressStep(StressStepKind Kind, int Seed, int KillAfter);

/// <summary>All that is decided about a cycle, by its seed alone.</summary>
internal sealed record StressPlan
{
    private const int MostBlocksOfAFile = 400;
    private const int MostBlocksOfAVolume = 200;
    private const int SmallestVolume = 10 * 1024;
    private const int MostEvents = 800;

    private static readonly int[] s_blockSizes = [1024, 1024, 1025, 2048, 4096, 10_240, 65_536, 102_400];

    private static readonly StressStepKind[] s_kinds =
    [
        StressStepKind.Backup,
        StressStepKind.Backup,
        StressStepKind.Backup,
        StressStepKind.Backup,
        StressStepKind.Delete,
        StressStepKind.Delete,
        StressStepKind.Compact,
        StressStepKind.Purge,
        StressStepKind.Mend,
    ];

    public required int Seed { get; init; }
    public required int BlockSize { get; init; }
    public required long VolumeSize { get; init; }
    public required VolumeHash BlockHash { get; init; }
    public required VolumeHash FileHash { get; init; }
    public required IndexPolicy IndexPolicy { get; init; }
    public required bool IsEncrypted { get; init; }
    public required string Preset { get; init; }
    public required int Parallelism { get; init; }
    public required VolumeCompression Compression { get; init; }
    public required bool StoresMetadata { get; init; }
    public required bool NoAutoCompact { get; init; }
    public required bool DropsInterrupted { get; init; }
    public required int Files { get; init; }

    /// <summary>The history.</summary>
    public required IReadOnlyList<StressStep> Steps { get; init; }

    /// <summary>After how many events each recreate is killed before the one that may end.</summary>
    public required IReadOnlyList<int> RecreateKills { get; init; }

    /// <summary>Whether the backup goes on with the recreated database.</summary>
    public required bool Continues { get; init; }

    /// <summary>Volumes that are removed or damaged at the end; 0 for none.</summary>
    public required int Damages { get; init; }

    /// <summary>Bytes of a digest of a block.</summary>
    public int DigestSize => BlockHash.DigestSize;

    /// <summary>Bytes of the longest file, about.</summary>
    public int MostBytes => Math.Min(BlockSize * MostBlocksOfAFile, 2_000_000);

    /// <summary>In words.</summary>
    public string Text
    {
        get
        {
            var hashes = BlockHash == FileHash ? BlockHash.Name : $"{BlockHash}/{FileHash}";
            return FormattableString.Invariant(
                $"blocks {BlockSize}, volumes {SizeText.Of(VolumeSize)}, {hashes}, index {IndexPolicy}, {(IsEncrypted ? "AES, " : "")}{Preset}"
            );
        }
    }

    /// <summary>The seed of a cycle of a run.</summary>
    public static int SeedOf(long seed, int cycle) =>
        (int)(new Engine.Data.SplitMix64(unchecked((ulong)seed + ((ulong)cycle << 32))).Next() >> 33);

    /// <summary>Decides.</summary>
    public static StressPlan Draw(int seed)
    {
        var random = new Random(seed);
        var blockSize = s_blockSizes[random.Next(s_blockSizes.Length)];
        var hash = VolumeHash.Known[random.Next(VolumeHash.Known.Count)];
        return new StressPlan
        {
            Seed = seed,
            BlockSize = blockSize,
            VolumeSize = Math.Max(SmallestVolume, (long)blockSize * random.Next(3, MostBlocksOfAVolume)),
            BlockHash = random.Next(2) == 0 ? VolumeHash.Sha256 : hash,
            FileHash = random.Next(2) == 0 ? VolumeHash.Sha256 : VolumeHash.Known[random.Next(VolumeHash.Known.Count)],
            IndexPolicy = random.Next(6) switch
            {
                < 3 => IndexPolicy.Full,
                < 5 => IndexPolicy.Lookup,
                _ => IndexPolicy.None,
            },
            IsEncrypted = random.Next(3) == 0,
            Preset =
                random.Next(2) == 0 ? ConnectionPreset.Default.Name : ConnectionPreset.All[random.Next(ConnectionPreset.All.Count)].Name,
            Parallelism = random.Next(1, 4),
            Compression = new() { ZipLevel = random.Next(2) == 0 ? 1 : 6 },
            StoresMetadata = random.Next(4) == 0,
            NoAutoCompact = random.Next(2) == 0,
            DropsInterrupted = random.Next(4) == 0,
            Files = random.Next(3, 40),
            Steps =
            [
                new StressStep(StressStepKind.Backup, random.Next(), 0),
                .. Enumerable.Range(0, random.Next(2, 9)).Select(_ => Step(random)),
            ],
            RecreateKills = [.. Enumerable.Range(0, random.Next(3) == 0 ? random.Next(1, 3) : 0).Select(_ => Events(random))],
            Continues = random.Next(3) == 0,
            Damages = random.Next(2) == 0 ? random.Next(1, 4) : 0,
        };
    }

    /// <summary>What operations on the backup are given.</summary>
    public EngineOptions Options(string remote, string database) =>
        new()
        {
            Remote = remote,
            DatabasePath = database,
            Passphrase = PeerOptions.Passphrase,
            BlockSize = BlockSize,
            VolumeSize = VolumeSize,
            BlockHash = BlockHash.Name,
            FileHash = FileHash.Name,
            IndexPolicy = IndexPolicy,
            Preset = Preset,
            Parallelism = Parallelism,
            Compression = Compression,
            StoreMetadataContent = StoresMetadata,
            NoAutoCompact = NoAutoCompact,
            DisableSyntheticFilelist = DropsInterrupted,
        };

    /// <summary>What a peer is given.</summary>
    public EndToEndOptions PeerOptions =>
        new()
        {
            BlockSize = BlockSize,
            VolumeSize = VolumeSize,
            IsEncrypted = IsEncrypted,
        };

    private static StressStep Step(Random random) =>
        new(s_kinds[random.Next(s_kinds.Length)], random.Next(), random.Next(3) == 0 ? Events(random) : 0);

    // As many early ones as late ones, on a scale that doubles.
    private static int Events(Random random) => (int)Math.Pow(MostEvents, random.NextDouble());
}
