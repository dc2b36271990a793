// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>One setting of a connection: a pragma of SQLite, the value it is given and why.</summary>
/// <param name="Name">Name of the pragma, lower case; see https://www.sqlite.org/pragma.html.</param>
/// <param name="Value">The value as written in the pragma statement.</param>
/// <param name="Reason">Why this value, in words a user can weigh.</param>
/// <remarks>Immutable; may be shared between threads.</remarks>
internal sealed record Pragma(string Name, string Value, string Reason)
{
    /// <summary>Name and value as they stand in the statement, for messages.</summary>
    public override string ToString() => $"{Name}={Value}";
}
