namespace Duplicati.Benchmarks.Techniques;

/// <summary>One of the things that make the layer fast, as the same work done with it and without it.</summary>
internal abstract class Technique
{
    /// <summary>Short name; the part before a colon is the technique, the part behind it the case.</summary>
    public abstract string Name { get; }

    /// <summary>How the work is done without the technique.</summary>
    public abstract string Without { get; }

    /// <summary>When the layer itself does without it.</summary>
    public abstract string IsOff { get; }

    /// <summary>What is counted.</summary>
    public abstract string Entry { get; }

    /// <summary>Number of entries that one trial handles.</summary>
    /// <param name="blocks">Blocks the user asked for.</param>
    public virtual int Entries(int blocks) => blocks;

    /// <summary>Makes everything ready up to the point where the clock starts.</summary>
    /// <param name="setup">An empty folder, and how large the data is to be.</param>
    /// <param name="with">With the technique or without it.</param>
    public abstract Trial Begin(TrialSetup setup, bool with);
}

/// <summary>What a trial starts from.</summary>
/// <param name="Folder">An empty folder that is removed afterwards.</param>
/// <param name="Blocks">Blocks the user asked for.</param>
internal sealed record TrialSetup(string Folder, int Blocks)
{
    /// <summary>Where the database belongs.</summary>
    public string DatabasePath => Path.Combine(Folder, "local.sqlite");

    /// <summary>A copy of a template at <see cref="DatabasePath"/>.</summary>
    public string Copy(string template)
    {
        File.Copy(template, DatabasePath);
        return DatabasePath;
    }
}

/// <summary>One run of the work of a technique, ready to start.</summary>
/// <param name="run">The work; its time is measured.</param>
/// <param name="bytes">Bytes in use outside the garbage collector's heap when the work is done, of what the technique keeps.</param>
/// <param name="answer">What came out, as a number that a wrong result changes; not measured. The same with and without the technique.</param>
/// <param name="owned">Closed in this order.</param>
internal sealed class Trial(Action run, Func<long> answer, Func<long> bytes, params IDisposable[] owned) : IDisposable
{
    /// <summary>A trial of something that keeps nothing outside the heap.</summary>
    public Trial(Action run, Func<long> answer, params IDisposable[] owned)
        : this(run, answer, static () => 0, owned)
    {
    }


    public void Run() => run();

    public long Answer() => answer();

    public long Bytes() => bytes();

    public void Dispose()
    {
        foreach (var item in owned)
            item.Dispose();
    }
}
