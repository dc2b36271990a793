// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Commands;

/// <summary>Declares the options of commands, whose help has them in the same order.</summary>
internal static class Options
{
    /// <summary>An option.</summary>
    /// <param name="command">Whose it is.</param>
    /// <param name="names">Its names, with a space between two.</param>
    /// <param name="description">What it does.</param>
    /// <param name="value">What its value is called; null calls it as the option.</param>
    /// <param name="parse">Reads its value; null where its type has a reader.</param>
    public static Option<T> Add<T>(
        this Command command,
        string names,
        string description,
        string? value = null,
        Func<ArgumentResult, T>? parse = null
    )
    {
        var words = names.Split(' ');
        return new Option<T>(words[0], words[1..])
        {
            Description = description,
            HelpName = value,
            CustomParser = parse,
        }.In(command);
    }

    /// <summary>One for several values side by side; there are none if it is not given.</summary>
    public static Option<T[]> Many<T>(this Command command, string names, string description, string? value = null)
    {
        var option = command.Add<T[]>(names, description, value).Or([]);
        option.AllowMultipleArgumentsPerToken = true;
        return option;
    }

    /// <summary>One for a number of bytes.</summary>
    public static Option<long> Size(this Command command, string name, string description) =>
        command.Add(name, $"{description}, such as 500kb, 1mb or 2gb", "SIZE", result => ParseSize(name, result));

    /// <summary>Gives it to a command.</summary>
    public static Option<T> In<T>(this Option<T> option, Command command)
    {
        command.Options.Add(option);
        return option;
    }

    /// <summary>Gives it a value for when there is none.</summary>
    public static Option<T> Or<T>(this Option<T> option, T value)
    {
        option.DefaultValueFactory = _ => value;
        return option;
    }

    /// <summary>Refuses numbers that are less.</summary>
    public static Option<T> AtLeast<T>(this Option<T> option, int least)
    {
        option.Validators.Add(result =>
        {
            foreach (var token in result.Tokens)
            {
                if (long.TryParse(token.Value, CultureInfo.InvariantCulture, out var count) && count < least)
                    result.AddError(FormattableString.Invariant($"{option.Name} {count}: give {least} or more."));
            }
        });
        return option;
    }

    /// <summary>Refuses a word that is not known.</summary>
    public static Option<string[]> AcceptOnly(this Option<string[]> option, params string[] known)
    {
        option.Validators.Add(result =>
        {
            if (result.Tokens.Select(token => token.Value).FirstOrDefault(word => !known.Contains(word)) is { } wrong)
                result.AddError($"{option.Name} {wrong}: there are {string.Join(", ", known)}.");
        });
        return option;
    }

    private static long ParseSize(string name, ArgumentResult result)
    {
        var text = result.Tokens.Single().Value;
        try
        {
            if (Sizer.ParseSize(text, "b") is > 0 and var size)
                return size;
        }
        catch (Exception ex) when (ex is FormatException or OverflowException)
        {
            // Told below.
        }

        result.AddError($"{name} {text}: this is no size; write 500kb, 1mb or 2gb.");
        return 0;
    }
}
