#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>The temporary tables of a purge. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class PurgeTables
{
    internal static readonly TempTable PurgedCandidate = new("PurgedCandidate", PurgeSql.CreateCandidate, PurgeSql.ClearCandidate);
    internal static readonly TempTable PurgedBlock = new("PurgedBlock", PurgeSql.CreateBlock, PurgeSql.ClearBlock);
    internal static readonly TempTableTemplate DeletedFiles = new("TempDeletedFilesTable", PurgeSql.CreateDeletedFiles, PurgeSql.ClearDeletedFiles, PurgeSql.DropDeletedFiles);
}
