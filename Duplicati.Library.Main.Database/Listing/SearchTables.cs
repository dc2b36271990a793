#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The temporary tables of searching. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class SearchTables
{
    internal static readonly TempTable SearchRule = new("SearchRule", SearchSql.Create, SearchSql.Clear);
}
