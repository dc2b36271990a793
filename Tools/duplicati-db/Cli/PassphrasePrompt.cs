// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Cli;

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
