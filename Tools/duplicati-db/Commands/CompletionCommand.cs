// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>completion bash|zsh|fish|powershell</c>: a script that lets the shell ask this program what may follow.</summary>
internal static class CompletionCommand
{
    private static readonly Dictionary<string, string> s_scripts = new(StringComparer.Ordinal)
    {
        ["bash"] = """
            _duplicati_db() {
              local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
              COMPREPLY=($(compgen -W "$(duplicati-db "[suggest:$COMP_POINT]" "$COMP_LINE" 2>/dev/null)" -- "$word"))
            }
            complete -o default -F _duplicati_db duplicati-db
            """,
        ["zsh"] = """
            _duplicati_db() {
              local -a found
              found=("${(@f)$(duplicati-db "[suggest:$CURSOR]" "$BUFFER" 2>/dev/null)}")
              [[ -n "$found" ]] && compadd -- "${found[@]}" || _files
            }
            compdef _duplicati_db duplicati-db
            """,
        ["fish"] = """
            complete -c duplicati-db -a '(duplicati-db "[suggest:"(commandline -C)"]" (commandline) 2>/dev/null)'
            """,
        ["powershell"] = """
            Register-ArgumentCompleter -Native -CommandName duplicati-db -ScriptBlock {
              param($word, $line, $position)
              duplicati-db "[suggest:$position]" "$line" 2>$null | Where-Object { $_ -like "$word*" } | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
              }
            }
            """,
    };

    internal static Command Create()
    {
        var shell = new Argument<string>("SHELL") { Description = "The shell." };
        shell.AcceptOnlyFromAmong([.. s_scripts.Keys]);
        return new Command("completion", "Write a script that completes commands and options in a shell.")
            .WithOutput()
            .With(shell)
            .Runs(
                (console, parsed, _, _) =>
                {
                    var name = parsed.GetRequiredValue(shell);
                    console.Write(parsed, new CompletionScript(name, s_scripts[name]), text => text.WriteLine(s_scripts[name]));
                    return Task.FromResult(ExitCode.Ok);
                }
            );
    }
}
