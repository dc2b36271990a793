// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Linking;

namespace Duplicati.UnitTest.Tool;

/// <summary>The tool as its users get it: installed from its package, completed by a shell, explained by its help.</summary>
[TestFixture]
internal sealed class ToolInstallTests
{
    // The one that these tests were built in, and the tool with them.
    private static string Configuration =>
        AppContext.BaseDirectory.Contains($"{Path.DirectorySeparatorChar}Debug{Path.DirectorySeparatorChar}", StringComparison.Ordinal)
            ? "Debug"
            : "Release";

    private static IEnumerable<string> Commands => ToolRoot.Of().Subcommands.Select(x => x.Name);

    [Test]
    public void The_package_installs_as_a_tool_that_runs()
    {
        using var folder = new TestFolder();
        var project = Repository.File("Tools", "duplicati-db");
        var pack = CoreTree.DotNet("pack", project, "-c", Configuration, "--no-build", "--nologo", "-o", folder.File("packages"));
        Assert.That(pack.ExitCode, Is.Zero, pack.Output);
        File.WriteAllText(
            folder.File("nuget.config"),
            $"""
            <configuration><packageSources><clear /><add key="tested" value="{folder.File("packages")}" /></packageSources></configuration>
            """
        );

        var install = CoreTree.DotNet(
            "tool",
            "install",
            "Duplicati.DataLayer.Tool",
            "--tool-path",
            folder.File("tools"),
            "--configfile",
            folder.File("nuget.config"),
            "--no-cache"
        );
        Assert.That(install.ExitCode, Is.Zero, install.Output);

        var run = ChildProcess.Run(
            folder.File(OperatingSystem.IsWindows() ? "tools/duplicati-db.exe" : "tools/duplicati-db"),
            "generate",
            folder.File("source"),
            "--total",
            "10kb",
            "--files",
            "2",
            "--json"
        );
        Assert.That(run.ExitCode, Is.Zero, run.Error);
        Assert.That(Directory.GetFiles(folder.File("source"), "*", SearchOption.AllDirectories), Has.Length.EqualTo(2));
    }

    [Test]
    [Platform(Exclude = "Win")]
    public async Task Bash_completes_commands_and_options_with_the_script()
    {
        using var folder = new TestFolder();
        var script = await ToolRun.OkAsync("completion", "bash");
        File.WriteAllText(folder.File("completion.bash"), script.Output);

        Assert.That(Complete(folder.File("completion.bash"), "duplicati-db rec"), Is.EqualTo(new[] { "recreate" }));
        Assert.That(Complete(folder.File("completion.bash"), "duplicati-db restore remote --tar"), Is.EqualTo(new[] { "--target" }));
    }

    [TestCaseSource(nameof(Commands))]
    public void Every_command_has_examples_that_are_understood(string command)
    {
        var description = ToolRoot.Of().Subcommands.Single(x => x.Name == command).Description!;
        var lines = description
            .Split('\n')
            .Select(x => x.Trim())
            .Where(x => x.StartsWith("duplicati-db ", StringComparison.Ordinal))
            .ToList();
        Assert.That(lines, Is.Not.Empty);
        Assert.That(description.Split("Example"), Has.Length.EqualTo(2), "one heading");
        foreach (var line in lines)
        {
            Assert.That(line, Does.StartWith($"duplicati-db {command}"));
            var words = line.Split(" >> ")[0].Split(' ').Skip(1).Select(x => x.Trim('\'', '"'));
            Assert.That(ToolRoot.Of().Parse([.. words]).Errors.Select(x => x.Message), Is.Empty, line);
        }
    }

    [Test]
    public async Task The_help_of_the_program_has_a_line_a_command()
    {
        var help = (await ToolRun.RunAsync("--help")).Output;
        var lines = help.Split("Commands:")[1].Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        Assert.That(lines.Select(x => x.Split(' ')[0]), Is.EqualTo(Commands));
        Assert.That(lines.Max(x => x.Length), Is.LessThan(200));
        Assert.That(
            (await ToolRun.RunAsync("list", "--help")).Output,
            Does.Contain("--all-versions --include"),
            "the help of a command is whole"
        );
    }

    [Test]
    public async Task The_help_lists_topics_and_explains_topics_and_commands()
    {
        var overview = await ToolRun.RunAsync("help");
        Assert.That(Commands.Where(x => !overview.Output.Contains(x, StringComparison.Ordinal)), Is.Empty);
        foreach (var topic in Duplicati.Tool.Commands.HelpCommand.Topics)
            Assert.That((await ToolRun.RunAsync("help", topic.Key)).Output.TrimEnd(), Is.EqualTo(topic.Value.TrimEnd()));
        Assert.That((await ToolRun.RunAsync("help", "recreate")).Output, Does.Contain("--dbpath").And.Contain("Example:"));

        foreach (var unknown in new[] { "nothing", "NoSuchId" })
            (await ToolRun.RunAsync("help", unknown, "--json")).AssertRefused("NoSuchTopic");
    }

    // The tool is run through the host, as it is when it was not installed.
    private static string[] Complete(string script, string line)
    {
        var tool = Path.Combine(AppContext.BaseDirectory, "duplicati-db.dll");
        var start = new ProcessStartInfo(
            "bash",
            [
                "-c",
                """
                duplicati-db() { "$HOST" exec "$TOOL" "$@"; }
                source "$SCRIPT"
                COMP_LINE="$LINE"; COMP_POINT=${#LINE}; read -ra COMP_WORDS <<< "$LINE"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _duplicati_db
                printf '%s\n' "${COMPREPLY[@]}"
                """,
            ]
        )
        {
            Environment =
            {
                ["HOST"] = ChildProcess.Host,
                ["TOOL"] = tool,
                ["SCRIPT"] = script,
                ["LINE"] = line,
            },
        };
        return ChildProcess.Run(start).Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
