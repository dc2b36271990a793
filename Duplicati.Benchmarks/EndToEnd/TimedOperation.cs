namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>An operation that is timed.</summary>
/// <param name="Key">How a user names it.</param>
/// <param name="Title">How reports name it.</param>
internal sealed record TimedOperation(string Key, string Title)
{
    public static readonly TimedOperation Backup = new("backup", "backup");
    public static readonly TimedOperation Changed = new("changed", "backup 10 % changed");
    public static readonly TimedOperation Unchanged = new("unchanged", "backup unchanged");
    public static readonly TimedOperation Recreate = new("recreate", "recreate");
    public static readonly TimedOperation Restore = new("restore", "restore");
    public static readonly TimedOperation List = new("list", "list");
    public static readonly TimedOperation Test = new("test", "test");
    public static readonly TimedOperation Delete = new("delete", "delete");
    public static readonly TimedOperation Compact = new("compact", "compact");
    public static readonly TimedOperation DeleteAll = new("delete-all", "delete all");

    /// <summary>All, in the order in which they are run and reported.</summary>
    public static IReadOnlyList<TimedOperation> All { get; } = [Backup, Changed, Unchanged, Recreate, Restore, List, Test, Delete, Compact, DeleteAll];

    /// <summary>Where an operation of this title stands among all; unknown ones come first.</summary>
    public static int Place(string title) => All.Select(operation => operation.Title).ToList().IndexOf(title);
}
