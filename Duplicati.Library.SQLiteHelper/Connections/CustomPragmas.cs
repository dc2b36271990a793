// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// The user's own pragmas: <c>name=value</c> pairs, separated by semicolons, in an environment variable. They win over everything else.
/// </summary>
internal static class CustomPragmas
{
    /// <summary>Name of the environment variable.</summary>
    internal const string Variable = "CUSTOMSQLITEOPTIONS_DUPLICATI";

    /// <summary>Why such a pragma is set.</summary>
    internal const string Reason = $"set in {Variable}";

    /// <summary>
    /// Overrides and extends a list of pragmas by those in <paramref name="text"/>; entries without <c>=</c> are ignored.
    /// </summary>
    internal static IReadOnlyList<Pragma> Override(IReadOnlyList<Pragma> pragmas, string? text)
    {
        if (string.IsNullOrWhiteSpace(text))
            return pragmas;

        var result = new List<Pragma>(pragmas);
        foreach (var entry in text.Split(';'))
        {
            var split = entry.IndexOf('=', StringComparison.Ordinal);
            if (split < 0)
                continue;

            var name = entry[..split].Trim().ToLowerInvariant();
            var pragma = new Pragma(name, entry[(split + 1)..].Trim(), Reason);
            var known = result.FindIndex(other => other.Name == name);
            if (known >= 0)
                result[known] = pragma;
            else
                result.Add(pragma);
        }

        return result.OrderBy(pragma => PragmaCatalogue.Position(pragma.Name)).ToArray();
    }
}
