namespace Duplicati.Benchmarks.Techniques;

/// <summary>All techniques, in the order of the document.</summary>
internal static class TechniqueList
{
    /// <summary>Fewer blocks make no volumes and files to speak of.</summary>
    public const int FewestBlocks = 1000;

    // Small tables take more than their entries need, and each of the first two tiers must be too small for the one before.
    private static readonly (string Tier, int FirstBytes, int BytesPerBlock)[] s_tiers = [("keys", 1 << 20, 128), ("fingerprints", 160 << 10, 32), ("filter", 0, 4)];

    public static IReadOnlyList<Technique> All { get; } =
    [
        .. s_tiers.SelectMany(x => new[] { true, false }, (x, hit) => new BlockLookUps(x.Tier, x.FirstBytes, x.BytesPerBlock, hit)),
        new BlockMapFilling(),
        new RecreateMap(),
        new BatchLookUps(),
        new BatchBlockLists(),
        new BinaryIndexFiles(),
        new HeldBackBlocks(isOrder: false),
        new HeldBackBlocks(isOrder: true),
        new EntriesAStatement(),
        new FilesetEntries(),
        new FirstBackupIndexes(),
        new RecreateIndexes(),
        new ShortRuns(),
        new CheckpointPaces(),
        new OrderedExpansion(),
        new IncrementalResolve(),
        new StagedInMemory(),
        new FilelistCaches(),
        new PathPrefixes(),
        new OverlappedParsing(),
        new ParallelParsing(),
        new LogLater(),
        new VolumeByVolume(),
        new OrderedNeeds(),
        new CachedBlocks(),
        new KnownLengths(),
        new ComparedVolumes(),
        new ListsOnDemand(),
        new PooledReaders(),
        new CopiedBlocks(),
        new OnePassChecks(),
        new ConsistencyMark(),
        new CachedStatements(),
        new FunctionPointers(),
        new DurableCommits(),
    ];
}
