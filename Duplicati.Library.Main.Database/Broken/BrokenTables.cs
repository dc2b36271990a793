#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>The temporary tables of looking for broken and affected files. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class BrokenTables
{
    internal static readonly TempTable BrokenBlockset = new("BrokenBlockset", BrokenSql.CreateBlocksets, BrokenSql.ClearBlocksets);
    internal static readonly TempTable BrokenFile = new("BrokenFile", BrokenSql.CreateFiles, BrokenSql.ClearFiles);
    internal static readonly TempTable AffectedFile = new("AffectedFile", AffectedSql.CreateFiles, AffectedSql.ClearFiles);
    internal static readonly TempTable AffectedName = new("AffectedName", AffectedSql.CreateNames, AffectedSql.ClearNames);
}
