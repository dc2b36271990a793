// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>A method, an accessor block or a constructor of a source file.</summary>
/// <param name="File">Name of the file.</param>
/// <param name="Name">Its name.</param>
/// <param name="Lines">From its first line to the closing brace.</param>
internal sealed record MethodLength(string File, string Name, int Lines)
{
    public override string ToString() => $"{File}: {Name} {Lines}";
}

/// <summary>
/// Finds methods by their braces: a block whose head ends in a parameter list and stands directly in a type. Local functions and
/// lambdas count as part of what they are in; members with an arrow are not counted.
/// </summary>
internal static partial class SourceLength
{
    /// <summary>The methods of a source text with their lengths.</summary>
    internal static List<MethodLength> Methods(string file, string text)
    {
        var code = Blanked(text);
        var found = new List<MethodLength>();
        var blocks = new Stack<(bool IsType, string? Method, int Line)>();
        var (head, headLine, line) = (new StringBuilder(), 0, 1);
        foreach (var c in code)
        {
            line += c == '\n' ? 1 : 0;
            switch (c)
            {
                case '{':
                    var inType = blocks.Count == 0 || blocks.Peek().IsType;
                    var isType = inType && TypeHead().IsMatch(head.ToString());
                    var method = inType && !isType ? NameOf(head.ToString()) : null;
                    blocks.Push((isType, method, headLine));
                    head.Clear();
                    break;
                case '}':
                    if (blocks.TryPop(out var block) && block.Method is { } name)
                        found.Add(new MethodLength(file, name, line - block.Line + 1));
                    head.Clear();
                    break;
                case ';':
                    head.Clear();
                    break;
                default:
                    if (head.Length == 0 && char.IsWhiteSpace(c))
                        break;
                    headLine = head.Length == 0 ? line : headLine;
                    head.Append(c);
                    break;
            }
        }

        return found;
    }

    // What stands before the first parenthesis of a head that is a method's; an initializer has an equals sign there, a property no
    // parenthesis.
    private static string? NameOf(string head)
    {
        var match = MethodHead().Match(Attribute().Replace(head, ""));
        return match.Success ? match.Groups[1].Value : null;
    }

    /// <summary>The text with the content of comments, strings and characters replaced by blanks; lines stay where they are.</summary>
    private static string Blanked(string text) => Literal().Replace(text, match => Visible().Replace(match.Value, " "));

    [GeneratedRegex(
        """//[^\n]*|/\*.*?\*/|\${0,3}("{3,})(?!").*?(?<!")\1(?!")|\$?@\$?"(?:[^"]|"")*"|\$?"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
        RegexOptions.Singleline
    )]
    private static partial Regex Literal();

    [GeneratedRegex("[^\n]")]
    private static partial Regex Visible();

    [GeneratedRegex(@"^\s*(\[[^\]]*\]\s*)+")]
    private static partial Regex Attribute();

    [GeneratedRegex(@"\b(class|struct|interface|record|enum|namespace)\s+[\w.@]+")]
    private static partial Regex TypeHead();

    [GeneratedRegex(@"^[^=(]*?([\w.]+|operator\s*\S+)\s*(?:<[^(=]*>)?\s*\(")]
    private static partial Regex MethodHead();
}
