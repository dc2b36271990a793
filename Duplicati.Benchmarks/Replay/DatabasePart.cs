// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Processes;
using Duplicati.Engine.Dump;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Replay;

/// <summary>An operation that is timed.</summary>
/// <param name="Key">How a user names it.</param>
/// <param name="Title">How reports name it.</param>
/// <param name="Part">How they name the database's part of it; null where that is not measured.</param>
internal sealed record TimedOperation(string Key, string Title, string? Part = null)
{
    public static readonly TimedOperation Backup = new("backup", "backup", "first backup");
    public static readonly TimedOperation Changed = new("changed", "backup 10 % changed", "next backup");
    public static readonly TimedOperation Unchanged = new("unchanged", "backup unchanged");
    public static readonly TimedOperation Recreate = new("recreate", "recreate", "recreate");
    public static readonly TimedOperation Restore = new("restore", "restore", "lists of a restore");
    public static readonly TimedOperation List = new("list", "list", "listing");
    public static readonly TimedOperation Test = new("test", "test");
    public static readonly TimedOperation Delete = new("delete", "delete", "delete");
    public static readonly TimedOperation Compact = new("compact", "compact", "report of a compact");
    public static readonly TimedOperation DeleteAll = new("delete-all", "delete all", "delete all");

    /// <summary>All, in the order in which they are run and reported.</summary>
    public static IReadOnlyList<TimedOperation> All { get; } =
    [Backup, Changed, Unchanged, Recreate, Restore, List, Test, Delete, Compact, DeleteAll];

    /// <summary>Those whose database part is measured.</summary>
    public static IReadOnlyList<TimedOperation> InDatabase { get; } = [.. All.Where(operation => operation.Part is not null)];

    /// <summary>Where an operation of this title stands among all.</summary>
    public static int Place(string title) => All.Select(operation => operation.Title).ToList().IndexOf(title);
}

/// <summary>One of the two ways to do all of it.</summary>
/// <param name="Name">How reports name it.</param>
/// <param name="Backup">Opens a database for a backup.</param>
/// <param name="Recreate">Opens one for a recreate.</param>
/// <param name="Ask">Opens a database of one type, asks it, and closes it.</param>
internal sealed record DatabaseWay(
    string Name,
    Func<string, RecordedBackup, IBackupCalls> Backup,
    Func<string, RecordedBackup, IRecreateCalls> Recreate,
    Func<string, AskedFor, IReadOnlyList<Question>, long> Ask
)
{
    /// <summary>The way of the replaced layer.</summary>
    public static readonly DatabaseWay Plain = new(
        "plain",
        (path, backup) => new PlainBackupCalls(path, backup),
        (path, backup) => new PlainRecreateCalls(path, backup),
        (path, asked, questions) =>
        {
            using var calls = new PlainCalls(path, questions[0].Operation);
            return questions.Sum(question => question.Plain(calls, asked));
        }
    );

    /// <summary>This layer.</summary>
    public static readonly DatabaseWay Layer = new(
        "this",
        (path, backup) => new LayerBackupCalls(path, backup),
        (path, backup) => new LayerRecreateCalls(path, backup),
        (path, asked, questions) =>
        {
            using var database = questions[0].Open(path).Await();
            return questions.Sum(question => question.Layer(database, asked).Await());
        }
    );

    public static IReadOnlyList<DatabaseWay> All { get; } = [Plain, Layer];
}

/// <summary>A way failed, or the two left other tables or gave other answers.</summary>
internal sealed class DatabasePartException(string operation, IReadOnlyList<string> lines) : Exception(string.Join('\n', lines))
{
    public string Operation => operation;

    public IReadOnlyList<string> Lines => lines;
}

/// <summary>
/// Measures the database's part of operations on a recorded backup, the two ways in turns: what makes a database begins with none, and what
/// asks or deletes has a copy of the one that the plain way has made. Opening and closing belong to each.
/// </summary>
/// <param name="backup">The backup.</param>
/// <param name="volumeSize">Bytes in a volume.</param>
/// <param name="preset">The preset of this layer.</param>
/// <param name="folder">A folder for the databases, which stay only after a failure.</param>
internal sealed class DatabasePart(RecordedBackup backup, long volumeSize, string preset, string folder)
{
    private const int WarmUpEntries = 30;
    private const int ShownCharacters = 200;

    /// <summary>What the plain way is held against.</summary>
    public DatabaseWay Layer { get; init; } = DatabaseWay.Layer;

    private readonly RecreateReplay m_recreate = new(backup);
    private readonly AskedFor m_asked = AskedFor.Of(backup, volumeSize);

    /// <summary>Has everything compiled, on a small part of the backup.</summary>
    public void WarmUp(CancellationToken token) =>
        new DatabasePart(backup.Take(WarmUpEntries), volumeSize, preset, folder) { Layer = Layer }.Run(0, (_, _, _) => { }, token);

    /// <summary>Runs one round.</summary>
    /// <param name="round">From 1; who begins changes from round to round.</param>
    /// <param name="measured">Told what an operation cost in the plain way and by this layer.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="DatabasePartException">The ways differ.</exception>
    public void Run(int round, Action<TimedOperation, StepResult, StepResult> measured, CancellationToken token)
    {
        using var used = ConnectionPreset.Use(preset);
        Directory.CreateDirectory(folder);
        new Round(this, round, measured, token).Run();
        Directory.Delete(folder, recursive: true);
    }

