// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>What a token is to the splitter.</summary>
internal enum SqlTokenKind
{
    /// <summary>A keyword or an identifier without quotes.</summary>
    Word,

    /// <summary>A semicolon.</summary>
    Semicolon,

    /// <summary>Anything else: a literal, a quoted identifier, a number, an operator.</summary>
    Other,
}

/// <summary>Cuts SQL text into tokens, by the lexical rules of SQLite (https://sqlite.org/lang_keywords.html, lang_comment.html).</summary>
/// <remarks>
/// Comments and white space are skipped. A literal, identifier or comment that is not closed reaches to the end of the text.
/// </remarks>
internal ref struct SqlTokenizer(ReadOnlySpan<char> text)
{
    private readonly ReadOnlySpan<char> m_text = text;
    private int m_position;

    /// <summary>Kind of the current token.</summary>
    public SqlTokenKind Kind { get; private set; }

    /// <summary>Offset of the current token.</summary>
    public int Start { get; private set; }

    /// <summary>Offset behind the current token.</summary>
    public readonly int End => m_position;

    /// <summary>Text of the current token.</summary>
    public readonly ReadOnlySpan<char> Text => m_text[Start..m_position];

    /// <summary>Goes to the next token.</summary>
    /// <returns>False at the end of the text.</returns>
    public bool Read()
    {
        SkipSpaceAndComments();
        Start = m_position;
        if (m_position >= m_text.Length)
            return false;

        var first = m_text[m_position++];
        Kind =
            first == ';' ? SqlTokenKind.Semicolon
            : IsWordStart(first) ? SqlTokenKind.Word
            : SqlTokenKind.Other;
        if (first is '\'' or '"' or '`')
            SkipQuoted(first);
        else if (first == '[')
            SkipPast("]");
        else if (Kind == SqlTokenKind.Word || char.IsAsciiDigit(first))
            while (m_position < m_text.Length && IsWordPart(m_text[m_position]))
                m_position++;
        return true;
    }

    private void SkipSpaceAndComments()
    {
        while (m_position < m_text.Length)
        {
            var rest = m_text[m_position..];
            if (rest[0] is ' ' or (>= '\t' and <= '\r') or '\uFEFF')
                m_position++;
            else if (rest.StartsWith("--"))
                SkipPast("\n");
            else if (rest.StartsWith("/*"))
            {
                m_position += 2;
                SkipPast("*/");
            }
            else
                return;
        }
    }

    /// <summary>Two quotes in a row are one quote of the content.</summary>
    private void SkipQuoted(char quote)
    {
        for (; m_position < m_text.Length; m_position++)
            if (m_text[m_position] == quote)
            {
                if (m_position + 1 >= m_text.Length || m_text[m_position + 1] != quote)
                {
                    m_position++;
                    return;
                }
                m_position++;
            }
    }

    private void SkipPast(ReadOnlySpan<char> mark)
    {
        var offset = m_text[m_position..].IndexOf(mark);
        m_position = offset < 0 ? m_text.Length : m_position + offset + mark.Length;
    }

    private static bool IsWordStart(char c) => char.IsAsciiLetter(c) || c == '_' || c >= '\u0080';

    private static bool IsWordPart(char c) => IsWordStart(c) || char.IsAsciiDigit(c) || c == '$';
}
