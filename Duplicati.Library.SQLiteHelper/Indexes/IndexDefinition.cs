// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.SQLiteHelper.Scripts;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>Tells statements that make an index from others.</summary>
internal static class IndexDefinition
{
    private const string Quotes = "\"'`[";

    /// <summary>The name of the index that a text makes.</summary>
    /// <returns>The name without quotes; null if the text is not exactly one CREATE INDEX.</returns>
    internal static string? NameOf(string sql)
    {
        if (SqlScriptSplitter.Split(sql) is not [var statement])
            return null;

        var tokens = new SqlTokenizer(statement.Text);
        if (!Next(ref tokens, "CREATE"))
            return null;

        var isIndex = Next(ref tokens, "INDEX");
        if (!isIndex && !(Is(tokens, "UNIQUE") && Next(ref tokens, "INDEX")))
            return null;

        if (Next(ref tokens, "IF") && !(Next(ref tokens, "NOT") && Next(ref tokens, "EXISTS") && tokens.Read()))
            return null;
        return Unquoted(tokens.Text);
    }

    /// <summary>The indexes that statements make, by name, with the statement.</summary>
    internal static IEnumerable<(string Name, string Sql)> In(IEnumerable<string> statements)
    {
        foreach (var sql in statements)
        {
            if (NameOf(sql) is { } name)
                yield return (name, sql);
        }
    }

    private static bool Next(ref SqlTokenizer tokens, string word) => tokens.Read() && Is(tokens, word);

    private static bool Is(SqlTokenizer tokens, string word) =>
        tokens.Kind == SqlTokenKind.Word && tokens.Text.Equals(word, StringComparison.OrdinalIgnoreCase);

    private static string Unquoted(ReadOnlySpan<char> text)
    {
        if (text.Length < 2 || !Quotes.Contains(text[0]))
            return text.ToString();

        var quote = text[^1].ToString();
        return text[1..^1].ToString().Replace(quote + quote, quote, StringComparison.Ordinal);
    }
}
