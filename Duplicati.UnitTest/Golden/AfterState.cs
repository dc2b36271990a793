// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Dump;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// A golden set, copied to be changed by one operation, and what the real program had after the same operation: the dump of its
/// database and the listing of its remote folder.
/// </summary>
internal sealed class AfterState : IDisposable
{
    private static readonly DumpComparisonOptions s_counting = new() { IgnoreBlockPlacement = true, IgnoreFolderTimes = true };

    // A file system in memory lists the attributes of a file in another order, which metadata tell.
    private readonly TestFolder m_folder = new(TestStorage.OfSystem);
    private readonly string m_set;
    private readonly string m_state;

    internal AfterState(string set, string command, string state)
    {
        (m_set, m_state) = (set, state);
        GoldenData.CopyRemote(set, m_folder.File("remote"));
        Options = GoldenCommand.Find(set, command)!.ToOptions(m_folder.File("remote"), GoldenData.UnpackDatabase(set, m_folder.Path));
        Before = DatabaseDump.Load(Options.DatabasePath);
        Expected = GoldenData.Dump(set, state + ".dump.json");
    }

    internal EngineOptions Options { get; }

    internal TestFolder Folder => m_folder;

    /// <summary>The database before the operation.</summary>
    internal DatabaseDump Before { get; }

    /// <summary>The real program's database after the operation.</summary>
    internal DatabaseDump Expected { get; }

    /// <summary>The database now.</summary>
    internal DatabaseDump Actual => DatabaseDump.Load(Options.DatabasePath);

    /// <summary>
    /// What counts: all but history, sizes and names of new volumes, which blocks share a new volume and how many there are (both depend on
    /// how blocks are compressed), the times of folders and links (those of unpacked links are new), and until when a deleted volume stays
    /// known.
    /// </summary>
    internal IReadOnlyList<string> Differences() => Differences(Expected, Actual);

    /// <summary>As above, between two states, of which either may be changed by the test.</summary>
    internal IReadOnlyList<string> Differences(DatabaseDump expected, DatabaseDump actual) =>
        [
            .. VolumeRenaming
                .Compare(Comparable(expected), Comparable(actual), s_counting)
                .Where(x => x.Section != DumpNames.RowCounts || !DependsOnVolumes($"{x.Expected}{x.Actual}"))
                .Select(x => x.ToString()),
        ];

    /// <summary>A dump without one of its filesets.</summary>
    internal static DatabaseDump Without(DatabaseDump dump, DumpFileset fileset) =>
        Copy(dump, [.. dump.RemoteVolumes.Where(x => x.Name != fileset.Volume)], [.. dump.Filesets.Where(x => x.Volume != fileset.Volume)]);

    /// <summary>A dump without the further copies in volumes that are gone, which the real program leaves.</summary>
    internal static DatabaseDump WithoutGoneCopies(DatabaseDump dump)
    {
        var present = Present(dump).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var copies = dump.DuplicateBlocks.Where(x => x.Volume is not null && present.Contains(x.Volume)).ToList();
        return Copy(
            dump,
            [.. dump.RemoteVolumes],
            dump.Filesets,
            copies,
            new Dictionary<string, long>(dump.RowCounts) { ["duplicateblock"] = copies.Count }
        );
    }

    /// <summary>Known volumes are in the same state with the same blocks, in the database and in the folder.</summary>
    internal void AssertKnownVolumesAreEqual()
    {
        var actual = Actual;
        var known = Before.RemoteVolumes.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        Assert.That(Volumes(actual, known), Is.EqualTo(Volumes(Expected, known)), "known volumes");
        Assert.That(Placed(actual, known), Is.EqualTo(Placed(Expected, known)), "blocks of known volumes");
        var listed = GoldenFacts.Of(m_set).Folder(m_state).Select(x => (Name: x.Key, Size: x.Value));
        var files = new DirectoryInfo(Options.Remote).GetFiles().Select(x => (x.Name, Size: x.Length)).ToList();
        Assert.That(
            files.Where(x => known.Contains(x.Name)).Order(),
            Is.EqualTo(listed.Where(x => known.Contains(x.Name)).Order()),
            "known files"
        );
    }

