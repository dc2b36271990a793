
namespace Duplicati.Engine.Access;

/// <summary>The statements of <see cref="UnfinishedRecreate"/>.</summary>
internal static class UnfinishedRecreateSql
{
    /// <summary>The primary key's index.</summary>
    public const string READ = """SELECT "Value" FROM "Configuration" WHERE "Key" = $key""";

    /// <summary>The table of volumes, a row each, and one row by the primary key's index.</summary>
    public const string END = """
        BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS "RecreateVolume";
        DELETE FROM "Configuration" WHERE "Key" = $key;
        COMMIT
        """;

    /// <summary>Nobody else is writing.</summary>
    public const string TAKE = "BEGIN IMMEDIATE; ROLLBACK";
}
