// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Tool.Cli;
using Duplicati.Tool.Commands;

namespace Duplicati.Tool;

/// <summary>The command tree of the tool.</summary>
internal static class ToolRoot
{
    private const string Description = """
        Backs up, restores, recreates, checks and repairs Duplicati backups and their local databases.

        A REMOTE is a folder, a file:// address, or rclone:NAME:PATH: a folder of a remote that the installed rclone knows.
        Data goes to stdout, progress and messages to stderr; --json makes the data JSON.
        Exit codes: 0 done; 1 done and differences or problems were found; 2 wrong command line; 3 failed for a reason the message
        tells how to put right, of which 10 no such database or backup, 11 locked by another program, 12 wrong passphrase or none;
        4 unexpected failure; 130 interrupted.

        Examples:
          duplicati-db backup remote /home/me --dbpath me.sqlite --no-encryption --blocksize 100kb
          duplicati-db recreate remote --dbpath new.sqlite --passphrase-file secret.txt
          duplicati-db restore remote --dbpath me.sqlite --target restored --version 0 --no-encryption
          duplicati-db search --dbpath me.sqlite "*.txt" --version 0
          duplicati-db compare me.sqlite new.sqlite

        "duplicati-db COMMAND --help" tells more of a command, "duplicati-db help" lists further topics.
        """;

    // What an interrupted operation may take to roll back and to remove its temporary files; after it the process ends anyway.
    private static readonly TimeSpan s_timeToStop = TimeSpan.FromSeconds(30);

    private static readonly ConcurrentDictionary<string, RootCommand> s_roots = new(StringComparer.Ordinal);

    /// <summary>Parses and runs one command line.</summary>
    /// <param name="args">Its words.</param>
    /// <param name="output">Takes data.</param>
    /// <param name="error">Takes messages and questions.</param>
    /// <param name="terminal">Gives answers; null without one.</param>
    /// <param name="token">Interrupts, as Ctrl+C does.</param>
    internal static async Task<int> RunAsync(
        IReadOnlyList<string> args,
        TextWriter output,
        TextWriter error,
        TextReader? terminal = null,
        CancellationToken token = default
    )
    {
        var (safeOutput, safeError) = (new SafeWriter(output), new SafeWriter(new MessageWriter(error)));
        var first = args is [var word, ..] ? word : null;
        var root = Of(first);
        var parsed = root.Parse(args);
        string? opening = null;
        var mistyped = Mistyped(parsed);
        var problems = (
            UnknownCommand(parsed, first) is { } unknown ? [unknown] : mistyped.Select(x => Unknown(x, parsed.CommandResult.Command))
        ).ToList();
        // What else is wrong is so because of them.
        if (problems.Count == 0)
            problems.AddRange(EmptyPaths(parsed));
        if (problems.Count == 0)
            problems.AddRange(parsed.Errors.Select(x => x.Message));
        if (problems.Count == 0 && KnownDatabase.IsLeftOut(parsed))
        {
            var (path, text) = await KnownDatabase.FindAsync(parsed, first);
            if (path is null)
                problems.Add(text);
            else
                (parsed, opening) = (root.Parse([first!, KnownDatabase.Path.Name, path, .. args.Skip(1)]), text);
            problems.AddRange(path is null ? [] : parsed.Errors.Select(x => x.Message));
        }

        if (problems.Count == 0)
        {
            var invocation = new ToolInvocation(new ToolConsole(output, error, terminal, opening))
            {
                Output = safeOutput,
                Error = safeError,
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = s_timeToStop,
            };
            try
            {
                return await parsed.InvokeAsync(invocation, token);
            }
            // Of help, version and completion; commands tell their own.
            catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
            {
                var unwritten = ToolConsole.Unwritten(ex);
                safeError.WriteLine($"{unwritten.Message}\nHelp id: {unwritten.HelpID}");
                return ExitCode.Failed;
            }
        }

        foreach (var problem in problems)
            safeError.WriteLine(SafeText.Line(problem));
        safeError.WriteLine(Usage(parsed.CommandResult.Command));
        return ExitCode.Usage;
    }

    /// <summary>
    /// Words that look like options and are none: each would be taken for one more path or pattern, and a run that was to change nothing
    /// for a real one.
    /// </summary>
    internal static IEnumerable<string> Mistyped(ParseResult parsed)
    {
        var paths = parsed
            .CommandResult.Children.OfType<ArgumentResult>()
            .SelectMany(x => x.Tokens)
            .Select(x => x.Value)
            .ToHashSet(StringComparer.Ordinal);
        return parsed
            .Tokens.TakeWhile(x => x.Type != TokenType.DoubleDash)
            .Where(x => x.Type == TokenType.Argument && x.Value.Length > 1)
            .Select(x => x.Value)
            .Where(x => x.StartsWith("--", StringComparison.Ordinal) || (x[0] == '-' && paths.Contains(x)));
    }

