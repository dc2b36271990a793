// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// Times contenders in turns on the same data: each makes a round of all operations, then the next; who begins changes from round to round.
/// </summary>
internal sealed class EndToEndRun(EndToEndOptions options, EndToEndStore store, TextWriter log)
{
    private const string Recorded = "recorded.sqlite";

    /// <summary>Runs what the store does not have yet. A contender that fails is left out from then on; the others go on.</summary>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public Task RunAsync(CancellationToken token) => WorkFolder.UseAsync(options, log, work => RunAsync(work, token));

    private async Task RunAsync(WorkFolder work, CancellationToken token)
    {
        await log.WriteLineAsync(options.Plan);
        await new ContenderTrial(options, work.Path, log).RunAllAsync((name, program) => store.Results.Programs[name] = program, token);
        var source = Path.Combine(work.Path, "source");
        await SourceData.MakeAsync(options, source, log, token);
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
                if (await Round(contender, round, options, work).RunAsync(source, folder, token))
                {
                    Directory.Delete(folder, recursive: true);
                    continue;
                }

                failed.Add(contender);
                work.Keep = true;
            }
        }

        if (failed.Count == 0 && options.TimedInDatabase.Any())
            await RunDatabasePartAsync(work, source, token);
    }

    private ContenderRound Round(Peer contender, int round, EndToEndOptions chosen, WorkFolder work) =>
        new(contender, round, chosen, store, log) { Recorded = Path.Combine(work.Path, Recorded) };

    private async Task RunDatabasePartAsync(WorkFolder work, string source, CancellationToken token)
    {
        var rounds = Enumerable.Range(1, options.Repeat).Where(round => !store.IsDatabaseComplete(round)).ToList();
        if (rounds.Count == 0)
            return;
        // All rounds of the whole operations may be of an earlier run.
        var recorded = Path.Combine(work.Path, Recorded);
        if (!File.Exists(recorded))
        {
            var contender = Peer.Contenders(options)[0];
            if (
                !await Round(contender, 1, options with { Operations = [] }, work).RunAsync(source, Path.Combine(work.Path, "again"), token)
            )
                return;
        }

        await log.WriteLineAsync(
            "\nThe database's part, seconds by the clock.\nFirst the backup is recorded, and all code is run once.\nround operation              plain     this speed-up"
        );
        try
        {
            var backup = RecordedBackup.Read(recorded, options.BlockSize);
            var part = new DatabasePart(backup, options.VolumeSize, options.DatabasePreset, Path.Combine(work.Path, "database"));
            part.WarmUp(token);
            foreach (var round in rounds)
                part.Run(round, Add, token);
        }
        catch (DatabasePartException ex)
        {
            store.Add(new StepFailure("database's part", ex.Operation, 1, null, ex.Lines));
            await log.WriteLineAsync($"The database's part of {ex.Operation} failed. {string.Join('\n', ex.Lines)}");
            work.Keep = true;
        }
    }

    private void Add(TimedOperation operation, StepResult plain, StepResult layer)
    {
        if (!options.TimedInDatabase.Contains(operation))
            return;
        store.AddPart(operation, plain, layer);
        log.WriteLine(
            FormattableString.Invariant(
                $"{plain.Round}/{options.Repeat}   {operation.Part, -20} {Numbers.Seconds(plain.WallSeconds), 8} {Numbers.Seconds(layer.WallSeconds), 8} {plain.WallSeconds / layer.WallSeconds, 8:F2}"
            )
        );
    }
}

/// <summary>The results of a run so far. Each is on the disk as soon as it is there, so that an interrupted run can be resumed.</summary>
internal sealed class EndToEndStore
{
    private readonly EndToEndOptions m_options;

    private EndToEndStore(EndToEndOptions options, string command)
    {
        m_options = options;
        Results = new EndToEndResults
        {
            Command = command,
            Environment = RunEnvironment.Current(options.Seed, options.Durability),
            Options = options,
        };
    }

    /// <summary>All there is.</summary>
    public EndToEndResults Results { get; }

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
        var runs = store.Results.Runs;
        runs.AddRange(old.Runs);
        runs.RemoveAll(
            old.Runs.Where(run =>
                    run.IsDatabase ? !store.IsDatabaseComplete(run.Result.Round) : !store.IsComplete(run.Contender, run.Result.Round)
                )
                .ToHashSet()
                .Contains
        );
        return store;
    }

    /// <summary>Notes a result.</summary>
    public void Add(string contender, TimedOperation operation, StepResult result)
    {
        Results.Runs.Add(new StoredRun(false, contender, operation.Title, result));
        Write();
    }

    /// <summary>Notes a result of the database's part.</summary>
    public void AddPart(TimedOperation operation, StepResult plain, StepResult layer)
    {
        Results.Runs.Add(new StoredRun(true, DatabaseWay.Plain.Name, operation.Part!, plain));
        Results.Runs.Add(new StoredRun(true, DatabaseWay.Layer.Name, operation.Part!, layer));
        Write();
    }

    /// <summary>Notes a failure.</summary>
    public void Add(StepFailure failure)
    {
        Results.Failures.Add(failure);
        Write();
    }

    /// <summary>Whether all operations of a round are there.</summary>
    public bool IsComplete(string contender, int round) =>
        m_options.Timed.All(operation =>
            Results.Runs.Count(run =>
                (run.IsDatabase, run.Contender, run.Operation, run.Result.Round) == (false, contender, operation.Title, round)
            ) >= (operation == TimedOperation.Changed ? m_options.Versions - 1 : 1)
        );

    /// <summary>Whether both ways of all operations of a round are there.</summary>
    public bool IsDatabaseComplete(int round) =>
        Results.Runs.Count(run => run.IsDatabase && run.Result.Round == round) == DatabaseWay.All.Count * m_options.TimedInDatabase.Count();

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
    private const long Slack = 64 * 1024 * 1024;

    private readonly FolderLock m_output;

    private WorkFolder(string path, FolderLock output) => (Path, m_output) = (path, output);

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
        FolderLock.RequireSpace(parent, BytesNeeded(options), "Give --work DIR on another disk, or less data.");
        var output = FolderLock.Take(options.Output, "output");
        try
        {
            var path = options.Work is null
                ? Directory.CreateTempSubdirectory("duplicati-e2e-").FullName
                : Directory.CreateDirectory(parent).FullName;
            return new WorkFolder(path, output);
        }
        catch
        {
            output.Dispose();
            throw;
        }
    }

    /// <summary>Opens one, and does something in it; what fails keeps the folder, which the log is told.</summary>
    /// <exception cref="EndToEndException">A folder is in use, or the disk is too small.</exception>
    public static async Task UseAsync(EndToEndOptions options, TextWriter log, Func<WorkFolder, Task> run)
    {
        using var work = Open(options);
        try
        {
            await run(work);
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

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!Keep)
            Directory.Delete(Path, recursive: true);
        m_output.Dispose();
    }

    /// <summary>
    /// Bytes that a run has on the disk at most: the data, and for a contender a copy that is changed, the volumes twice, what is restored,
    /// and databases. The database's part has a few of these, which take no more.
    /// </summary>
    internal static long BytesNeeded(EndToEndOptions options)
    {
        var data = options.TotalBytes;
        return checked(data + ((5 * data) + (data / 10 * options.Versions)) + Slack);
    }
}
