// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Support;

/// <summary>Files of this repository that tests read where they are, and that are not copied beside the built tests.</summary>
internal static class Repository
{
    private const string Solution = "Duplicati.sln";

    /// <summary>Its folder: the one above the built tests, or where these were built when they lie elsewhere.</summary>
    public static string Root { get; } = Find();

    /// <summary>The path of a file or folder, named from the root.</summary>
    public static string File(params ReadOnlySpan<string> names) => Path.Combine([Root, .. names]);

    private static string Find()
    {
        for (var folder = AppContext.BaseDirectory; folder != null; folder = Path.GetDirectoryName(folder))
            if (System.IO.File.Exists(Path.Combine(folder, Solution)))
                return folder;
        var built = typeof(Repository)
            .Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(x => x.Key == "RepositoryRoot")
            .Value!;
        return System.IO.File.Exists(Path.Combine(built, Solution))
            ? Path.GetFullPath(built)
            : throw new DirectoryNotFoundException(
                $"The tests read files of the repository, and it is neither above {AppContext.BaseDirectory} nor in {built}"
            );
    }
}

/// <summary>The statements of the product: every constant, in whatever class, whose text begins as one does.</summary>
internal static partial class SqlConstants
{
    internal static IEnumerable<(Type Type, string Name, string Sql)> In(params Assembly[] assemblies) =>
        from assembly in assemblies
        from type in assembly.GetTypes()
        from constant in type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
        where constant is { IsLiteral: true } && constant.FieldType == typeof(string)
        let sql = ((string)constant.GetRawConstantValue()!).Trim()
        where IsStatement(sql)
        select (type, $"{type.Name}.{constant.Name}", sql);

    /// <summary>Whether a text begins as a statement does. A verb alone, without what it works on, is a part of one.</summary>
    internal static bool IsStatement(string sql) => Start().IsMatch(sql);

    [GeneratedRegex("""^(\s*--[^\n]*\n)*\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE)\s([^;]*["(*_]|[^;]*\bFROM\s)""")]
    private static partial Regex Start();
}

/// <summary>Every temporary table that a folder of the data layer declares, found by reflection, so that none can be forgotten.</summary>
internal static class TemporaryTables
{
    public static IReadOnlyList<TempTable> Fixed { get; } = [.. Declared<TempTable>()];

    public static IReadOnlyList<TempTableTemplate> Templates { get; } = [.. Declared<TempTableTemplate>()];

    private static IEnumerable<T> Declared<T>() =>
        typeof(TempTable)
            .Assembly.GetTypes()
            .Where(x => x is { IsAbstract: true, IsSealed: true })
            .SelectMany(x => x.GetFields(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public))
            .Where(x => x.FieldType == typeof(T))
            .Select(x => (T)x.GetValue(null)!);
}
