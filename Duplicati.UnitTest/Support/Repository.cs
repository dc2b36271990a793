// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;

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
