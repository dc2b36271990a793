namespace Duplicati.Engine.Operations;

/// <summary>The statements of <see cref="InspectOperation"/>.</summary>
internal static class InspectSql
{
    /// <summary>Reads the header.</summary>
    internal const string PAGE_SIZE = "PRAGMA page_size";

    /// <summary>Reads the header.</summary>
    internal const string PAGE_COUNT = "PRAGMA page_count";

    /// <summary>Reads the header.</summary>
    internal const string FREE_PAGES = "PRAGMA freelist_count";

    /// <summary>Reads every page; one row a table or index, the largest first.</summary>
    internal const string OBJECT_SIZES =
        """
        SELECT "s"."name", COALESCE("m"."type", 'table'), "s"."pgsize", "s"."unused"
        FROM "dbstat" AS "s" LEFT JOIN "sqlite_master" AS "m" ON "m"."name" = "s"."name"
        WHERE "s"."aggregate" = TRUE
        ORDER BY "s"."pgsize" DESC, "s"."name"
        """;
}
