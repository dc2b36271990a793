// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>Resolves the conditional blocks of a script.</summary>
/// <remarks>
/// <c>{#if name op literal} A {#else} B {#endif}</c>, the else part optional, in any letter case. An underscore and optional digits
/// behind the three keywords tell a nested block from its enclosing one; blocks with the same mark nest by counting.
/// </remarks>
internal static class SqlPreprocessor
{
    private const string IF = "if";
    private const string ELSE = "else";
    private const string END = "endif";

    /// <summary>Resolves every block, outermost first.</summary>
    /// <param name="sql">The script.</param>
    /// <param name="variables">What conditions compare with.</param>
    /// <returns>The script without blocks.</returns>
    /// <exception cref="ArgumentException">A malformed condition, or a block without an end.</exception>
    /// <exception cref="KeyNotFoundException">An unknown variable.</exception>
    /// <exception cref="FormatException">A literal that does not convert.</exception>
    public static string Process(string sql, IDictionary<string, IComparable> variables)
    {
        ArgumentNullException.ThrowIfNull(sql);
        ArgumentNullException.ThrowIfNull(variables);
        var block = NextBlock(sql, 0);
        if (block == null)
            return sql;

        var result = new System.Text.StringBuilder(sql.Length);
        var position = 0;
        for (; block != null; block = NextBlock(sql, position))
        {
            result.Append(sql, position, block.Start - position);
            result.Append(Process(block.Choose(sql, variables), variables));
            position = block.End;
        }
        return result.Append(sql, position, sql.Length - position).ToString();
    }

    private static Block? NextBlock(string sql, int from)
    {
        for (var open = Directive.Next(sql, from); open != null; open = Directive.Next(sql, open.End))
            if (open.Keyword == IF)
                return BlockFrom(sql, open);
        return null;
    }

    private static Block BlockFrom(string sql, Directive open)
    {
        var depth = 0;
        Directive? otherwise = null;
        for (var next = Directive.Next(sql, open.End); next != null; next = Directive.Next(sql, next.End))
        {
            if (next.Mark != open.Mark)
                continue;
            if (next.Keyword == IF)
                depth++;
            else if (next.Keyword == END && depth-- == 0)
                return new Block(open, otherwise, next);
            else if (next.Keyword == ELSE && depth == 0)
                otherwise ??= next;
        }
        throw new ArgumentException($"The block {{#{IF}{open.Mark}{open.Argument}}} has no {{#{END}{open.Mark}}}");
    }

    /// <summary>One keyword in braces.</summary>
    private sealed record Directive(string Keyword, string Mark, string Argument, int Start, int End)
    {
        /// <summary>The first directive at or behind a position; braces around anything else are text.</summary>
        public static Directive? Next(string sql, int from)
        {
            for (
                var start = sql.IndexOf("{#", from, StringComparison.Ordinal);
                start >= 0;
                start = sql.IndexOf("{#", start + 1, StringComparison.Ordinal)
            )
            {
                var close = sql.IndexOf('}', start);
                if (close < 0)
                    return null;
                if (Parse(sql[(start + 2)..close]) is var (keyword, mark, argument))
                    return new Directive(keyword, mark, argument, start, close + 1);
            }
            return null;
        }

        private static (string Keyword, string Mark, string Argument)? Parse(string text)
        {
            foreach (var keyword in (ReadOnlySpan<string>)[IF, ELSE, END])
            {
                if (!text.StartsWith(keyword, StringComparison.OrdinalIgnoreCase))
                    continue;
                var end = keyword.Length;
                if (end < text.Length && text[end] == '_')
                    do end++;
                    while (end < text.Length && char.IsAsciiDigit(text[end]));
                var argument = text[end..];
                var complete = keyword == IF ? argument.Length == 0 || char.IsWhiteSpace(argument[0]) : string.IsNullOrWhiteSpace(argument);
                if (complete)
                    return (keyword, text[keyword.Length..end], argument);
            }
            return null;
        }
    }

    /// <summary>A block from its first to its last brace.</summary>
    private sealed record Block(Directive If, Directive? Else, Directive EndIf)
    {
        public int Start => If.Start;

        public int End => EndIf.End;

        /// <summary>The part the condition selects, with its own blocks still in it.</summary>
        public string Choose(string sql, IDictionary<string, IComparable> variables)
        {
            if (SqlCondition.Parse(If.Argument).Holds(variables))
                return sql[If.End..(Else ?? EndIf).Start];
            return Else == null ? "" : sql[Else.End..EndIf.Start];
        }
    }

    /// <summary>The condition of a block.</summary>
    private sealed record SqlCondition(string Variable, string Operator, string Literal)
    {
        // The longer of two operators that begin alike comes first.
        private static readonly string[] s_operators = ["<=", ">=", "!=", "==", "=", "<", ">"];

        public static SqlCondition Parse(string text)
        {
            var condition = text.Trim();
            var end = 0;
            while (end < condition.Length && (char.IsLetterOrDigit(condition[end]) || condition[end] == '_'))
                end++;
            var rest = condition[end..].TrimStart();
            var comparison = Array.Find(s_operators, x => rest.StartsWith(x, StringComparison.Ordinal));
            var literal = comparison == null ? "" : rest[comparison.Length..].Trim();
            if (end == 0 || comparison == null || literal.Length == 0)
                throw new ArgumentException($"Malformed condition: {text}");
            return new SqlCondition(condition[..end], comparison, literal);
        }

        public bool Holds(IDictionary<string, IComparable> variables)
        {
            if (!variables.TryGetValue(Variable, out var value))
                throw new KeyNotFoundException($"The condition asks for the unknown variable {Variable}");
            var order = value.CompareTo(Convert(value.GetType()));
            return Operator switch
            {
                "<=" => order <= 0,
                ">=" => order >= 0,
                "!=" => order != 0,
                "<" => order < 0,
                ">" => order > 0,
                _ => order == 0,
            };
        }

        private object Convert(Type type)
        {
            try
            {
                return type == typeof(Version)
                    ? Version.Parse(Literal)
                    : System.Convert.ChangeType(Literal, type, CultureInfo.InvariantCulture);
            }
            catch (Exception ex)
            {
                throw new FormatException($"\"{Literal}\" is no value of type {type.Name}, which the variable {Variable} has", ex);
            }
        }
    }
}