    // As of a variable that is not set.
    private static IEnumerable<string> EmptyPaths(ParseResult parsed) =>
        from result in parsed.CommandResult.Children
        let symbol = result is OptionResult option ? (option.Option.Name, option.Option.ValueType)
        : result is ArgumentResult argument ? (argument.Argument.Name, argument.Argument.ValueType)
        : default
        where typeof(FileSystemInfo).IsAssignableFrom(symbol.ValueType) || symbol.Name is "REMOTE" or "SOURCE"
        where result.Tokens.Any(x => string.IsNullOrWhiteSpace(x.Value))
        select $"{symbol.Name} is empty; give a path.";

    private static string? UnknownCommand(ParseResult parsed, string? word)
    {
        if (
            parsed.CommandResult.Command is not RootCommand root
            || word is null
            || word.StartsWith('-')
            || !parsed.UnmatchedTokens.Contains(word)
        )
            return null;
        return Near(word, root.Subcommands.Select(x => x.Name)) is { } name
            ? $"Unknown command {word}. Did you mean {name}?"
            : $"Unknown command {word}.";
    }

    private static string Unknown(string word, Command command)
    {
        var options = command.Options.SelectMany(x => x.Aliases.Prepend(x.Name)).Where(x => x.StartsWith("--", StringComparison.Ordinal));
        return Near("--" + word.TrimStart('-'), options) is { } name
            ? $"Unknown option {word}. Did you mean {name}?"
            : $"Unknown option {word}. A path or pattern that begins with a dash goes after --.";
    }

    // The name that was most likely meant, if one is likely.
    private static string? Near(string word, IEnumerable<string> names)
    {
        var (name, edits) = names.Select(x => (Name: x, Edits: Edits(word, x))).DefaultIfEmpty().MinBy(x => x.Edits);
        return name is not null && edits <= Math.Max(1, name.Length / 4) ? name : null;
    }

    // Letters to add, leave out or change.
    private static int Edits(string from, string to)
    {
        var row = Enumerable.Range(0, to.Length + 1).ToArray();
        foreach (var letter in from)
        {
            var diagonal = row[0]++;
            for (var i = 1; i <= to.Length; i++)
            {
                var changed = diagonal + (letter == to[i - 1] ? 0 : 1);
                diagonal = row[i];
                row[i] = Math.Min(changed, Math.Min(row[i - 1], diagonal) + 1);
            }
        }

        return row[^1];
    }

    private static string Usage(Command command) =>
        command is RootCommand
            ? "Usage: duplicati-db COMMAND [options]; \"duplicati-db help\" lists the commands."
            : $"Usage: duplicati-db {string.Join(' ', [command.Name, .. command.Arguments.Select(x => x.Name)])} [options]; \"duplicati-db {command.Name} --help\" explains them.";

    /// <summary>The root with its commands, made once a process: options that several commands have know all of these.</summary>
    /// <param name="first">The first word of a command line: if it is the name of a command, that one is all of them, because to make the
    /// others takes longer than to parse.</param>
    internal static RootCommand Of(string? first = null) =>
        s_roots.GetOrAdd(first is not null && Commands().ContainsKey(first) ? first : "", Create);

    private static RootCommand Create(string name)
    {
        var root = new RootCommand(Description);
        foreach (var (_, create) in Commands().Where(x => name is "" || x.Key == name))
            root.Subcommands.Add(create().WithExample());
        RootHelp.Shorten(root);
        return root;
    }

    // In the order of the help.
    private static OrderedDictionary<string, Func<Command>> Commands() =>
        new(StringComparer.Ordinal)
        {
            ["backup"] = BackupCommand.Create,
            ["list"] = ListCommand.Create,
            ["search"] = SearchCommand.Create,
            ["find"] = FindCommand.Create,
            ["volumes"] = VolumesCommand.Create,
            ["report"] = ReportCommand.Create,
            ["changes"] = ChangesCommand.Create,
            ["affected"] = AffectedCommand.Create,
            ["recreate"] = RecreateCommand.Create,
            ["repair"] = RepairCommand.Create,
            ["restore"] = RestoreCommand.Create,
            ["check"] = CheckCommand.Create,
            ["verify"] = VerifyCommand.Create,
            ["test"] = TestCommand.Create,
            ["list-broken-files"] = ListBrokenFilesCommand.Create,
            ["purge-broken-files"] = PurgeBrokenFilesCommand.Create,
            ["purge"] = PurgeCommand.Create,
            ["delete"] = DeleteCommand.Create,
            ["compact"] = CompactCommand.Create,
            ["label"] = LabelCommand.Create,
            ["upgrade"] = UpgradeCommand.Create,
            ["downgrade"] = DowngradeCommand.Create,
            ["databases"] = DatabasesCommand.Create,
            ["info"] = InfoCommand.Create,
            ["bug-report"] = BugReportCommand.Create,
            ["vacuum"] = VacuumCommand.Create,
            ["dump"] = DumpCommand.Create,
            ["compare"] = CompareCommand.Create,
            ["generate"] = GenerateCommand.Create,
            ["completion"] = CompletionCommand.Create,
            ["help"] = () => HelpCommand.Create(() => Of()),
        };
}