    /// <summary>
    /// The folder holds what the database knows and nothing else, every block volume holds a block and has one index volume, and the
    /// versions are as many as they should be. (The real program may upload an empty block volume, whose index volume then holds a
    /// blocklist, and delete both again.)
    /// </summary>
    internal void AssertFolderIsComplete()
    {
        var actual = Actual;
        Assert.That(Directory.GetFiles(Options.Remote).Select(Path.GetFileName), Is.EquivalentTo(Present(actual).Select(x => x.Name)));
        Assert.That(Present(actual).Count(x => x.Type == "Files"), Is.EqualTo(Present(Expected).Count(x => x.Type == "Files")));
        Assert.That(
            Present(actual).Where(x => x.Type == "Blocks").Select(x => x.Name),
            Is.SubsetOf(actual.Blocks.Concat(actual.DeletedBlocks).Concat(actual.DuplicateBlocks).Select(x => x.Volume))
        );
        Assert.That(
            actual.IndexBlockLinks.Select(x => x.BlockVolume),
            Is.EquivalentTo(Present(actual).Where(x => x.Type == "Blocks").Select(x => x.Name))
        );
        Assert.That(
            actual.IndexBlockLinks.Select(x => x.IndexVolume),
            Is.EquivalentTo(Present(actual).Where(x => x.Type == "Index").Select(x => x.Name))
        );
    }

    public void Dispose() => m_folder.Dispose();

    private DatabaseDump Comparable(DatabaseDump dump)
    {
        var known = Before.RemoteVolumes.Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var volumes = dump.RemoteVolumes.Select(x => known.Contains(x.Name) ? x : x with { Size = null, Hash = null });
        return Copy(
            dump,
            [.. volumes.Select(x => x with { DeleteGraceTime = x.DeleteGraceTime > 0 ? 1 : x.DeleteGraceTime })],
            dump.Filesets
        );
    }

    private static DatabaseDump Copy(DatabaseDump dump, IReadOnlyList<DumpVolume> volumes, IEnumerable<DumpFileset> filesets) =>
        Copy(dump, volumes, filesets, dump.DuplicateBlocks, dump.RowCounts);

    private static DatabaseDump Copy(
        DatabaseDump dump,
        IReadOnlyList<DumpVolume> volumes,
        IEnumerable<DumpFileset> filesets,
        IEnumerable<DumpBlock> copies,
        IReadOnlyDictionary<string, long> counts
    ) =>
        new()
        {
            SchemaVersion = dump.SchemaVersion,
            IntegrityCheck = dump.IntegrityCheck,
            RemoteVolumes = volumes,
            Blocks = dump.Blocks,
            DuplicateBlocks = copies,
            DeletedBlocks = dump.DeletedBlocks,
            Blocksets = dump.Blocksets,
            Metadatasets = dump.Metadatasets,
            PathPrefixes = dump.PathPrefixes,
            Filesets = filesets,
            FilesWithoutFileset = dump.FilesWithoutFileset,
            IndexBlockLinks = dump.IndexBlockLinks,
            RestoreTests = dump.RestoreTests,
            Configuration = dump.Configuration,
            Operations = dump.Operations,
            RowCounts = counts,
            SchemaObjects = dump.SchemaObjects,
        };

    private static IEnumerable<DumpVolume> Present(DatabaseDump dump) => dump.RemoteVolumes.Where(x => x.State != "Deleted");

    // Until when a deleted volume stays known depends on when it was deleted.
    private static List<string> Volumes(DatabaseDump dump, HashSet<string> known) =>
        [
            .. dump
                .RemoteVolumes.Where(x => known.Contains(x.Name))
                .Select(x => $"{x.Name} {x.State} {x.Size} {x.Hash} {x.DeleteGraceTime > 0}")
                .Order(StringComparer.Ordinal),
        ];

    private static List<string> Placed(DatabaseDump dump, HashSet<string> known) =>
        [
            .. dump
                .Blocks.Where(x => x.Volume is not null && known.Contains(x.Volume))
                .Select(x => $"{x.Hash} {x.Size} {x.Volume}")
                .Order(StringComparer.Ordinal),
        ];

    private static bool DependsOnVolumes(string count) =>
        count.StartsWith("remotevolume=", StringComparison.Ordinal) || count.StartsWith("indexblocklink=", StringComparison.Ordinal);
}
