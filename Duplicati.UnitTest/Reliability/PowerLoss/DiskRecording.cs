// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>The steps of one run, and what the database was after each of its commits.</summary>
internal sealed class DiskRecording
{
    private const int LogHeader = 32;
    private const int FrameHeader = 24;

    private readonly IReadOnlyDictionary<int, (string Name, byte[] Content)> m_before;
    private readonly Dictionary<int, string> m_names = [];
    private readonly List<(int Step, string Content)> m_commits = [];

    // A log is flushed before anything else relies on it, so what it held is there from then on.
    private readonly List<int> m_logFlushes = [];
    private readonly string m_database;
    private bool m_commitsNext;

    private DiskRecording(DiskRecorder recorder, string database)
    {
        m_before = recorder.Before;
        m_database = database;
        Steps = [.. recorder.Steps];
    }

    internal IReadOnlyList<DiskStep> Steps { get; }

    /// <summary>Numbers of steps after which a loss of power may leave something else than a step earlier.</summary>
    internal IReadOnlyList<int> Points { get; private set; } = [];

    /// <summary>How often the content of the database changed.</summary>
    internal int Commits => m_commits.Count - 1;

    /// <summary>Records what is done to the files of a folder.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="database">The name of the database in it.</param>
    /// <param name="run">What is done; every connection is closed when it returns.</param>
    internal static async Task<DiskRecording> MakeAsync(string folder, string database, Func<DiskRecorder, Task> run)
    {
        using var recorder = new DiskRecorder(folder);
        await run(recorder);
        var recording = new DiskRecording(recorder, database);
        recording.Replay(DiskRecorder.Content(folder));
        return recording;
    }

    /// <summary>A disk with what was there before the first step.</summary>
    internal SimulatedDisk NewDisk() => new(m_before);

    /// <summary>
    /// Which commits may be the last one after a loss of power: at least what a flushed log, or the caller's mark, holds.
    /// </summary>
    /// <param name="point">Number of steps taken.</param>
    /// <param name="isDurable">What was marked has to be there.</param>
    internal (int First, int Last) Allowed(int point, bool isDurable)
    {
        var mark = isDurable ? LastBefore(point, DiskStepKind.Mark) : 0;
        var log = m_logFlushes.LastOrDefault(x => x <= point);
        return (CommitAt(Math.Max(mark, log)), CommitAt(point));
    }

    /// <summary>Which of some commits has this content, the last of them if it is many's; -1 for none.</summary>
    internal int Find(string content, int first, int last) => m_commits.FindLastIndex(last, last - first + 1, x => x.Content == content);

    private int CommitAt(int point) => m_commits.FindLastIndex(x => x.Step <= point);

    private int LastBefore(int point, DiskStepKind kind)
    {
        while (point > 0 && Steps[point - 1].Kind != kind)
            point--;
        return point;
    }

    // What all steps together make has to be what is there: otherwise one was not seen.
    private void Replay(Dictionary<string, byte[]> expected)
    {
        using var folder = new TestFolder();
        var disk = NewDisk();
        foreach (var (number, (name, _)) in m_before)
            m_names[number] = name;
        Note(0, disk, folder);
        var points = new SortedSet<int>();
        for (var i = 0; i < Steps.Count; i++)
        {
            var step = Steps[i];
            disk.Apply(step);
            if (step.IsSync)
                points.Add(i);
            if (step.IsSync || step.Kind == DiskStepKind.Mark)
                points.Add(i + 1);
            // The first flush of a log is followed by one of its name.
            if (step.Kind == DiskStepKind.Sync && m_names[step.File] == m_database + "-wal")
                m_logFlushes.Add(i + 1 < Steps.Count && Steps[i + 1].Kind == DiskStepKind.SyncFolder ? i + 2 : i + 1);
            if (MayCommit(step))
                Note(i + 1, disk, folder);
        }

        points.Add(Steps.Count);
        Points = [.. points];
        Assert.That(
            disk.Seen().Select(x => (x.Key, SimulatedDisk.Fingerprint(new() { [x.Key] = x.Value }))),
            Is.EquivalentTo(expected.Select(x => (x.Key, SimulatedDisk.Fingerprint(new() { [x.Key] = x.Value })))),
            "every step was seen"
        );
    }

    private void Note(int step, SimulatedDisk disk, TestFolder folder)
    {
        DatabaseState.Write(folder.Path, disk.Seen());
        var content = DatabaseState.Open(folder.File(m_database));
        if (m_commits.Count == 0 || m_commits[^1].Content != content)
            m_commits.Add((step, content));
    }

    // The frame that ends a transaction in the log holds the size of the database (https://www.sqlite.org/fileformat2.html#walformat): it
    // ends it once its page is written, or, where pages were written twice and all checksums have changed, once its header is written
    // again.
    // A journal ends with its name, its length or its header.
    private bool MayCommit(DiskStep step)
    {
        if (step.Kind is DiskStepKind.Create or DiskStepKind.Rename)
            m_names[step.File] = step.Kind == DiskStepKind.Create ? step.Name : step.Target;
        if (step.Kind is DiskStepKind.Rename or DiskStepKind.Unlink)
            return true;
        if (step.Kind is not (DiskStepKind.Write or DiskStepKind.Truncate))
            return false;
        var name = m_names[step.File];
        if (name == m_database + "-journal")
            return step.Offset == 0;
        if (name != m_database + "-wal" || step.Kind != DiskStepKind.Write)
            return false;
        var commits = m_commitsNext;
        m_commitsNext =
            step.Data!.Length == FrameHeader && step.Offset >= LogHeader && BinaryPrimitives.ReadUInt32BigEndian(step.Data.AsSpan(4)) != 0;
        return commits || m_commitsNext;
    }
}

/// <summary>What was done to the files of a folder.</summary>
internal enum DiskStepKind
{
    /// <summary>A file got its name.</summary>
    Create,

    /// <summary>Bytes were written.</summary>
    Write,

    /// <summary>A file was cut off or made longer.</summary>
    Truncate,

    /// <summary>What was written to a file was flushed.</summary>
    Sync,

    /// <summary>A file got another name, and the one that had it lost it.</summary>
    Rename,

    /// <summary>A file lost its name.</summary>
    Unlink,

    /// <summary>The names in the folder were flushed.</summary>
    SyncFolder,

    /// <summary>The test was told that what it had done so far is done.</summary>
    Mark,
}

/// <summary>One step. <paramref name="File"/> is a number that a file keeps whatever its name.</summary>
/// <param name="Kind">What was done.</param>
/// <param name="File">Which file; 0 for the folder and for marks.</param>
/// <param name="Name">Its name in the folder at that time.</param>
/// <param name="Offset">Where was written; the new length of a truncated file.</param>
/// <param name="Data">What was written.</param>
/// <param name="Target">The new name.</param>
internal sealed record DiskStep(DiskStepKind Kind, int File = 0, string Name = "", long Offset = 0, byte[]? Data = null, string Target = "")
{
    /// <summary>At these a loss of power makes a difference that it does not make a step earlier.</summary>
    public bool IsSync => Kind is DiskStepKind.Sync or DiskStepKind.SyncFolder;
}
