#nullable enable

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>Pieces of a condition on a table with the columns Timestamp and ID; no statements by themselves.</summary>
internal static class FilesetSelectionSql
{
    // Fileset has one row a version and no index on the time.
    internal const string AtTime = """
        "Timestamp" = @Timestamp
        """;

    // Fileset has one row a version and no index on the time.
    internal const string UntilTime = """
        "Timestamp" <= @Timestamp
        """;

    // Row id.
    internal const string WithId = """
        "ID" IN
        """;
}
