#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The temporary tables of a restore. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class RestoreTempTables
{
    internal static readonly TempTable RestoreFile = new("RestoreFile", RestoreFileSql.Create, RestoreFileSql.Clear);
    internal static readonly TempTable RestoreBlock = new("RestoreBlock", RestoreBlockSql.Create, RestoreBlockSql.Clear);
    internal static readonly TempTable RestoreNewlyDone = new("RestoreNewlyDone", RestoreBlockSql.CreateNewlyDone, RestoreBlockSql.ClearNewlyDone);
}
