// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>A version as a database lists it.</summary>
/// <param name="Number">Its position, 0 = newest.</param>
/// <param name="Timestamp">Its time, seconds since 1970.</param>
/// <param name="IsFull">False for what an interrupted backup had recorded, and for what could be read of a damaged list.</param>
/// <param name="Stamp">The stamp in it; null if it has none, or several.</param>
/// <param name="Keys">Its paths below the source.</param>
internal sealed record FoundVersion(long Number, long Timestamp, bool IsFull, int? Stamp, IReadOnlySet<string> Keys);

/// <summary>What each version must hold: the source as it was.</summary>
/// <param name="source">Path of the source.</param>
/// <param name="remote">Path of the remote folder.</param>
internal sealed class VersionModel(string source, string remote)
{
    private readonly string m_root = source + Path.DirectorySeparatorChar;
    private readonly SortedDictionary<int, TreeManifest> m_versions = [];
    private readonly Dictionary<int, TreeManifest> m_all = [];

    // Everything that was ever to be backed up, by path: an interrupted backup may have recorded any of it.
    private readonly Dictionary<string, HashSet<TreeEntry>> m_seen = new(StringComparer.Ordinal);
    private readonly HashSet<int> m_doubtful = [];

    /// <summary>Whether a version may be there twice: a purge that was killed leaves the old one, or both.</summary>
    public bool AllowsTwins { get; set; }

    /// <summary>Number of versions that must be there.</summary>
    public int Count => m_versions.Count;

    /// <summary>A backup of this state begins. Whether its version comes is not known before it has ended.</summary>
    public void Begin(int stamp, TreeManifest tree)
    {
        m_all[stamp] = tree;
        m_doubtful.Add(stamp);
        foreach (var (key, entry) in tree.Entries)
            (m_seen.TryGetValue(key, out var seen) ? seen : m_seen[key] = []).Add(entry);
    }

    /// <summary>The backup has ended.</summary>
    public void Add(int stamp)
    {
        m_doubtful.Remove(stamp);
        m_versions[stamp] = m_all[stamp];
    }

    /// <summary>These may be gone, or go. A purge that was killed may have left another one like it, which stays.</summary>
    public void Doubt(IReadOnlyCollection<FoundVersion> versions, IEnumerable<FoundVersion> all)
    {
        foreach (
            var stamp in versions
                .Where(x => x.IsFull)
                .Select(x => x.Stamp!.Value)
                .Except(all.Except(versions).Where(x => x.IsFull).Select(x => x.Stamp!.Value))
        )
        {
            m_versions.Remove(stamp);
            m_doubtful.Add(stamp);
        }
    }

    /// <summary>Nothing is in doubt any more: what is not there now is gone.</summary>
    public void Settle() => m_doubtful.Clear();

    /// <summary>Entries of some versions are gone.</summary>
    public void Remove(IEnumerable<FoundVersion> versions, Func<FoundVersion, string, bool> isGone)
    {
        foreach (var version in versions.Where(x => x.IsFull))
        {
            var stamp = version.Stamp!.Value;
            m_all[stamp] = m_all[stamp].Without(key => isGone(version, key));
            if (m_versions.ContainsKey(stamp))
                m_versions[stamp] = m_all[stamp];
        }
    }

    /// <summary>What a version must hold; null for one of an interrupted backup.</summary>
    public TreeManifest? Expected(FoundVersion version) =>
        version is { IsFull: true, Stamp: { } stamp } ? m_all.GetValueOrDefault(stamp) : null;

    /// <summary>The full path of an entry.</summary>
    public string PathOf(string key) => m_root + key;

