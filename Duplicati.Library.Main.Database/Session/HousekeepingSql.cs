#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class HousekeepingSql
{
    // No table.
    internal const string Begin = "BEGIN";

    // No table.
    internal const string Rollback = "ROLLBACK";

    // Writes the whole file anew.
    internal const string Vacuum = "VACUUM";

    // Moves what the vacuum left in the write-ahead log to the file; a reader that prevents it is no error.
    internal const string Checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
}
