// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What belongs to one cycle.</summary>
/// <param name="Plan">What is decided about it.</param>
/// <param name="Folder">Where everything of it lies.</param>
/// <param name="Peers">Who recreates the database as well.</param>
/// <param name="Breaks">Whether the recreated database is falsified, so that a test sees a cycle fail.</param>
/// <param name="Log">Notes all that happens.</param>
internal sealed record CycleContext(StressPlan Plan, string Folder, IReadOnlyList<Peer> Peers, bool Breaks, CycleLog Log)
{
    /// <summary>The remote folder.</summary>
    public string Remote => Path.Combine(Folder, "remote");

    /// <summary>The database that is used now.</summary>
    public string Database { get; set; } = Path.Combine(Folder, "first.sqlite");

    /// <summary>What is backed up.</summary>
    public StressSource Source { get; } = new(Path.Combine(Folder, "source"), Plan);

    /// <summary>What must be there.</summary>
    public VersionModel Model { get; } = new(Path.Combine(Folder, "source"), Path.Combine(Folder, "remote"));

    /// <summary>What was done.</summary>
    public CycleCounts Counts { get; } = new();

    /// <summary>What operations are given.</summary>
    public EngineOptions Options => Plan.Options(Remote, Database);

    /// <summary>A path of the cycle.</summary>
    public string File(string name) => Path.Combine(Folder, name);
}

/// <summary>What was done, by its name, in a cycle or in all of a run.</summary>
internal sealed class CycleCounts() : SortedDictionary<string, long>(StringComparer.Ordinal)
{
    /// <summary>Operations that were to be killed, and those of them that were still running.</summary>
    public const string Kills = "wanted kills";

    /// <summary>See <see cref="Kills"/>.</summary>
    public const string Hits = "kills";

    /// <summary>In words.</summary>
    public string Text => string.Join(", ", this.Select(x => FormattableString.Invariant($"{x.Value} {x.Key}")));

    /// <summary>Counts something.</summary>
    public void Note(string what, long more = 1) => this[what] = this.GetValueOrDefault(what) + more;
}

/// <summary>Notes all that happens in a cycle, in a file that stays when the cycle fails. Thread-safe.</summary>
internal sealed class CycleLog : IEngineProgress, IDisposable
{
    private readonly Lock m_lock = new();
    private readonly StreamWriter m_file;

    /// <param name="path">The file.</param>
    public CycleLog(string path) => m_file = new StreamWriter(path, append: true) { AutoFlush = true };

    /// <inheritdoc/>
    public void Message(string text) => Write("  " + text);

    /// <inheritdoc/>
    public void Working(string text) { }

    /// <inheritdoc/>
    public void Warning(string text) => Write("  warning: " + text);

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total) { }

    /// <summary>Notes a line.</summary>
    public void Write(string line)
    {
        lock (m_lock)
            m_file.WriteLine(line);
    }

    /// <inheritdoc/>
    public void Dispose() => m_file.Dispose();
}

/// <summary>Something in a cycle is not as it should be.</summary>
/// <param name="what">What was being done.</param>
/// <param name="lines">What is wrong.</param>
internal sealed class StressFailure(string what, IEnumerable<string> lines) : Exception($"{what}: {Shortened([.. lines])}")
{
    private const int MostLines = 10;

    /// <summary>Fails if anything is wrong.</summary>
    public static void Require(string what, IEnumerable<string> wrong)
    {
        var lines = wrong.ToList();
        if (lines.Count > 0)
            throw new StressFailure(what, lines);
    }

    private static string Shortened(List<string> lines) =>
        string.Join("; ", lines.Take(MostLines))
        + (lines.Count > MostLines ? FormattableString.Invariant($"; and {lines.Count - MostLines} more") : "");
}
