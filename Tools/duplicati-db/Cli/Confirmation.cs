// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Cli;

/// <summary>Asks before something is lost for good: shows what goes, and takes an answer from a terminal, or <c>--yes</c>.</summary>
internal static class Confirmation
{
    /// <summary>
    /// Returns if the command may go on: with <c>--yes</c>, in a dry run, if nothing is lost, or after a yes on the terminal.
    /// </summary>
    /// <param name="console">Where to show and ask.</param>
    /// <param name="parsed">The command line.</param>
    /// <param name="losses">Finds out what would be lost, one line each, without changing anything; not called where nobody has to be
    /// asked.</param>
    /// <param name="token">Cancels, also while waiting for the answer.</param>
    /// <exception cref="UserInformationException">Help ids <c>ConfirmationNeeded</c>: there is no terminal; <c>NotConfirmed</c>: the answer
    /// was no. Nothing was changed.</exception>
    internal static async Task RequireAsync(
        ToolConsole console,
        ParseResult parsed,
        Func<Task<IReadOnlyList<string>>> losses,
        CancellationToken token
    )
    {
        if (parsed.GetValue(CommonOptions.Yes) || parsed.GetValue(CommonOptions.DryRun))
            return;

        var lines = await losses();
        if (lines.Count == 0)
            return;

        console.Error.WriteLine("This would be lost for good:");
        foreach (var line in lines)
            console.Error.WriteLine($"  {SafeText.Line(line)}");
        if (console.Terminal is not { } terminal)
            throw new UserInformationException(
                $"Nothing was changed: there is no terminal to confirm it. {Advice.Confirm()}",
                "ConfirmationNeeded"
            );

        console.Error.Write("Go on? [y/N] ");
        var answer = await Task.Run(terminal.ReadLine, token).WaitAsync(token);
        if (answer?.Trim().ToUpperInvariant() is not ("Y" or "YES"))
            throw new UserInformationException("Nothing was changed.", "NotConfirmed");
    }

    /// <summary>What versions lose, one line each, and a sum if they are several.</summary>
    internal static IReadOnlyList<string> Describe(IReadOnlyList<VersionLoss> losses)
    {
        var lines = losses
            .Select(x =>
                $"{(x.IsWhole ? "the whole version" : "of the version")} of {ListText.Time(x.Time.ToUniversalTime())}: {Amount(x.Entries, x.Files, x.Bytes)}"
            )
            .ToList();
        if (losses.Count > 1)
            lines.Add(
                $"in all {SizeText.Count(losses.Count, "version")}: {Amount(losses.Sum(x => x.Entries), losses.Sum(x => x.Files), losses.Sum(x => x.Bytes))}"
            );
        return lines;
    }

    private static string Amount(long entries, long files, long bytes) =>
        entries == files
            ? $"{SizeText.Count(files, "file")} ({SizeText.Of(bytes)})"
            : $"{SizeText.Count(files, "file")} ({SizeText.Of(bytes)}) and {SizeText.Count(entries - files, "folder or link", "folders or links")}";
}

/// <summary>Asks for a passphrase without showing it.</summary>
internal static class PassphrasePrompt
{
    /// <exception cref="UserInformationException">There is nobody to ask; help id <c>MissingPassphrase</c>.</exception>
    internal static string Read()
    {
        if (Console.IsInputRedirected)
            throw new UserInformationException(
                "Say how volumes are encrypted: --passphrase-env NAME, --passphrase-file FILE, or --no-encryption.",
                "MissingPassphrase"
            );

        Console.Error.Write("Passphrase: ");
        var text = new StringBuilder();
        for (var key = Console.ReadKey(intercept: true); key.Key != ConsoleKey.Enter; key = Console.ReadKey(intercept: true))
        {
            if (key.Key != ConsoleKey.Backspace)
                text.Append(key.KeyChar);
            else if (text.Length > 0)
                text.Length--;
        }

        Console.Error.WriteLine();
        return text.ToString();
    }
}
