#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>The temporary tables of taking over entries of the version before. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class PreviousTables
{
    internal static readonly TempTable DeletedPath = new("DeletedPath", PreviousTablesSql.CreateDeletedPath, PreviousTablesSql.ClearDeletedPath);
}
