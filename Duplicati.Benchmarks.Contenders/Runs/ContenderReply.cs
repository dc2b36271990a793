// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Contenders.Runs;

/// <summary>The answer to a question, and what it cost.</summary>
/// <param name="Question">The question.</param>
/// <param name="Unit">One of the units below; less is better in all of them.</param>
/// <param name="Value">What it cost.</param>
/// <param name="Answer">The same for all contenders; null where nothing is found or written.</param>
internal sealed record Figure(string Question, string Unit, double Value, long? Answer)
{
    /// <summary>Requests that failed or were answered wrongly. What the others cost counts for nothing then.</summary>
    public long Faults { get; init; }

    /// <summary>Time of an operation.</summary>
    public const string Microseconds = "µs";

    /// <summary>Memory or disk.</summary>
    public const string MiB = "MiB";
}

/// <summary>What a contender's process writes at its end.</summary>
/// <param name="Package">Version of the package.</param>
/// <param name="Engine">What keeps the data.</param>
/// <param name="Settings">As read back.</param>
/// <param name="Figures">In the order of the questions.</param>
internal sealed record ContenderReply(string Package, string Engine, string Settings, IReadOnlyList<Figure> Figures);

/// <summary>What a contender's process is to do.</summary>
/// <param name="Table">The table that it is for, one of the names below.</param>
/// <param name="Contender">Its name.</param>
/// <param name="Folder">A folder for it alone, which exists.</param>
/// <param name="Template">A database with the blocks, of which it makes a copy.</param>
/// <param name="SmallTemplate">A small one to warm up with.</param>
/// <param name="Rows">Rows of the table; commits to make, for <see cref="Commits"/>.</param>
/// <param name="IsSmoke">Whether little is asked.</param>
internal sealed record ContenderRequest(
    string Table,
    string Contender,
    string Folder,
    string Template,
    string SmallTemplate,
    int Rows,
    bool IsSmoke
)
{
    /// <summary>Ways to use SQLite.</summary>
    public const string Providers = "providers";

    /// <summary>Stores.</summary>
    public const string Engines = "engines";

    /// <summary>Only commits, for who counts flushes.</summary>
    public const string Commits = "commits";
}

/// <summary>A reply, and where it belongs.</summary>
internal sealed record Sample(string Table, int Rows, int Round, string Contender, string Commit, ContenderReply Reply);
