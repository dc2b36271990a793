// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Contenders.Runs;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>How much an engine is asked.</summary>
/// <param name="Rows">Rows of the table that is read.</param>
/// <param name="LookUps">Look-ups in a warm cache; a tenth as many in a cold one.</param>
/// <param name="Seconds">How long readers read beside a writer.</param>
/// <param name="Commits">Commits of one row; fewer of larger batches.</param>
internal sealed record EngineScale(int Rows, int LookUps, double Seconds, int Commits)
{
    /// <summary>As little as finds out whether all runs.</summary>
    public static EngineScale Small { get; } = new(200, 50, 0.1, 16);

    /// <summary>What is measured on a table of so many rows.</summary>
    public static EngineScale Of(int rows) => new(rows, Math.Min(rows, 3_000), 2, 120);
}

/// <summary>Puts all questions to an engine, each on files in a folder of its own.</summary>
internal sealed class EngineWork(StorageEngine engine, string folder, EngineScale scale)
{
    /// <summary>The question of which the ratio is on the page.</summary>
    public const string ReadersBesideWriter = "8 readers beside a writer, a request of 10 look-ups";

    private const int MostWritten = 50_000;
    private const int Readers = 8;
    private const int KeysPerRequest = 10;
    private const int LoadRows = 10_000;
    private const int LadderRepetitions = 3;

    private static readonly int[] s_batches = [1, 10, 100, 1_000, 10_000];
    private static readonly int[] s_writers = [1, 2, 4, 8];
    private static readonly int[] s_ladder = [1, 10, 100, 1_000];

    private static long s_memoryBefore;

    private readonly List<Figure> m_figures = [];

    /// <summary>Makes all rows, and notes the memory of this process before anything is opened.</summary>
    public static void Prepare(int rows)
    {
        _ = BlockKeys.Get(Math.Max(rows + MostWritten, 100_000));
        using var process = Process.GetCurrentProcess();
        s_memoryBefore = process.WorkingSet64;
    }

    /// <summary>Asks.</summary>
    public ContenderReply Run()
    {
        var (version, settings) = WriteBatches();
        Climb();
        Load();
        Read();
        using var process = Process.GetCurrentProcess();
        m_figures.Add(new Figure("memory, at most, MiB", Figure.MiB, (process.PeakWorkingSet64 - s_memoryBefore) / 1048576.0, null));
        return new ContenderReply(engine.Package, version, settings, m_figures);
    }

    /// <summary>Commits single rows and nothing else, for who counts what that does.</summary>
    public void Commit(int commits)
    {
        Prepare(commits);
        using var open = engine.Open(NewFile("commits"));
        using var session = open.OpenSession();
        for (var row = 0; row < commits; row++)
            session.Insert(row, 1);
    }

    // Also who writes how, one after the other into one file.
    private (string Version, string Settings) WriteBatches()
    {
        using var open = engine.Open(NewFile("writes"));
        using var session = open.OpenSession();
        var next = 0;
        foreach (var batch in s_batches)
        {
            var commits = Math.Clamp(scale.Commits * 125 / batch, 1, scale.Commits);
            var elapsed = Time(() =>
            {
                for (var commit = 0; commit < commits; commit++)
                    session.Insert(next + (commit * batch), batch);
            });
            next += commits * batch;
            AddTime(
                batch == 1 ? "durable insert of a row" : FormattableString.Invariant($"insert, {batch:N0} rows a commit"),
                elapsed,
                commits * batch,
                open.Sum()
            );
        }

        foreach (var writers in s_writers)
        {
            AddTime(
                writers == 1 ? "1 durable writer" : $"{writers} durable writers",
                WriteTogether(open, writers, next),
                scale.Commits,
                open.Sum()
            );
            next += scale.Commits;
        }

        return (open.Version, open.Settings);
    }

    private TimeSpan WriteTogether(IEngine open, int writers, int first)
    {
        var sessions = Enumerable.Range(0, writers).Select(_ => open.OpenSession()).ToList();
        using var team = new ThreadTeam(
            writers,
            writer =>
            {
                for (var row = writer; row < scale.Commits; row += writers)
                    sessions[writer].Insert(first + row, 1);
            }
        );
        var elapsed = Time(team.Run);
        sessions.ForEach(x => x.Dispose());
        return elapsed;
    }

    private void Climb()
    {
        foreach (var records in s_ladder)
        {
            string[] keys = [.. Enumerable.Range(0, records).Select(Item.Hash)];
            var (sum, elapsed) = (0L, TimeSpan.Zero);
            for (var repetition = 0; repetition < LadderRepetitions; repetition++)
            {
                var path = NewFile("ladder");
                elapsed += Time(() =>
                {
                    using var open = engine.Open(path);
                    using var session = open.OpenSession();
                    session.Insert(0, records);
                    sum = session.Read(keys);
                });
            }

            AddTime(FormattableString.Invariant($"new file, {records:N0} records in, read, closed"), elapsed, LadderRepetitions, sum);
        }
    }

