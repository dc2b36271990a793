namespace Duplicati.Benchmarks.Crosswise;

/// <summary>What came of all contenders working with each other's backups.</summary>
/// <param name="Command">The arguments that were typed.</param>
/// <param name="Environment">Where, with what and on what, by name.</param>
/// <param name="Rows">One for each pair and kind.</param>
internal sealed record CrossResults(string Command, IReadOnlyDictionary<string, string> Environment, IReadOnlyList<CrossRow> Rows)
{
    /// <summary>All that was done or could not be.</summary>
    public IEnumerable<CrossCell> Cells => Rows.SelectMany(row => row.Cells);
}

/// <summary>What came of one pair.</summary>
/// <param name="Kind">Crosswise, or hand to hand.</param>
/// <param name="Volumes">Plain, or AES.</param>
/// <param name="First">Who made the backup.</param>
/// <param name="Second">Who used it.</param>
/// <param name="Cells">What was done, in its order.</param>
internal sealed record CrossRow(string Kind, string Volumes, string First, string Second, IReadOnlyList<CrossCell> Cells)
{
    /// <summary>Operations that were to be killed.</summary>
    public int Kills { get; init; }

    /// <summary>Those that were still running when they were killed.</summary>
    public int Hits { get; init; }
}

/// <summary>One thing that was done.</summary>
/// <param name="What">Its name.</param>
/// <param name="Outcome">What came of it.</param>
/// <param name="Lines">What is wrong; empty if nothing is.</param>
internal sealed record CrossCell(string What, CrossOutcome Outcome, IReadOnlyList<string> Lines);

/// <summary>What came of something.</summary>
internal enum CrossOutcome
{
    /// <summary>It is as it should be.</summary>
    Good,

    /// <summary>It failed, or what came out is wrong.</summary>
    Wrong,

    /// <summary>It was not tried, as something failed before that it needs.</summary>
    NotTried,
}
