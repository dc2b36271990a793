// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Duplicati.Library.Main.Database;

/// <summary>Finds and replaces the <c>@word</c> parameters in the text of a statement.</summary>
internal static class CommandText
{
    /// <summary>The distinct parameters in a text, also those in comments and literals, in the order they first appear.</summary>
    /// <param name="text">The text of a statement.</param>
    /// <returns>Names with their <c>@</c>; two spellings that differ in case only are one.</returns>
    internal static List<string> ParameterNames(string text)
    {
        RejectPositional(text);
        var names = new List<string>();
        for (var at = text.IndexOf('@'); at >= 0; at = text.IndexOf('@', at + 1))
        {
            var name = text.AsSpan(at, NameLength(text, at));
            if (name.Length > 1 && !Contains(names, name))
                names.Add(name.ToString());
        }
        return names;
    }

    /// <summary>Replaces every occurrence of a parameter's name, as plain text and in any case.</summary>
    /// <param name="text">The text of a statement.</param>
    /// <param name="parameter">The name with its <c>@</c>.</param>
    /// <param name="replacement">What stands there afterwards.</param>
    /// <returns>The new text.</returns>
    /// <exception cref="ArgumentException">The name lacks its <c>@</c>.</exception>
    internal static string ReplaceParameter(string text, string parameter, string replacement)
    {
        RequireParameterName(parameter);
        RequireOccurrence(text, parameter);
        return text.Replace(parameter, replacement, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The names of the parameters a list parameter is expanded to.</summary>
    /// <param name="parameter">The list parameter.</param>
    /// <param name="count">How many values the list has.</param>
    /// <returns>The name followed by 0, 1, 2 and so on.</returns>
    internal static string[] ItemNames(string parameter, int count)
    {
        RequireParameterName(parameter);
        var names = new string[count];
        for (var i = 0; i < count; i++)
            names[i] = parameter + i.ToString(CultureInfo.InvariantCulture);
        return names;
    }

    /// <summary>The text of a command with the values in place of the parameters. For logs only: nothing is escaped.</summary>
    /// <param name="command">The command.</param>
    /// <returns>The text.</returns>
    internal static string Printable(IDbCommand command)
    {
        var text = command.CommandText;
        var at = text.IndexOf('@');
        if (at < 0 || command.Parameters.Count == 0)
            return text;

        var printable = new StringBuilder(text.Length + 64);
        var copied = 0;
        for (; at >= 0; at = text.IndexOf('@', at + 1))
        {
            var length = NameLength(text, at);
            if (Find(command, text.AsSpan(at, length)) is not { } parameter)
                continue;
            printable.Append(text, copied, at - copied).Append(PrintableValue(parameter.Value));
            copied = at + length;
        }
        return printable.Append(text, copied, text.Length - copied).ToString();
    }

    private static int NameLength(string text, int at)
    {
        var end = at + 1;
        while (end < text.Length && (char.IsLetterOrDigit(text[end]) || text[end] == '_'))
            end++;
        return end - at;
    }

    private static bool Contains(List<string> names, ReadOnlySpan<char> name)
    {
        foreach (var known in names)
            if (name.Equals(known, StringComparison.OrdinalIgnoreCase))
                return true;
        return false;
    }

    private static IDataParameter? Find(IDbCommand command, ReadOnlySpan<char> name)
    {
        foreach (IDataParameter parameter in command.Parameters)
            if (name.Equals(parameter.ParameterName, StringComparison.OrdinalIgnoreCase))
                return parameter;
        return null;
    }

    private static string PrintableValue(object? value) =>
        value switch
        {
            null or DBNull => "NULL",
            string text => $"\"{text}\"",
            DateTime time => $"\"{time.ToString("O", CultureInfo.InvariantCulture)}\"",
            byte[] bytes => $"X'{Convert.ToHexString(bytes)}'",
            _ => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
        };

    private static void RequireParameterName(string parameter)
    {
        if (!parameter.StartsWith('@'))
            throw new ArgumentException($"A parameter name begins with @: {parameter}", nameof(parameter));
    }

    [Conditional("DEBUG")]
    private static void RejectPositional(string text)
    {
        if (text.Contains('?'))
            throw new ArgumentException($"Parameters have names here: {text}", nameof(text));
    }

    [Conditional("DEBUG")]
    private static void RequireOccurrence(string text, string parameter)
    {
        if (!text.Contains(parameter, StringComparison.OrdinalIgnoreCase))
            throw new ArgumentException($"{parameter} does not occur in: {text}", nameof(parameter));
    }
}
