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

    // No table.
    internal const string ReadCheckpointPages = "PRAGMA wal_autocheckpoint";

    // No table.
    internal const string ReadPageBytes = "PRAGMA page_size";

    // No table; 64 MiB in pages of 4 KiB.
    internal const string SlowCheckpoints = "PRAGMA wal_autocheckpoint = 16384";

    // Moves what the vacuum left in the write-ahead log to the file; a reader that prevents it is no error.
    internal const string Checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
}
