// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// Times contenders in turns on the same data: each makes a round of all operations, then the next; who begins changes from round to round.
/// </summary>
internal sealed class EndToEndRun(EndToEndOptions options, EndToEndStore store, TextWriter log)
{
    /// <summary>Runs what the store does not have yet. A contender that fails is left out from then on; the others go on.</summary>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public async Task RunAsync(CancellationToken token)
    {
        using var work = WorkFolder.Open(options);
        try
        {
            await RunAsync(work, token);
        }
        catch (Exception ex) when (ex is not OperationCanceledException)
        {
            work.Keep = true;
            throw;
        }
        finally
        {
            if (work.Keep)
                await log.WriteLineAsync($"The work folder is kept: {work.Path}");
        }
    }

    private async Task RunAsync(WorkFolder work, CancellationToken token)
    {
        await new ContenderTrial(options, work.Path, log).RunAllAsync(store.AddProgram, token);
        var source = await SourceData.MakeAsync(options, Path.Combine(work.Path, "source"), log, token);
        var contenders = Peer.Contenders(options);
        var failed = new HashSet<Peer>();
        for (var round = 1; round <= options.Repeat; round++)
        {
            for (var turn = 0; turn < contenders.Count; turn++)
            {
                var contender = contenders[(round - 1 + turn) % contenders.Count];
                if (failed.Contains(contender) || store.IsComplete(contender.Name, round))
                    continue;
                var folder = Path.Combine(work.Path, FormattableString.Invariant($"{contender.Name}-{round}"));
                if (await new ContenderRound(contender, round, options, store, log).RunAsync(source, folder, token))
                {
                    if (!options.Keep)
                        Directory.Delete(folder, recursive: true);
                    continue;
                }

                failed.Add(contender);
                work.Keep = true;
            }
        }
    }
}

/// <summary>The results of a run so far. Each is on the disk as soon as it is there, so that an interrupted run can be resumed.</summary>
internal sealed class EndToEndStore
{
    private readonly EndToEndOptions m_options;
    private readonly string m_command;
    private readonly List<(string Contender, string Operation, StepResult Result)> m_runs = [];
    private readonly List<StepFailure> m_failures = [];
    private readonly SortedDictionary<string, string> m_programs = new(StringComparer.Ordinal);

    private EndToEndStore(EndToEndOptions options, string command) => (m_options, m_command) = (options, command);

    /// <summary>Whether a program failed.</summary>
    public bool HasFailures => m_failures.Count > 0;

    /// <summary>All there is, in the order of the contenders, then of the operations.</summary>
    public EndToEndResults Results
    {
        get
        {
            var contenders = Peer.Contenders(m_options).Select(contender => contender.Name).ToList();
            return new EndToEndResults
            {
                Command = m_command,
                Environment = new Dictionary<string, string>(EndToEndEnvironment.Of(m_options, m_programs))
                {
                    ["measured"] = ProcessTree.Means,
                },
                Options = m_options,
                Results =
                [
                    .. m_runs
                        .GroupBy(run => (run.Contender, run.Operation))
                        .OrderBy(group => contenders.IndexOf(group.Key.Contender))
                        .ThenBy(group => TimedOperation.Place(group.Key.Operation))
                        .Select(group => new EndToEndSeries(
                            group.Key.Contender,
                            group.Key.Operation,
                            [.. group.Select(run => run.Result)]
                        )),
                ],
                Failures = [.. m_failures],
            };
        }
    }

    /// <summary>
    /// Begins anew, or goes on with the complete rounds of an earlier run; those that failed or were interrupted are made again.
    /// </summary>
    /// <exception cref="EndToEndException">There is nothing to go on with, or it is a run of something else.</exception>
    public static EndToEndStore Open(EndToEndOptions options, string command)
    {
        var store = new EndToEndStore(options, command);
        if (!options.Resume)
            return store;

        var path = Path.Combine(options.Output, EndToEndResults.FileName);
        if (!File.Exists(path))
            throw new EndToEndException($"There is nothing to resume: {path} is missing. Leave --resume out.");
        var old = Read(path);
        if (Subject(old.Options) != Subject(options))
            throw new EndToEndException(
                $"{path} is of a run with other data, programs or operations: {old.Command}. Give the same, or leave --resume out."
            );
        store.m_runs.AddRange(old.Results.SelectMany(series => series.Runs.Select(run => (series.Contender, series.Operation, run))));
        store.m_runs.RemoveAll(store.m_runs.Where(run => !store.IsComplete(run.Contender, run.Result.Round)).ToHashSet().Contains);
        return store;
    }

    /// <summary>Notes what a contender is.</summary>
    public void AddProgram(string contender, string version) => m_programs[contender] = version;

