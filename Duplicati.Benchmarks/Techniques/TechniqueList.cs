namespace Duplicati.Benchmarks.Techniques;

/// <summary>All techniques, in the order of the document.</summary>
internal static class TechniqueList
{
    /// <summary>Fewer blocks make no volumes and files to speak of.</summary>
    public const int FewestBlocks = 1000;

    private const int FullKeyBytes = 512;
    private const int FingerprintBytes = 40;
    private const int FilterBytes = 4;

    public static IReadOnlyList<Technique> All { get; } =
    [
        new BlockLookUps("keys", FullKeyBytes, hit: true),
        new BlockLookUps("keys", FullKeyBytes, hit: false),
        new BlockLookUps("fingerprints", FingerprintBytes, hit: true),
        new BlockLookUps("fingerprints", FingerprintBytes, hit: false),
        new BlockLookUps("filter", FilterBytes, hit: true),
        new BlockLookUps("filter", FilterBytes, hit: false),
        new BlockMapFilling(),
        new RecreateMap(),
        new BatchLookUps(),
        new BinaryIndexFiles(),
        new HeldBackBlocks(isOrder: false),
        new HeldBackBlocks(isOrder: true),
        new EntriesAStatement(),
        new FilesetEntries(),
        new FirstBackupIndexes(),
        new RecreateIndexes(),
        new CheckpointPaces(),
        new OrderedExpansion(),
        new IncrementalResolve(),
        new StagedInMemory(),
        new FilelistCaches(),
        new PathPrefixes(),
        new OverlappedParsing(),
        new ParallelParsing(),
        new VolumeByVolume(),
        new OrderedNeeds(),
        new CachedBlocks(),
        new ListsOnDemand(),
        new PooledReaders(),
        new OnePassChecks(),
        new ConsistencyMark(),
        new CachedStatements(),
        new FunctionPointers(),
        new DurableCommits(),
    ];
}
