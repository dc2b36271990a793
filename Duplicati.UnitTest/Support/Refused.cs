// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;
using NUnit.Framework.Constraints;

namespace Duplicati.UnitTest.Support;

/// <summary>How a call is refused.</summary>
internal static class Refused
{
    /// <summary>By SQLite.</summary>
    /// <param name="code">The result code.</param>
    /// <param name="extended">The extended result code; null does not look at it.</param>
    /// <param name="text">What the message says, besides other things.</param>
    internal static Constraint Engine(int code, int? extended = null, string text = "")
    {
        var refused = Throws.TypeOf<SqliteException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(code);
        var told = refused.And.Message.Contains(text);
        return extended is null ? told : told.And.Property(nameof(SqliteException.SqliteExtendedErrorCode)).EqualTo(extended);
    }

    /// <summary>With a help id for the user.</summary>
    internal static Constraint HelpId(string? id) =>
        Throws.TypeOf<UserInformationException>().With.Matches<UserInformationException>(x => x.HelpID == id);
}
