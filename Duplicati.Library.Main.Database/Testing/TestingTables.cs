#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>The temporary tables of comparing volumes with the database. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class TestingTables
{
    internal static readonly TempTable ComparedBlock = new("ComparedBlock", ComparisonSql.CreateComparedBlock, ComparisonSql.ClearComparedBlock);
    internal static readonly TempTable ComparedFile = new("ComparedFile", ComparisonSql.CreateComparedFile, ComparisonSql.ClearComparedFile);
    internal static readonly TempTable StoredCopy = new("StoredCopy", ComparisonSql.CreateStoredCopy, ComparisonSql.ClearStoredCopy);
    internal static readonly TempTable ExpectedBlocklist = new("ExpectedBlocklist", ComparisonSql.CreateExpectedBlocklist, ComparisonSql.ClearExpectedBlocklist);
    internal static readonly TempTableTemplate Filelist = new("Filelist", ListSql.CreateFilelist, ListSql.ClearFilelist, ListSql.DropFilelist);
    internal static readonly TempTableTemplate Indexlist = new("Indexlist", ListSql.CreateIndexlist, ListSql.ClearIndexlist, ListSql.DropIndexlist);
    internal static readonly TempTableTemplate Blocklist = new("Blocklist", ListSql.CreateBlocklist, ListSql.ClearBlocklist, ListSql.DropBlocklist);
    internal static readonly TempTableTemplate BlocklistHashList = new("BlocklistHashList", ListSql.CreateBlocklistHashList, ListSql.ClearBlocklistHashList, ListSql.DropBlocklistHashList);
}
