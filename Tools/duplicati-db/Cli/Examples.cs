// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;

namespace Duplicati.Tool.Cli;

/// <summary>One line a command that can be tried as it stands, shown by its help; for commands that need no more than one.</summary>
internal static class Examples
{
    private static readonly Dictionary<string, string> s_lines = new(StringComparer.Ordinal)
    {
        ["backup"] = "duplicati-db backup /mnt/remote /home/me --dbpath me.sqlite --blocksize 100kb --passphrase-file secret.txt",
        ["recreate"] = "duplicati-db recreate /mnt/remote --dbpath new.sqlite --passphrase-file secret.txt",
        ["restore"] = "duplicati-db restore /mnt/remote --dbpath me.sqlite --target restored --version 0 --no-encryption",
        ["verify"] = "duplicati-db verify /mnt/remote --dbpath me.sqlite --no-encryption",
        ["list-broken-files"] = "duplicati-db list-broken-files /mnt/remote --dbpath me.sqlite --no-encryption",
        ["purge-broken-files"] = "duplicati-db purge-broken-files /mnt/remote --dbpath me.sqlite --no-encryption --dry-run",
        ["purge"] = "duplicati-db purge /mnt/remote '*/cache/*' --dbpath me.sqlite --no-encryption --dry-run",
        ["delete"] = "duplicati-db delete /mnt/remote --dbpath me.sqlite --no-encryption --version 3 --dry-run",
        ["compact"] = "duplicati-db compact /mnt/remote --dbpath me.sqlite --no-encryption",
        ["label"] = "duplicati-db label before-the-move --dbpath me.sqlite --version 0",
        ["upgrade"] = "duplicati-db upgrade me.sqlite",
        ["downgrade"] = "duplicati-db downgrade me.sqlite --to 19",
        ["info"] = "duplicati-db info me.sqlite",
        ["vacuum"] = "duplicati-db vacuum me.sqlite",
        ["dump"] = "duplicati-db dump me.sqlite",
        ["compare"] = "duplicati-db compare me.sqlite new.sqlite",
        ["generate"] = "duplicati-db generate source --total 100mb --files 300 --seed 1",
        ["completion"] = "duplicati-db completion bash >> ~/.bashrc",
        ["help"] = "duplicati-db help passphrases",
    };

    /// <summary>Adds the example to what the help says of a command.</summary>
    internal static Command WithExample(this Command command)
    {
        if (s_lines.TryGetValue(command.Name, out var line))
            command.Description += $"{Environment.NewLine}{Environment.NewLine}Example:{Environment.NewLine}  {line}";
        return command;
    }
}