    /// <summary>Notes a result.</summary>
    public void Add(string contender, TimedOperation operation, StepResult result)
    {
        m_runs.Add((contender, operation.Title, result));
        Write();
    }

    /// <summary>Notes a failure.</summary>
    public void Add(StepFailure failure)
    {
        m_failures.Add(failure);
        Write();
    }

    /// <summary>Whether all operations of a round are there.</summary>
    public bool IsComplete(string contender, int round) =>
        m_options.Timed.All(operation =>
            m_runs.Count(run => run.Contender == contender && run.Operation == operation.Title && run.Result.Round == round)
            >= (operation == TimedOperation.Changed ? m_options.Versions - 1 : 1)
        );

    private static EndToEndResults Read(string path)
    {
        try
        {
            return ResultFile.Read<EndToEndResults>(path);
        }
        catch (InvalidDataException ex)
        {
            throw new EndToEndException(ex.Message, ex);
        }
    }

    // More rounds of the same may be asked for.
    private static string Subject(EndToEndOptions options) => JsonSerializer.Serialize(options with { Repeat = 0 });

    // A reader, or a run that is killed, never sees half of it.
    private void Write()
    {
        var path = Path.Combine(m_options.Output, EndToEndResults.FileName);
        File.WriteAllText(path + ".new", JsonSerializer.Serialize(Results, ResultFile.Json) + "\n");
        File.Move(path + ".new", path, overwrite: true);
    }
}

/// <summary>
/// The folder that a run works in, and its hold on the output folder, which no other run may use meanwhile. Disposing removes the work
/// folder unless it is to be kept.
/// </summary>
internal sealed class WorkFolder : IDisposable
{
    private const string LockName = ".e2e.lock";
    private const long Slack = 64 * 1024 * 1024;

    private readonly FileStream m_lock;

    private WorkFolder(string path, bool keep, FileStream lockFile) => (Path, Keep, m_lock) = (path, keep, lockFile);

    /// <summary>Full path.</summary>
    public string Path { get; }

    /// <summary>Whether it stays.</summary>
    public bool Keep { get; set; }

    /// <summary>Makes the folder, after a look at the space on its disk.</summary>
    /// <exception cref="EndToEndException">A folder is in use, or the disk is too small.</exception>
    public static WorkFolder Open(EndToEndOptions options)
    {
        if (options.Work is { } given && Directory.Exists(given) && Directory.EnumerateFileSystemEntries(given).Any())
            throw new EndToEndException($"The work folder {given} is in use: it has files. Give an empty or a new one.");

        var parent = System.IO.Path.GetFullPath(options.Work ?? System.IO.Path.GetTempPath());
        RequireSpace(parent, options);
        var lockFile = Lock(options.Output);
        try
        {
            var path = options.Work is null
                ? Directory.CreateTempSubdirectory("duplicati-e2e-").FullName
                : Directory.CreateDirectory(parent).FullName;
            return new WorkFolder(path, options.Keep, lockFile);
        }
        catch
        {
            lockFile.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!Keep)
            Directory.Delete(Path, recursive: true);
        m_lock.Dispose();
    }

    /// <summary>
    /// Bytes that a run has on the disk at most: the data, and for each contender a copy that is changed, the volumes twice, what is
    /// restored, and databases.
    /// </summary>
    internal static long BytesNeeded(EndToEndOptions options)
    {
        var data = options.Source is { } source
            ? new DirectoryInfo(source).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length)
            : options.TotalBytes;
        var kept = options.Keep ? options.Repeat * Peer.Contenders(options).Count : 1;
        return checked(data + (kept * ((5 * data) + (data / 10 * options.Versions))) + Slack);
    }

    private static void RequireSpace(string folder, EndToEndOptions options)
    {
        while (!Directory.Exists(folder))
            folder = System.IO.Path.GetDirectoryName(folder)!;
        var free = new DriveInfo(folder).AvailableFreeSpace;
        var needed = BytesNeeded(options);
        if (free < needed)
            throw new EndToEndException(
                $"There is too little space: this takes up to {SizeText.Of(needed)}, and {folder} has {SizeText.Of(free)} free. Give --work DIR on another disk, or less data."
            );
    }

    private static FileStream Lock(string output)
    {
        Directory.CreateDirectory(output);
        try
        {
            return new FileStream(
                System.IO.Path.Combine(output, LockName),
                FileMode.OpenOrCreate,
                FileAccess.ReadWrite,
                FileShare.None,
                1,
                FileOptions.DeleteOnClose
            );
        }
        catch (IOException ex)
        {
            throw new EndToEndException(
                $"The output folder {output} is in use by another run. Wait for it, or give another one by --output.",
                ex
            );
        }
    }
}
