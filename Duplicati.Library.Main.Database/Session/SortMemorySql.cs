#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class SortMemorySql
{
    // One thread, because each takes memory of its own.
    internal const string TemporaryDataInFiles = "PRAGMA temp_store=FILE; PRAGMA threads=0";
}
