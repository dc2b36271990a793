// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>A new folder for one test, removed with everything in it when disposed.</summary>
internal sealed class TestFolder : IDisposable
{
    private const string Prefix = "duplicati-test-";

    /// <summary>Makes the folder among the temporary files of the tests.</summary>
    public TestFolder() => Path = Directory.CreateTempSubdirectory(Prefix).FullName;

    /// <summary>Makes the folder in another one.</summary>
    public TestFolder(string parent) =>
        Path = Directory.CreateDirectory(System.IO.Path.Combine(parent, $"{Prefix}{Guid.NewGuid():N}")).FullName;

    /// <summary>Full path without a separator at its end.</summary>
    public string Path { get; }

    /// <summary>The path of a file or folder in it.</summary>
    public string File(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>The names of the files directly in it, sorted.</summary>
    public string[] Files() =>
        [.. Directory.GetFiles(Path).Select(System.IO.Path.GetFileName).OfType<string>().Order(StringComparer.Ordinal)];

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
