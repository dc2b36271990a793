// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Linking;

/// <summary>
/// A small tree laid out as Duplicati core is: its helper project and its main project with a data layer of their own, the projects these
/// refer to, and a program on top that opens a database and prints what it finds. Core's other types are this repository's stand-ins.
/// </summary>
internal sealed partial class CoreTree : IDisposable
{
    private const string Usings = """
        #nullable enable
        using System;
        using System.Collections.Generic;
        using System.IO;
        using System.Linq;
        using System.Threading;
        using System.Threading.Tasks;

        """;

    private readonly TestFolder m_folder = new();
    private readonly CoreState m_state;

    /// <param name="state">The state that the tree is in.</param>
    /// <param name="reference">A package reference that both projects get, or an empty text.</param>
    internal CoreTree(CoreState state = CoreState.Schema19, string reference = "")
    {
        m_state = state;
        WriteLibraries();
        WriteHelper(reference);
        WriteMain(reference);
        WriteProgram();
    }

    /// <summary>The main project's folder.</summary>
    internal string Main => m_folder.File("Duplicati/Library/Main");

    /// <summary>The schema of the tree.</summary>
    internal int Schema => m_state == CoreState.Schema20 ? 20 : 19;

    /// <summary>Adds an empty file, and returns its path.</summary>
    internal string Add(string name)
    {
        Write(name, "");
        return m_folder.File(name);
    }

    /// <summary>Adds a folder of packages to those that a restore looks into.</summary>
    internal void UsePackagesOf(string folder) =>
        Write(
            "nuget.config",
            $"""
            <configuration><packageSources><add key="tested" value="{folder}" /></packageSources></configuration>
            """
        );

    /// <summary>Builds the program and what it needs. One compiler for all projects: five that begin cold take three times as long.</summary>
    internal (int ExitCode, string Output) Build(params string[] properties) =>
        DotNet([
            "build",
            m_folder.File("Program/Program.csproj"),
            "--nologo",
            .. new[] { "-v", "quiet", "-p:UseSharedCompilation=true" },
            .. properties,
        ]);

    /// <summary>Runs one target of the main project, without building or restoring anything.</summary>
    internal (int ExitCode, string Output) RunTargetOfMain(string target, params string[] properties) =>
        DotNet(["msbuild", Path.Combine(Main, "Duplicati.Library.Main.csproj"), "-nologo", $"-t:{target}", .. properties]);

    /// <summary>Runs the built program.</summary>
    internal (int ExitCode, string Output) Run() =>
        DotNet(["exec", m_folder.File("Program/bin/Debug/net10.0/Duplicati.UnitTest.dll"), m_folder.File("new.sqlite")]);

    /// <summary>Names of the databases beside the one that the program makes, copies included.</summary>
    internal string[] DatabaseFiles() => [.. Directory.GetFiles(m_folder.Path, "*.sqlite").Select(x => Path.GetFileName(x))];

    /// <summary>Texts and names of all files that were written, to see that none was changed.</summary>
    internal string[] Sources() =>
        [
            .. Directory
                .EnumerateFiles(m_folder.Path, "*", SearchOption.AllDirectories)
                .Where(x =>
                    !x.Contains("/bin/", StringComparison.Ordinal)
                    && !x.Contains("/obj/", StringComparison.Ordinal)
                    && !x.Contains(".sqlite", StringComparison.Ordinal)
                )
                .Order(StringComparer.Ordinal)
                .Select(x => $"{x}: {File.ReadAllText(x)}"),
        ];

