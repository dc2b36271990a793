#nullable enable

namespace Duplicati.Library.SQLiteHelper.Reporting;

internal static class LogPagesSql
{
    // No table.
    internal const string ReadJournalMode = "PRAGMA journal_mode";

    // No table.
    internal const string ReadPageBytes = "PRAGMA page_size";
}
