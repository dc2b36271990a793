using System.Diagnostics;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>What a part of a rebuild took: time on the clock, and processor time of the whole process, which a busy machine does not inflate.</summary>
internal sealed record RebuildPhase(string Name, TimeSpan Elapsed, TimeSpan Processor);

/// <summary>Plays a backup on a variant and keeps the time spent inside it; making the hashes is not counted.</summary>
internal sealed class RebuildRun(SyntheticBackup backup, IRebuildVariant variant)
{
    private readonly Stopwatch m_watch = new();
    private readonly List<RebuildPhase> m_phases = [];
    private TimeSpan m_processor;

    internal IReadOnlyList<RebuildPhase> Phases => m_phases;

    internal void Run()
    {
        Phase("filelist", () =>
        {
            Timed(() => variant.RegisterVolumes(backup.Volumes));
            for (var file = 0L; file < backup.Files; file++)
                AddFile(file);
            Timed(variant.Commit);
        });
        Phase("index files", () =>
        {
            for (var volume = 0L; volume < backup.Volumes; volume++)
                AddIndexFile(volume);
            Timed(variant.Commit);
        });
        Phase("resolve", () => Timed(variant.Resolve));
        Phase("cleanup", () => Timed(variant.Cleanup));
        Phase("close", () => Timed(variant.Dispose));
    }

    private void AddFile(long file)
    {
        var hash = SyntheticBackup.FileHash(file);
        var metadataHash = SyntheticBackup.MetadataHash(file);
        var lists = new string[backup.ListsOf(file)];
        for (var i = 0; i < lists.Length; i++)
            lists[i] = Convert.ToBase64String(backup.List(file, i).Digest);

        Timed(() =>
        {
            var blockset = variant.AddBlockset(hash, backup.BlocksOf(file) * SyntheticBackup.BlockBytes, lists);
            var metadata = variant.AddMetadata(metadataHash, SyntheticBackup.MetadataBytes);
            variant.AddFile($"file{file}", blockset, metadata);
            variant.AddLink(metadataHash, SyntheticBackup.MetadataBytes);
        });
    }

    // A blocklist, and the metadata, lie in the volume in which the file ends or the list fills up.
    private void AddIndexFile(long volume)
    {
        var first = volume * SyntheticBackup.BlocksPerVolume;
        var last = Math.Min(first + SyntheticBackup.BlocksPerVolume, backup.Blocks);
        var blocks = new List<(string Hash, long Size)>();
        var lists = new List<(string Hash, string[] Entries)>();
        for (var block = first; block < last; block++)
        {
            blocks.Add((SyntheticBackup.BlockHash(block), SyntheticBackup.BlockBytes));
            var file = block / backup.BlocksPerFile;
            var inFile = block % backup.BlocksPerFile;
            var isEnd = inFile == backup.BlocksOf(file) - 1;
            if (backup.ListsOf(file) > 0 && (isEnd || inFile % SyntheticBackup.EntriesInList == SyntheticBackup.EntriesInList - 1))
            {
                var (digest, content, entries) = backup.List(file, inFile / SyntheticBackup.EntriesInList);
                var hash = Convert.ToBase64String(digest);
                blocks.Add((hash, content.Length));
                lists.Add((hash, entries));
            }

            if (isEnd)
                blocks.Add((SyntheticBackup.MetadataHash(file), SyntheticBackup.MetadataBytes));
        }

        Timed(() =>
        {
            foreach (var (hash, size) in blocks)
                variant.UpdateBlock(hash, size, volume + 1);
            foreach (var (hash, entries) in lists)
                variant.AddList(hash, entries);
        });
    }

    private void Timed(Action work)
    {
        var processor = Environment.CpuUsage.TotalTime;
        m_watch.Start();
        work();
        m_watch.Stop();
        m_processor += Environment.CpuUsage.TotalTime - processor;
    }

    private void Phase(string name, Action work)
    {
        m_watch.Reset();
        m_processor = TimeSpan.Zero;
        work();
        m_phases.Add(new RebuildPhase(name, m_watch.Elapsed, m_processor));
    }
}
