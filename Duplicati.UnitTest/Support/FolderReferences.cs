// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Which folders of a project name types of which other ones, read from the sources. A type counts when its name stands in the code
/// of a file that imports its namespace. What the API's types nest, and the API's types as log tags, may be named from everywhere.
/// </summary>
internal sealed partial class FolderReferences
{
    // Files beside the project file.
    public const string Root = "(root)";

    private readonly List<(string Folder, string Name, string Code)> m_files = [];
    private readonly Dictionary<string, HashSet<(string Folder, string Namespace)>> m_types = new(StringComparer.Ordinal);
    private readonly HashSet<string> m_nested = new(StringComparer.Ordinal);

    private FolderReferences() { }

    /// <summary>Every folder with sources.</summary>
    public SortedSet<string> Folders { get; } = new(StringComparer.Ordinal);

    /// <summary>By the folder that uses and the one that is used: the types, each with a file that names it.</summary>
    public SortedDictionary<(string User, string Used), SortedSet<string>> All { get; } = [];

    /// <summary>Reads a project of the repository.</summary>
    public static FolderReferences Of(string project)
    {
        var result = new FolderReferences();
        var root = Repository.File(project);
        foreach (var file in Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories))
        {
            var parts = Path.GetRelativePath(root, file).Split(Path.DirectorySeparatorChar);
            if (parts[0] is not ("bin" or "obj"))
                result.Read(FolderOf(root, parts), parts[^1], File.ReadAllText(file));
        }

        foreach (var (folder, name, code) in result.m_files)
            result.Look(folder, name, code);
        return result;
    }

    // A folder without sources of its own is a group of folders.
    private static string FolderOf(string root, string[] parts) =>
        parts.Length == 1 ? Root
        : parts.Length > 2 && Directory.GetFiles(Path.Combine(root, parts[0]), "*.cs").Length == 0 ? parts[1]
        : parts[0];

    private void Read(string folder, string name, string text)
    {
        var code = Quoted().Replace(RawQuoted().Replace(Comment().Replace(text, ""), "\"\""), "\"\"");
        var space = Namespace().Match(code).Groups[1].Value;
        Folders.Add(folder);
        m_files.Add((folder, name, code));
        foreach (Match type in TypeDeclaration().Matches(code))
            (m_types.TryGetValue(type.Groups[1].Value, out var places) ? places : m_types[type.Groups[1].Value] = []).Add((folder, space));
        foreach (Match type in NestedDeclaration().Matches(code))
            m_nested.Add(type.Groups[1].Value);
    }

    private void Look(string folder, string name, string code)
    {
        var space = Namespace().Match(code).Groups[1].Value;
        var imported = Using().Matches(code).Select(x => x.Groups[1].Value).ToHashSet(StringComparer.Ordinal);
        var plain = LogTag().Replace(ApiMember().Replace(code, x => m_nested.Contains(x.Groups[1].Value) ? "" : x.Value), "");
        foreach (var word in Word().Matches(plain).Select(x => x.Value).Distinct(StringComparer.Ordinal))
        {
            if (!m_types.TryGetValue(word, out var places) || places.Any(x => x.Folder == folder))
                continue;
            foreach (
                var place in places.Where(x =>
                    imported.Contains(x.Namespace) || space == x.Namespace || space.StartsWith(x.Namespace + ".", StringComparison.Ordinal)
                )
            )
                (
                    All.TryGetValue((folder, place.Folder), out var found)
                        ? found
                        : All[(folder, place.Folder)] = new(StringComparer.Ordinal)
                ).Add($"{word} ({name})");
        }
    }

    [GeneratedRegex(@"//.*")]
    private static partial Regex Comment();

    [GeneratedRegex("""(?s)\"{3,}.*?\"{3,}""")]
    private static partial Regex RawQuoted();

    [GeneratedRegex(
        """
            "(?:\\.|[^"\\\n])*"
            """
    )]
    private static partial Regex Quoted();

    [GeneratedRegex(@"(?m)^namespace ([\w.]+);")]
    private static partial Regex Namespace();

    [GeneratedRegex(@"(?m)^using ([\w.]+);")]
    private static partial Regex Using();

    [GeneratedRegex(
        @"(?m)^(?:public |internal |static |sealed |abstract |partial |readonly |ref |unsafe )*(?:class|struct|interface|enum|record(?: struct| class)?|delegate [\w<>\[\], ?]+) (\w+)"
    )]
    private static partial Regex TypeDeclaration();

    [GeneratedRegex(
        @"(?m)^    (?:public |internal |protected |private |static |sealed |abstract |partial |readonly )*(?:class|struct|interface|enum|record(?: struct| class)?) (\w+)"
    )]
    private static partial Regex NestedDeclaration();

    [GeneratedRegex(@"\bLocal\w*Database\.(\w+)")]
    private static partial Regex ApiMember();

    [GeneratedRegex(@"LogTagFromType(?:<\w+>|\(typeof\(\w+\)\))")]
    private static partial Regex LogTag();

    [GeneratedRegex(@"(?<![\w.])[A-Z]\w+")]
    private static partial Regex Word();
}
