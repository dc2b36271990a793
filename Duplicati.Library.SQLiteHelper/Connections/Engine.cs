using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The SQLite library of this process.</summary>
internal static class Engine
{
    /// <summary>Its version as text, such as <c>3.53.3</c>.</summary>
    internal static string VersionText { get; } = ReadVersion();

    /// <summary>Its version.</summary>
    internal static Version Version { get; } = new(VersionText);

    private static string ReadVersion()
    {
        using var connection = new SqliteConnection();
        return connection.ServerVersion;
    }
}
