#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>The temporary tables of repairs. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class RepairTables
{
    internal static readonly TempTable MissingBlock = new("MissingBlock", MissingBlockSql.Create, MissingBlockSql.Clear);
    internal static readonly TempTable MetadataMerge = new("MetadataMerge", MergeSql.CreateMetadata, MergeSql.ClearMetadata);
    internal static readonly TempTable FileMerge = new("FileMerge", MergeSql.CreateFiles, MergeSql.ClearFiles);
    internal static readonly TempTable ZeroLengthBlockset = new("ZeroLengthBlockset", ZeroLengthMetadataSql.CreateBlocksets, ZeroLengthMetadataSql.ClearBlocksets);
}