    private void Load()
    {
        var path = NewFile("table");
        using (var open = engine.Open(path))
        using (var session = open.OpenSession())
        {
            var elapsed = Time(() =>
            {
                for (var row = 0; row < scale.Rows; row += LoadRows)
                    session.Insert(row, Math.Min(LoadRows, scale.Rows - row));
            });
            AddTime("load of the table", elapsed, scale.Rows, open.Sum());
            AddTime("sum of a column by another, a row", Time(() => open.Sum()), scale.Rows, null);
        }

        var files = new DirectoryInfo(Path.GetDirectoryName(path)!).GetFiles();
        m_figures.Add(new Figure("file, MiB", Figure.MiB, files.Sum(x => x.Length) / 1048576.0, null));
        foreach (var file in files)
            FilePages.Drop(file.FullName);
    }

    private void Read()
    {
        string[] keys = [.. Enumerable.Range(0, scale.LookUps).Select(step => Item.Hash(BlockTable.Scatter(step, scale.Rows)))];
        using var open = engine.Open(Path.Combine(folder, "table", "data"));
        using (var session = open.OpenSession())
        {
            AddLookUps("point look-up, cold", session, keys.AsSpan(0, keys.Length / 10).ToArray());
            LookUp(session, keys);
            AddLookUps("point look-up, warm", session, keys);
        }

        ReadBesideWriter(open, keys);
    }

    private void AddLookUps(string name, IEngineSession session, string[] keys)
    {
        var sum = 0L;
        var elapsed = Time(() => sum = LookUp(session, keys));
        AddTime(name, elapsed, keys.Length, sum);
    }

    private static long LookUp(IEngineSession session, string[] keys)
    {
        var sum = 0L;
        for (var i = 0; i < keys.Length; i++)
            sum = unchecked(sum + session.Read(keys.AsSpan(i, 1)));
        return sum;
    }

    // The writer pauses a millisecond, because the engine puts a reader to sleep that finds the log changed six times running, longer each
    // time. Beside a writer that never pauses the result would be the number of such sleeps.
    private void ReadBesideWriter(IEngine open, string[] keys)
    {
        var sessions = Enumerable.Range(0, Readers + 1).Select(_ => open.OpenSession()).ToList();
        using var read = new CountdownEvent(Readers);
        var (requests, wrong, written, unwritten, writing) = (0, 0, 0, 0, TimeSpan.Zero);
        var elapsed = TimeSpan.Zero;
        using (var team = new ThreadTeam(Readers + 1, number => _ = number < Readers ? AskOn(number) : Write()))
            elapsed = Time(team.Run);
        sessions.ForEach(x => x.Dispose());
        AddTime(ReadersBesideWriter, elapsed, requests, null, wrong);
        AddTime("the same, a commit of its writer", writing, Math.Max(written, 1), null, unwritten);

        int AskOn(int reader)
        {
            try
            {
                var end = Stopwatch.GetTimestamp() + (long)(scale.Seconds * Stopwatch.Frequency);
                var count = 0;
                for (; Stopwatch.GetTimestamp() < end; count++)
                {
                    var first = ((count * Readers) + reader) * KeysPerRequest % (keys.Length - KeysPerRequest + 1);
                    if (!IsAnswered(sessions[reader], keys, first))
                        Interlocked.Increment(ref wrong);
                }

                return Interlocked.Add(ref requests, count);
            }
            finally
            {
                read.Signal();
            }
        }

        // A writer that never came to commit would have cost nothing.
        int Write()
        {
            try
            {
                do
                {
                    writing += Time(() => sessions[Readers].Insert(scale.Rows + written, 1));
                    written++;
                } while (written < MostWritten && !read.Wait(1));
            }
            catch (EngineFaultException)
            {
                unwritten = 1;
            }

            return written;
        }
    }

    private bool IsAnswered(IEngineSession session, string[] keys, int first)
    {
        var expected = Enumerable
            .Range(first, KeysPerRequest)
            .Select(step => BlockTable.Scatter(step, scale.Rows))
            .Aggregate(0L, (sum, row) => Item.Fold(sum, Item.Size(row), Item.Volume(row)));
        try
        {
            return session.Read(keys.AsSpan(first, KeysPerRequest)) == expected;
        }
        catch (EngineFaultException)
        {
            return false;
        }
    }

    private void AddTime(string question, TimeSpan elapsed, int operations, long? answer, long faults = 0) =>
        m_figures.Add(new Figure(question, Figure.Microseconds, elapsed.TotalMicroseconds / operations, answer) { Faults = faults });

    private static TimeSpan Time(Action work)
    {
        var start = Stopwatch.GetTimestamp();
        work();
        return Stopwatch.GetElapsedTime(start);
    }

    private string NewFile(string name)
    {
        var place = Path.Combine(folder, name);
        if (Directory.Exists(place))
            Directory.Delete(place, recursive: true);
        Directory.CreateDirectory(place);
        return Path.Combine(place, "data");
    }
}
