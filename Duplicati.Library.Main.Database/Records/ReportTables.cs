#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Records;

/// <summary>The temporary tables of bug reports. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class ReportTables
{
    internal static readonly TempTable PathMap = new("PathMap", BugReportSql.CreatePathMap, BugReportSql.ClearPathMap);
}
