// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Api;

/// <summary>A type or member in the form of the baseline.</summary>
/// <param name="Text">Signature, kind, accessibility and modifiers.</param>
/// <param name="Type">The qualified name of the type, or of the type that declares the member.</param>
/// <param name="Accessibility">As declared.</param>
internal sealed record ApiLine(string Text, string Type, string Accessibility)
{
    /// <summary>Can be reached from other assemblies, or could if the type were public.</summary>
    internal bool IsVisible => Accessibility is "public" or "protected" or "protected internal";

    /// <summary>
    /// The text without what does not count: the length of SQL constants, which are our own, and the word "implicit", which a compiled
    /// assembly does not tell.
    /// </summary>
    internal static string Normalize(string line)
    {
        var start = line.IndexOf("<string of ", StringComparison.Ordinal);
        if (start >= 0)
            line = line[..start] + "<string>" + line[(line.IndexOf('>', start) + 1)..];
        return string.Join(" | ", line.Split(" | ").Select(x => x.Trim() == "implicit" ? "" : x.Trim())).TrimEnd(' ', '|');
    }
}
