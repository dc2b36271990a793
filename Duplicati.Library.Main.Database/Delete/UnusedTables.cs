#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>The temporary tables of removing what no version uses. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class UnusedTables
{
    internal static readonly TempTable UnusedRange = new("UnusedRange", DeleteSql.CreateUnusedRange, DeleteSql.ClearUnusedRange);
}