    private sealed class Round(
        DatabasePart part,
        int round,
        Action<TimedOperation, StepResult, StepResult> measured,
        CancellationToken token
    )
    {
        private readonly RecordedBackup m_backup = part.Backup;

        private readonly DatabaseWay[] m_ways = [DatabaseWay.Plain, part.Layer];

        private IEnumerable<DatabaseWay> Turns => round % 2 == 1 ? m_ways : m_ways.Reverse();

        public void Run()
        {
            Do(TimedOperation.Backup, way => BackUp(way, 0, 1));
            Do(TimedOperation.Changed, way => BackUp(way, 1, m_backup.Versions.Count));
            Compare(TimedOperation.Changed, "backup");
            Do(TimedOperation.Recreate, Recreate);
            Compare(TimedOperation.Recreate, "recreate");

            CopyBackup("used");
            CopyBackup("emptied");
            var times = m_backup.Versions.Select(version => version.Time).ToList();
            Ask(TimedOperation.Restore, "used", [], Question.RestoreLists);
            Ask(TimedOperation.List, "used", [], [.. Question.Listing]);
            Ask(TimedOperation.Delete, "used", times[..1], Question.Delete);
            Compare(TimedOperation.Delete, "used");
            Ask(TimedOperation.Compact, "used", [], Question.CompactReport);
            Ask(TimedOperation.DeleteAll, "emptied", times, Question.Delete);
            Compare(TimedOperation.DeleteAll, "emptied");
        }

        private void CopyBackup(string name)
        {
            foreach (var way in m_ways)
                File.Copy(PathOf(DatabaseWay.Plain, "backup"), PathOf(way, name));
        }

        private string PathOf(DatabaseWay way, string name) => Path.Combine(part.Folder, $"{way.Name}-{name}.sqlite");

        private long BackUp(DatabaseWay way, int first, int end)
        {
            var answer = 0L;
            for (var version = first; version < end; version++)
            {
                using var calls = way.Backup(PathOf(way, "backup"), m_backup);
                answer += new BackupReplay(m_backup, calls).Run(version, token);
            }

            return answer;
        }

        private long Recreate(DatabaseWay way)
        {
            using var calls = way.Recreate(PathOf(way, "recreate"), m_backup);
            part.m_recreate.Run(calls, token);
            return 0;
        }

        private void Ask(TimedOperation operation, string name, IReadOnlyList<long> deleted, params Question[] questions) =>
            Do(operation, way => way.Ask(PathOf(way, name), part.m_asked with { Deleted = deleted }, questions));

        private void Do(TimedOperation operation, Func<DatabaseWay, long> work)
        {
            if (Measure(operation, work).Distinct().Count() > 1)
                throw new DatabasePartException(operation.Part!, ["The two ways gave different answers."]);
        }

        private List<long> Measure(TimedOperation operation, Func<DatabaseWay, long> work)
        {
            var answers = new List<long>();
            var costs = new Dictionary<DatabaseWay, StepResult>();
            foreach (var way in Turns)
            {
                token.ThrowIfCancellationRequested();
                GC.Collect();
                var (processor, written, clock) = (Environment.CpuUsage.TotalTime, ProcessWrites.Bytes(), Stopwatch.GetTimestamp());
                answers.Add(Try(operation, way, work));
                var wall = Stopwatch.GetElapsedTime(clock).TotalSeconds;
                var cpu = (Environment.CpuUsage.TotalTime - processor).TotalSeconds;
                costs.Add(way, new StepResult(wall, cpu, -1, (ProcessWrites.Bytes() - written) ?? -1) { Round = round });
            }

            measured(operation, costs[DatabaseWay.Plain], costs[part.Layer]);
            return answers;
        }

        private static long Try(TimedOperation operation, DatabaseWay way, Func<DatabaseWay, long> work)
        {
            try
            {
                return work(way);
            }
            catch (Exception ex) when (ex is not OperationCanceledException)
            {
                throw new DatabasePartException(operation.Part!, [$"{way.Name}: {ex.Message}"]);
            }
        }

        // Later rounds do the same with the same.
        private void Compare(TimedOperation operation, string name)
        {
            if (round > 1)
                return;
            var dumps = m_ways.AsParallel().AsOrdered().Select(way => Dump(PathOf(way, name))).ToList();
            var (plain, layer) = (File.ReadLines(dumps[0]), File.ReadLines(dumps[1]));
            var different = plain
                .Select(line => (string?)line)
                .Append(null)
                .Zip(layer.Select(line => (string?)line).Append(null))
                .FirstOrDefault(pair => pair.First != pair.Second);
            if (different != default)
                throw new DatabasePartException(
                    operation.Part!,
                    [
                        "The two ways left different tables. The first difference:",
                        $"plain {Shown(different.First)}",
                        $"this  {Shown(different.Second)}",
                    ]
                );
            token.ThrowIfCancellationRequested();
        }

        private static string Dump(string path)
        {
            var name = path + ".json";
            using var output = File.Create(name);
            DatabaseDump.Write(path, output);
            return name;
        }

        private static string Shown(string? line) => line is null ? "nothing" : line[..Math.Min(line.Length, ShownCharacters)];
    }

    private RecordedBackup Backup => backup;

    private string Folder => folder;
}
