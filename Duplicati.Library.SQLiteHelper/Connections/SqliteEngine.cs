using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The SQLite library of this process.</summary>
internal static class SqliteEngine
{
    /// <summary>Its version as text, such as <c>3.53.3</c>.</summary>
    internal static string VersionText { get; } = ReadVersion();

    /// <summary>Its version.</summary>
    internal static Version Version { get; } = new(VersionText);

    /// <summary>Its handle; where the provider is linked into the program, the program's.</summary>
    internal static nint Library { get; } = Find();

    private static string ReadVersion()
    {
        using var connection = new SqliteConnection();
        return connection.ServerVersion;
    }

    // The search that the provider's own imports go through finds the library that they have loaded.
    private static nint Find()
    {
        Batteries_V2.Init();
        var name = raw.GetNativeLibraryName();
        try
        {
            return NativeLibrary.TryLoad(name, Assembly.Load($"SQLitePCLRaw.provider.{name}"), null, out var handle) ? handle : NativeLibrary.GetMainProgramHandle();
        }
        catch (FileNotFoundException)
        {
            return NativeLibrary.GetMainProgramHandle();
        }
    }
}