    /// <summary>Lists a database.</summary>
    public async Task<IReadOnlyList<FoundVersion>> ListAsync(string database, CancellationToken token)
    {
        var listing = new DatabaseListing(database, "default");
        var arrived = Arrived(database);
        var found = new List<FoundVersion>();
        foreach (var version in await listing.VersionsAsync(token))
        {
            var entries = await listing.EntriesAsync((int)version.Version, new FilterExpression(), token);
            var keys = entries
                .Select(x => x.Path.StartsWith(m_root, StringComparison.Ordinal) ? x.Path[m_root.Length..] : x.Path)
                .ToHashSet(StringComparer.Ordinal);
            var time = new DateTimeOffset(version.Time).ToUnixTimeSeconds();
            found.Add(
                new FoundVersion(version.Version, time, version.IsFull != false && arrived.Contains(time), StressSource.StampOf(keys), keys)
            );
        }

        return found;
    }

    // What a backup has left that was killed before its list had arrived is no version yet, though its rows may say that it is full:
    // the next backup makes a partial one of it, or drops it.
    private HashSet<long> Arrived(string database)
    {
        using var rows = new DatabaseDumpReader(database);
        var lists = rows.RemoteVolumes.Where(HasArrived).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        return [.. rows.Filesets.Where(x => lists.Contains(x.Volume!)).Select(x => x.Timestamp)];
    }

    private bool HasArrived(DumpVolume volume) =>
        volume.State is not ("Temporary" or "Uploading")
        || (new FileInfo(Path.Combine(remote, volume.Name)) is { Exists: true } file && file.Length == volume.Size);

    /// <summary>
    /// Lists a database, and requires what must be there to be there, and nothing else. Versions that were in doubt are taken in.
    /// </summary>
    public async Task<IReadOnlyList<FoundVersion>> CheckAsync(string database, string when, CancellationToken token)
    {
        var found = await ListAsync(database, token);
        foreach (var version in found.Where(x => x.IsFull && x.Stamp is { } stamp && m_doubtful.Contains(stamp)))
            Add(version.Stamp!.Value);
        StressFailure.Require($"versions {when}", Differences(found));
        return found;
    }

    /// <summary>In what a restored version differs.</summary>
    public IEnumerable<TreeDifference> Differences(FoundVersion version, TreeManifest restored, bool isExact) =>
        Expected(version) is { } expected ? expected.Differences(restored, isExact) : PartialDifferences(version, restored);

    private IEnumerable<string> Differences(IReadOnlyList<FoundVersion> found)
    {
        var full = found.Where(x => x.IsFull).ToList();
        foreach (
            var stamp in m_versions.Keys.Where(stamp =>
                full.Count(x => x.Stamp == stamp) is var count && count != 1 && !(AllowsTwins && count > 1)
            )
        )
            yield return FormattableString.Invariant($"the version of stamp {stamp} is there {full.Count(x => x.Stamp == stamp)} times");
        foreach (var version in full)
        {
            if (version.Stamp is not { } stamp || !m_versions.TryGetValue(stamp, out var tree))
                yield return FormattableString.Invariant($"version {version.Number} of stamp {version.Stamp} should not be there");
            else if (!version.Keys.SetEquals(tree.Entries.Keys))
                yield return FormattableString.Invariant(
                    $"version {version.Number} of stamp {stamp} has not {string.Join(", ", tree.Entries.Keys.Except(version.Keys))} and has {string.Join(", ", version.Keys.Except(tree.Entries.Keys))}"
                );
        }

        foreach (var version in found.Where(x => !x.IsFull && !x.Keys.All(m_seen.ContainsKey)))
            yield return FormattableString.Invariant($"the partial version {version.Number} has paths that never were");
    }

    private IEnumerable<TreeDifference> PartialDifferences(FoundVersion version, TreeManifest restored)
    {
        foreach (var (key, entry) in restored.Entries.Where(x => x.Key.Length > 0 && version.Keys.Contains(x.Key)))
        {
            if (!m_seen.TryGetValue(key, out var seen) || !seen.Any(entry.HasContentOf))
                yield return new TreeDifference(key, $"of a partial version is {entry}, which it never was");
        }

        foreach (var key in version.Keys.Where(key => key.Length > 0 && !restored.Entries.ContainsKey(key)))
            yield return new TreeDifference(key, "of a partial version is missing", IsMissing: true);
    }
}
