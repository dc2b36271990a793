// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>help [TOPIC]</c>: what is common to several commands, the help of one, or what a help id means.</summary>
internal static class HelpCommand
{
    private static readonly Dictionary<string, string> s_topics = new(StringComparer.Ordinal)
    {
        ["passphrases"] = """
            Volumes are encrypted (AES) unless --no-encryption says otherwise. The passphrase comes from one of
              --passphrase-env NAME     the environment variable NAME
              --passphrase-file FILE    the first line of FILE
              a prompt                  on a terminal, when neither is given
            It is never taken from the command line, where other users of the machine could read it.

            Volumes are written as AES Crypt 2. Version 3 makes a passphrase harder to guess, and opening or writing a volume takes
            some tenths of a second more; Duplicati reads it since 2.3.0.101. Both are read without an option, and may lie in one folder:
              duplicati-db backup /mnt/remote /home/me --dbpath me.sqlite --passphrase-file secret.txt --aes-version 3
            --aes-v3-iterations N and --aes-minimal-header go with it. An option beats its environment variable: DUPLICATI__AES_VERSION,
            DUPLICATI__AES_V3_ITERATIONS, DUPLICATI__AES_MINIMAL_HEADER.
            """,
        ["compression"] = """
            Volumes of all modules and methods are read, whatever the options say, also beside each other in one folder. New ones are packed by
              --compression-module zip|tzstd|tgz    zip, or tar packed by Zstandard or gzip; stored in the database
              --zip-compression-method METHOD       None, Deflate, ZStandard, BZip2, LZMA or PPMd; not stored
              --zip-compression-level 0-9           for Deflate and ZStandard; 0 stores
              --tzstd-compression-level 1-22
              --tgz-compression-level 0-3           0 stores

            Example:
              duplicati-db backup /mnt/remote /home/me --dbpath me.sqlite --no-encryption --zip-compression-method ZStandard
            """,
        ["exit-codes"] = """
              0    done
              1    done, and differences, problems or skipped files were found
              2    wrong command line
              3    failed for a reason that the message tells how to put right, with its help id
              4    unexpected failure
              10   as 3: there is no such database or backup
              11   as 3: another program has locked it
              12   as 3: the passphrase is wrong, or none was given
              130  interrupted
            """,
        ["patterns"] = """
            A path without * and ? means that file, or that folder with everything below it when it ends with a separator.
            * stands for any text, ? for one character, [abc] and [^abc] for one of these or none of these in regular expressions,
            which are written in brackets: "[.*\.tmp$]". {TemporaryFiles} and other names in braces stand for groups of paths. Quote patterns, or the shell
            expands them.
            """,
        ["versions"] = """
            Version 0 is the newest, 1 the one before, and so on; deleting a version renumbers the older ones.
            """,
    };

    internal static Command Create(Func<RootCommand> root)
    {
        var topic = new Argument<string?>("TOPIC")
        {
            Description = "A command, one of the topics that are listed without one, or the help id of a failure.",
            Arity = ArgumentArity.ZeroOrOne,
            HelpName = "TOPIC",
        };
        topic.CompletionSources.Add(_ =>
            [
                .. Topics
                    .Keys.Concat(root().Subcommands.Select(x => x.Name))
                    .Select(x => new System.CommandLine.Completions.CompletionItem(x)),
            ]
        );
        return new Command("help", "Explain a command or a topic.")
            .WithOutput()
            .With(topic)
            .Runs(
                (console, parsed, _, _) =>
                {
                    var name = parsed.GetValue(topic);
                    var text = name is null ? Overview(root()) : Topics.GetValueOrDefault(name) ?? OfId(name) ?? OfCommand(root(), name);
                    console.Write(parsed, new HelpText(name, text), writer => writer.WriteLine(text));
                    return Task.FromResult(ExitCode.Ok);
                }
            );
    }

    /// <summary>The topics and what they say.</summary>
    internal static IReadOnlyDictionary<string, string> Topics { get; } =
        new Dictionary<string, string>(s_topics, StringComparer.Ordinal)
        {
            ["presets"] = string.Join(Environment.NewLine, ConnectionPreset.All.Select(x => $"  {x.Name, -12}{x.Summary}")),
        };

    private static string Overview(RootCommand root) =>
        $"""
            Topics: {string.Join(", ", Topics.Keys.Order(StringComparer.Ordinal))}, and the help id of any failure

            Commands:
            {string.Join(Environment.NewLine, root.Subcommands.Select(x => $"  {x.Name, -20}{RootHelp.FirstSentence(x)}"))}
            """;

    // As it stands in a message; of a failure that nobody expected it is the name of its kind.
    private static string? OfId(string name) =>
        HelpIds.Topics.TryGetValue(name, out var text)
            ? $"{text}{Environment.NewLine}Exit code {ExitCode.Of(name)}."
            : (name.EndsWith(HelpIds.UnexpectedSuffix, StringComparison.Ordinal) ? HelpIds.Unexpected : null);

    private static string OfCommand(RootCommand root, string name)
    {
        if (!root.Subcommands.Any(x => x.Name == name))
            throw new UserInformationException($"There is no command and no topic named {name}; see \"duplicati-db help\".", "NoSuchTopic");

        using var text = new StringWriter();
        root.Parse([name, "--help"]).Invoke(new InvocationConfiguration { Output = text });
        return text.ToString().TrimEnd();
    }
}
