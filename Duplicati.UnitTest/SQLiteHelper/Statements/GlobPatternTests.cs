// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

[TestFixture]
public sealed class GlobPatternTests
{
    private static readonly string[] s_texts = ["a", "b", "Z", "é", "\U0001F600", "/", "\0", "*", "?", "[", "]", "^", "-"];
    private static readonly string[] s_patterns =
    [
        "*",
        "?",
        "[a-c]",
        "[^a]",
        "[]]",
        "[^]x]",
        "[",
        "]",
        "-",
        "^",
        "a",
        "b",
        "Z",
        "é",
        "\U0001F600",
        "\0",
    ];

    [Test]
    public void A_pattern_fits_where_the_operator_says_so()
    {
        var random = new Random(LongRun.Seed());
        using var connection = new SqliteConnection("Data Source=:memory:");
        connection.Open();
        using var statements = new StatementCache(connection);
        using var glob = statements.Prepare("SELECT ?2 GLOB ?1");
        for (var i = 0; i < 20_000; i++)
        {
            var (pattern, text) = (Join(random, s_patterns), Join(random, s_texts));

            var fits = new GlobPattern(Encoding.UTF8.GetBytes(pattern)).Fits(Encoding.UTF8.GetBytes(text + '\0'));

            Assert.That(fits, Is.EqualTo(glob.Bind(1, pattern).Bind(2, text).ExecuteInt64() == 1), $"{pattern} on {text}");
        }
    }

    [Test]
    public void What_the_operator_refuses_and_a_text_without_an_end_are_refused()
    {
        Assert.That(() => new GlobPattern(new byte[GlobPattern.MostBytes + 1]), Throws.ArgumentException.With.Message.Contains("50001"));
        Assert.That(() => new GlobPattern("*"u8).Fits("x"u8), Throws.ArgumentException.With.Property("ParamName").EqualTo("text"));
        Assert.That(() => new GlobPattern("*"u8).Fits(default), Throws.ArgumentException);
    }

    private static string Join(Random random, string[] pieces) =>
        string.Concat(Enumerable.Range(0, random.Next(6)).Select(_ => pieces[random.Next(pieces.Length)]));
}
