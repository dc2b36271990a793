// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>
/// Names as text on a terminal: one line each, and nothing in them can move the cursor, colour the screen or turn the order of
/// letters around. A name that needs it is put in double quotes with escapes like C's; others stay as they are.
/// </summary>
internal static class SafeText
{
    /// <summary>A name as one harmless line.</summary>
    internal static string Of(string name)
    {
        if (!NeedsQuotes(name))
            return name;
        var text = new StringBuilder("\"");
        foreach (var letter in name)
            text.Append(Escape(letter));
        return text.Append('"').ToString();
    }

    /// <summary>A text with names in it as one harmless line; nothing is put in quotes.</summary>
    internal static string Line(string text) => Escaped(text, static _ => false);

    /// <summary>A text of several lines, each harmless. Only for texts whose ends of lines are their own.</summary>
    internal static string Lines(string text) => Escaped(text.ReplaceLineEndings("\n"), static x => x == '\n');

    /// <summary>
    /// JSON that says the same and is harmless on a terminal: what may stand in a text, but not on a screen, becomes an escape.
    /// </summary>
    internal static string Json(string json)
    {
        if (!json.Any(IsUnsafe))
            return json;
        var text = new StringBuilder(json.Length + 64);
        foreach (var letter in json)
            _ =
                letter is '\n' or '\r' || !IsUnsafe(letter)
                    ? text.Append(letter)
                    : text.Append(CultureInfo.InvariantCulture, $"\\u{(int)letter:x4}");
        return text.ToString();
    }

    /// <summary>The beginning of a text as one harmless line.</summary>
    internal static string Beginning(string text, int length) => Of(text.Length > length ? text[..length] + " ..." : text);

    private static string Escaped(string text, Predicate<char> isKept)
    {
        if (!text.Any(x => IsUnsafe(x) && !isKept(x)))
            return text;
        var safe = new StringBuilder(text.Length + 16);
        foreach (var letter in text)
            _ = IsUnsafe(letter) && !isKept(letter) ? safe.Append(Escape(letter)) : safe.Append(letter);
        return safe.ToString();
    }

    // A quote at the beginning would look like an escaped name, blanks at the end would not be seen.
    private static bool NeedsQuotes(string name) =>
        name.Length == 0 || name[0] == '"' || char.IsWhiteSpace(name[0]) || char.IsWhiteSpace(name[^1]) || name.Any(IsUnsafe);

    // Surrogate pairs are letters like others; a terminal shows a lone surrogate as a replacement, which is harmless.
    private static bool IsUnsafe(char letter) => CommandLine.IsInvisible(letter);

    private static string Escape(char letter) =>
        letter switch
        {
            '"' => "\\\"",
            '\\' => @"\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            _ when IsUnsafe(letter) => $"\\u{(int)letter:x4}",
            _ => letter.ToString(),
        };
}

/// <summary>
/// Text on its way to a terminal: whatever a name, a message of the system or a damaged file has in it, nothing but ends of lines steers
/// the terminal.
/// </summary>
internal sealed class SafeWriter(TextWriter inner) : OuterWriter(inner)
{
    /// <inheritdoc/>
    public override void Write(string? value) =>
        Inner.Write(value is null || value == NewLine ? value : SafeText.Lines(value).ReplaceLineEndings(NewLine));
}

/// <summary>Text on its way to another writer: all of it passes one member.</summary>
internal abstract class OuterWriter(TextWriter inner) : TextWriter
{
    /// <summary>The other writer.</summary>
    protected TextWriter Inner => inner;

    /// <inheritdoc/>
    public override Encoding Encoding => inner.Encoding;

    /// <inheritdoc/>
    public abstract override void Write(string? value);

    /// <inheritdoc/>
    public override void Write(char value) => Write(value.ToString());

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer) => Write(new string(buffer));

    /// <inheritdoc/>
    public override void Flush() => inner.Flush();
}

/// <summary>Messages on their way to a stream: one that is full or closed loses them, and ends nothing that they tell of.</summary>
internal sealed class MessageWriter(TextWriter inner) : OuterWriter(inner)
{
    /// <inheritdoc/>
    public override void Write(string? value) => Try(() => Inner.Write(value));

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Try(() => Inner.WriteLine(value));

    /// <inheritdoc/>
    public override void Flush() => Try(Inner.Flush);

    /// <summary>Writes, if that can be done.</summary>
    /// <param name="write">What writes.</param>
    /// <returns>Why it cannot; null if it was done.</returns>
    internal static Exception? Try(Action write)
    {
        try
        {
            write();
            return null;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return ex;
        }
    }
}
