using System.Text.Json;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

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
                Environment = new Dictionary<string, string>(EndToEndEnvironment.Of(m_options, m_programs)) { ["measured"] = ProcessTree.Means },
                Options = m_options,
                Results =
                [
                    .. m_runs.GroupBy(run => (run.Contender, run.Operation))
                        .OrderBy(group => contenders.IndexOf(group.Key.Contender)).ThenBy(group => TimedOperation.Place(group.Key.Operation))
                        .Select(group => new EndToEndSeries(group.Key.Contender, group.Key.Operation, [.. group.Select(run => run.Result)])),
                ],
                Failures = [.. m_failures],
            };
        }
    }

    /// <summary>Begins anew, or goes on with the complete rounds of an earlier run; those that failed or were interrupted are made again.</summary>
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
            throw new EndToEndException($"{path} is of a run with other data, programs or operations: {old.Command}. Give the same, or leave --resume out.");
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
    public bool IsComplete(string contender, int round) => m_options.Timed.All(operation =>
        m_runs.Count(run => run.Contender == contender && run.Operation == operation.Title && run.Result.Round == round) >= (operation == TimedOperation.Changed ? m_options.Versions - 1 : 1));

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
