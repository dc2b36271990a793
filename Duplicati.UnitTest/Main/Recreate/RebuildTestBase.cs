// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>A database with two volumes (100 verified, 101 uploaded) and filesets 1 to 3, and a rebuild on it.</summary>
internal abstract class RebuildTestBase : FolderTestBase
{
    protected const long HashBytes = 32;
    protected const long BlockBytes = 64;

    protected const string CountIndexes = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
    protected const string CountMarkers = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'DeferredIndex'";
    protected const string Version = "SELECT MAX(Version) FROM Version";

    protected string DatabasePath { get; private set; } = null!;

    protected RealRebuild Rebuild { get; private set; } = null!;

    protected LocalRecreateDatabase Db => Rebuild.Recreate;

    protected virtual IEnumerable<PlanVolume> Volumes => [new(100, "v100", "Verified", [], []), new(101, "v101", "Uploaded", [], [])];

    /// <summary>True for a rebuild that takes its tables for large ones.</summary>
    protected virtual bool IsLarge => false;

    [SetUp]
    public async Task OpenAsync()
    {
        DatabasePath = await RebuildFile.CreateAsync(Folder, "db.sqlite", Volumes);
        Rebuild = await RealRebuild.OpenAsync(DatabasePath, isLarge: IsLarge);
    }

    [TearDown]
    public async Task CloseAsync() => await Rebuild.DisposeAsync();

    /// <summary>Base64 text of a digest made of one repeated byte.</summary>
    protected static string Hash(byte value) => Convert.ToBase64String([.. Enumerable.Repeat(value, (int)HashBytes)]);

    /// <summary>A blockset of several blocks: adds it with its blocklists and stages them.</summary>
    protected async Task<long> AddFileAsync(byte name, long length, params byte[][] lists)
    {
        var id = await Db.AddBlocksetAsync(
            Hash(name),
            length,
            lists.Select((_, i) => ListHash(name, i)),
            lists.Length,
            CancellationToken.None
        );
        for (var i = 0; i < lists.Length; i++)
            await Db.AddTempBlockListHashAsync(ListHash(name, i), lists[i].Select(Hash), default);
        return id;
    }

    /// <summary>The hash of a blocklist of <see cref="AddFileAsync"/>.</summary>
    protected static string ListHash(byte name, int position) => Hash((byte)(name + 100 + position));

    protected Task ResolveAsync() => Db.FindMissingBlocklistHashesAsync(HashBytes, BlockBytes, default);

    /// <summary>Numbers from a second connection, which sees what is committed.</summary>
    protected long Committed(string sql) => long.Parse(Databases.Query(DatabasePath, sql)!, null);

    protected async Task<long> CommitAndCountAsync(string sql)
    {
        await Db.CommitAsync(CancellationToken.None);
        return Committed(sql);
    }
}
