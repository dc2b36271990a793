#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Paths;

/// <summary>The temporary tables of filters of paths. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class FilenameTables
{
    internal static readonly TempTableTemplate Filenames = new("Filenames", FilenameTablesSql.CreateFilenames, FilenameTablesSql.ClearFilenames, FilenameTablesSql.DropFilenames);
}
