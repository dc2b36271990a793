// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Globalization;
using Duplicati.Engine.Encryption;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Cli;

/// <summary>How volumes are encrypted that a command writes: options, and behind them the environment variables of Duplicati.</summary>
internal static class AesOptions
{
    private const string VERSION_VARIABLE = "DUPLICATI__AES_VERSION";
    private const string ITERATIONS_VARIABLE = "DUPLICATI__AES_V3_ITERATIONS";
    private const string MINIMAL_HEADER_VARIABLE = "DUPLICATI__AES_MINIMAL_HEADER";

    private static readonly AesCryptOptions s_defaults = new();

    private static readonly Option<int?> s_version = new("--aes-version")
    {
        Description =
            "AES Crypt version of the encrypted volumes that are written: 2 (default), or 3, which Duplicati reads since 2.3.0.101. Both are read.",
        CompletionSources = { "2", "3" },
    };

    private static readonly Option<int?> s_iterations = new("--aes-v3-iterations")
    {
        Description =
            $"How often AES Crypt 3 hashes the passphrase, 1 to {AesCryptOptions.MAX_ITERATIONS} (default {AesCryptOptions.DEFAULT_ITERATIONS}).",
    };

    private static readonly Option<bool?> s_minimalHeader = new("--aes-minimal-header")
    {
        Description = "Leave out of encrypted volumes what made them and when.",
    };

    /// <summary>All of them.</summary>
    internal static IReadOnlyList<Option> All { get; } = [s_version, s_iterations, s_minimalHeader];

    /// <summary>Adds them to a command that writes volumes, or that one is advised with.</summary>
    internal static void Add(Command command)
    {
        command.With([.. All]);
        command.Checks(result =>
        {
            if (result.GetValue(s_version) is < 2 or > 3)
                result.AddError($"{s_version.Name} takes 2 or 3.");
            if (result.GetValue(s_iterations) is < 1 or > AesCryptOptions.MAX_ITERATIONS)
                result.AddError($"{s_iterations.Name} takes 1 to {AesCryptOptions.MAX_ITERATIONS}.");
        });
    }

    /// <summary>What a command line says; an option beats its environment variable.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidAesOptions</c>.</exception>
    internal static AesCryptOptions Of(ParseResult parsed)
    {
        // Who only reads needs none, and is not kept from it by a variable.
        if (!parsed.CommandResult.Command.Options.Contains(s_version))
            return s_defaults;
        var version = parsed.GetValue(s_version) ?? Number(VERSION_VARIABLE, "2 or 3", x => x is 2 or 3) ?? s_defaults.Version;
        if (version == 2 && parsed.GetValue(s_iterations) is not null)
            throw new UserInformationException($"{s_iterations.Name} needs {s_version.Name} 3.", "InvalidAesOptions");
        return new AesCryptOptions
        {
            Version = version,
            Iterations =
                parsed.GetValue(s_iterations)
                ?? Number(
                    ITERATIONS_VARIABLE,
                    $"1 to {AesCryptOptions.MAX_ITERATIONS}",
                    x => x is >= 1 and <= AesCryptOptions.MAX_ITERATIONS
                )
                ?? s_defaults.Iterations,
            IsHeaderMinimal =
                parsed.GetValue(s_minimalHeader)
                ?? Library.Utility.Utility.ParseBool(
                    Environment.GetEnvironmentVariable(MINIMAL_HEADER_VARIABLE),
                    s_defaults.IsHeaderMinimal
                ),
        };
    }

    private static int? Number(string variable, string takes, Func<int, bool> isPossible)
    {
        var text = Environment.GetEnvironmentVariable(variable);
        if (string.IsNullOrWhiteSpace(text))
            return null;
        return
            int.TryParse(
                text,
                NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite,
                CultureInfo.InvariantCulture,
                out var number
            ) && isPossible(number)
            ? number
            : throw new UserInformationException(
                $"The environment variable {variable} holds \"{text}\"; it takes {takes}.",
                "InvalidAesOptions"
            );
    }
}
