using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.History;

/// <summary>An operation on a database with a long history, at the door and by the statements of its definition.</summary>
internal sealed record HistoryOperation
{
    /// <summary>Short name.</summary>
    public required string Name { get; init; }

    /// <summary>What a row is.</summary>
    public required string Row { get; init; }

    /// <summary>The rows that the operation must look at or write, or that come out, whichever are more.</summary>
    public required Func<HistoryShape, long> Rows { get; init; }

    /// <summary>Whether it changes the database: then it has a copy of its own, commits, and closing belongs to it.</summary>
    public bool Changes { get; init; }

    /// <summary>Opens the type of database that core uses.</summary>
    public required Func<string, Task<LocalDatabase>> Open { get; init; }

    /// <summary>The members that core calls. Commits what is to be kept.</summary>
    public required Func<LocalDatabase, HistoryShape, Task<long>> Door { get; init; }

    /// <summary>The statements of the definition, within a transaction, which the caller commits or rolls back.</summary>
    public required Func<PlainStatements, HistoryShape, long> Plain { get; init; }

    /// <summary>An operation of the micro benchmarks.</summary>
    public static HistoryOperation Of(string name, string row, Func<HistoryShape, long> rows, Func<HistoryShape, OperationBenchmark> make, bool changes = false) => new()
    {
        Name = name,
        Row = row,
        Rows = rows,
        Changes = changes,
        Open = path => make(s_none).OpenDoorAsync(path),
        Door = async (database, shape) =>
        {
            var answer = await make(shape).DoorAsync(database).ConfigureAwait(false);
            if (changes)
                await database.CommitAsync(default).ConfigureAwait(false);
            return answer;
        },
        Plain = (plain, shape) => make(shape).RunPlain(plain),
    };

    // Opening asks for nothing.
    private static readonly HistoryShape s_none = new(1, 1, 100);
}
