using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.Engine.Operations;

/// <summary>Upgrades a database to the current schema.</summary>
public static class UpgradeOperation
{
    /// <summary>Runs the upgrade.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>, <c>DatabaseVersionNotSupportedError</c>.</exception>
    public static UpgradeReport Run(string path)
    {
        DatabaseFile.RequireExists(path);
        var before = Version(path);
        using var connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        return new UpgradeReport(before, Version(path));
    }

    private static long Version(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        return reader.SchemaVersion;
    }
}