    /// <summary>Runs the SDK with nothing of what the test runner tells its own MSBuild.</summary>
    internal static (int ExitCode, string Output) DotNet(params string[] args)
    {
        var start = new ProcessStartInfo(ChildProcess.Host, args);
        foreach (
            var name in start
                .Environment.Keys.Where(x =>
                    x.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase)
                    || x.StartsWith("VSTEST", StringComparison.OrdinalIgnoreCase)
                )
                .ToList()
        )
            start.Environment.Remove(name);
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        // As the tests themselves, for the compiler.
        start.Environment["DOTNET_TieredPGO"] = "0";
        var (exitCode, output, error) = ChildProcess.Run(start);
        return (exitCode, output + error);
    }

    public void Dispose() => m_folder.Dispose();

    private static string Version(string package)
    {
        var central = File.ReadAllText(Repository.File("Directory.Packages.props"));
        return PackageVersion().Matches(central).Single(x => x.Groups[1].Value == package).Groups[2].Value;
    }

    // All stand-ins but those of the main project go into one library; core's other libraries have nothing that a reference would need, and
    // Common is there to be referred to by the layer alone.
    private void WriteLibraries()
    {
        var stubs = Repository.File("Linking", "CoreStubs");
        WriteProject(
            "Duplicati/Library/Interface/Duplicati.Library.Interface.csproj",
            """
              <PropertyGroup><ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable></PropertyGroup>
              <ItemGroup><InternalsVisibleTo Include="SQLiteHelper" /><InternalsVisibleTo Include="Duplicati.Library.Main" /></ItemGroup>
            """
        );
        foreach (var file in Directory.EnumerateFiles(stubs, "*.cs", SearchOption.AllDirectories))
        {
            var name = Path.GetRelativePath(stubs, file);
            if (!name.StartsWith("obj", StringComparison.Ordinal) && !name.StartsWith("Main", StringComparison.Ordinal))
                Write($"Duplicati/Library/Interface/{name}", OfState(File.ReadAllText(file)));
            else if (name.StartsWith("Main", StringComparison.Ordinal))
                Write($"Duplicati/Library/{name}", Usings + File.ReadAllText(file));
        }

        Write(
            "Duplicati/Library/Interface/ResultInterfaces.cs",
            m_state == CoreState.Schema20 ? "namespace Duplicati.Library.Interface { public interface ISetVersionLabelResults { } }" : ""
        );
        WriteProject(
            "Duplicati/Library/Common/Duplicati.Library.Common.csproj",
            References(["../Interface/Duplicati.Library.Interface.csproj"])
        );
    }

    // The stand-ins have the newest interfaces.
    private string OfState(string text) => m_state == CoreState.Schema20 ? text : LabelMember().Replace(text, "");

    private void WriteHelper(string reference)
    {
        WriteProject(
            "Duplicati/Library/SQLiteHelper/Duplicati.Library.SQLiteHelper.csproj",
            $"""
              <PropertyGroup><AssemblyName>SQLiteHelper</AssemblyName></PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Microsoft.Data.Sqlite" Version="{Version("Microsoft.Data.Sqlite")}" />
                <PackageReference Include="SQLitePCLRaw.bundle_e_sqlite3" Version="{Version("SQLitePCLRaw.bundle_e_sqlite3")}" />
                {reference}
              </ItemGroup>
            """ + References(["../Interface/Duplicati.Library.Interface.csproj"])
        );
        Write(
            "Duplicati/Library/SQLiteHelper/SQLiteLoader.cs",
            "namespace Duplicati.Library.SQLiteHelper { public static class SQLiteLoader { } }"
        );
        Write(
            "Duplicati/Library/SQLiteHelper/DatabaseUpgrader.cs",
            "namespace Duplicati.Library.SQLiteHelper { public static class DatabaseUpgrader { } }"
        );
    }

    private void WriteMain(string reference)
    {
        WriteProject(
            "Duplicati/Library/Main/Duplicati.Library.Main.csproj",
            $"""
              <ItemGroup>
                <EmbeddedResource Include="Database\Local\Database schema\*.sql" />
                <EmbeddedResource Include="Database\Sync\Database schema\*.sql" />
                {reference}
              </ItemGroup>
            """ + References(["../SQLiteHelper/Duplicati.Library.SQLiteHelper.csproj", "../Common/Duplicati.Library.Common.csproj"])
        );
        Write(
            "Duplicati/Library/Main/Database/Local/LocalDatabase.cs",
            "namespace Duplicati.Library.Main.Database.Local { internal class LocalDatabase { } }"
        );
        Write("Duplicati/Library/Main/Database/Local/Database schema/Schema.sql", "core's own");
        for (var version = 18; version <= Schema; version++)
        {
            Write($"Duplicati/Library/Main/Database/Local/Database schema/{version}. Core's.sql", "core's own");
            Write($"Duplicati/CommandLine/DatabaseTool/Scripts/Local/{version}. Undo core's.sql", "core's own");
        }

        foreach (var (name, text) in CoreCallers.Of(m_state))
            Write($"Duplicati/Library/Main/Operation/{name}", text);
        Write("Duplicati/Library/Main/Database/Sync/Database schema/Schema.sql", "core's own");
    }

    // Core's unit tests may see the internals of its main project, so the program takes their name.
    private void WriteProgram()
    {
        WriteProject(
            "Program/Program.csproj",
            """
              <PropertyGroup><OutputType>Exe</OutputType><AssemblyName>Duplicati.UnitTest</AssemblyName></PropertyGroup>
            """ + References(["../Duplicati/Library/Main/Duplicati.Library.Main.csproj"])
        );
        Write(
            "Program/Program.cs",
            """
            System.Console.WriteLine(await Duplicati.Library.Main.Operation.Callers.RunAsync(args[0]));
            """
        );
    }

    private void WriteProject(string name, string content) =>
        Write(
            name,
            $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup><TargetFramework>net10.0</TargetFramework><RunAnalyzers>false</RunAnalyzers><NuGetAudit>false</NuGetAudit></PropertyGroup>
            {content}
            </Project>
            """
        );

    private static string References(string[] projects) =>
        $"\n  <ItemGroup>{string.Concat(projects.Select(x => $"<ProjectReference Include=\"{x}\" />"))}</ItemGroup>";

    private void Write(string name, string text)
    {
        var path = m_folder.File(name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    [GeneratedRegex(@"\n    /// [^\n]*\n    string\? Label \{ get; \}\n")]
    private static partial Regex LabelMember();

    [GeneratedRegex("<PackageVersion Include=\"([^\"]+)\" Version=\"([^\"]+)\"")]
    private static partial Regex PackageVersion();
}
