// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Library.Localization.Short;

/// <summary>Texts for the user. This build has no translations: a text is its own translation.</summary>
public static class LC
{
    /// <summary>The translated text with its arguments put in.</summary>
    /// <param name="msg">The text, with <c>{0}</c> style holes when there are arguments.</param>
    /// <param name="args">What fills the holes.</param>
    /// <returns>The text for the user.</returns>
    public static string L(string msg, params object?[] args) =>
        args.Length == 0 ? msg : string.Format(CultureInfo.CurrentCulture, msg, args);
}
